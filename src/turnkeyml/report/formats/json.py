"""JSON: one list with an object per record, for programs."""

from __future__ import annotations

from typing import TextIO

from turnkeyml.report.contract import Report, TextFormat
from turnkeyml.report.documents import object_of, parse, report_of


class Json(TextFormat):
    """Every object has every column; unknown values are null."""

    suffix = ".json"

    def write_text(self, report: Report, file: TextIO) -> None:
        file.write("[")
        for number, record in enumerate(report.records):
            file.write(f"{',' if number else ''}\n{object_of(record, report.columns)}")
        file.write("\n]\n")

    def recognizes(self, text: str) -> bool:
        return text.lstrip().startswith("[")

    def read(self, text: str) -> Report:
        return report_of(parse(text))
