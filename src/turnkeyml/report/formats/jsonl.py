"""JSON Lines: one JSON object per line, for programs that read many records."""

from __future__ import annotations

from typing import TextIO

from turnkeyml.report.contract import Report, TextFormat
from turnkeyml.report.documents import is_record, object_of, parse, report_of


class JsonLines(TextFormat):
    """Every object has every column; unknown values are null."""

    suffix = ".jsonl"

    def write_text(self, report: Report, file: TextIO) -> None:
        for record in report.records:
            file.write(f"{object_of(record, report.columns)}\n")

    def recognizes(self, text: str) -> bool:
        try:
            first = parse(text.lstrip().partition("\n")[0])
        except ValueError:
            return False
        return is_record(first) and "build_name" in first

    def read(self, text: str) -> Report:
        return report_of([parse(line) for line in text.split("\n") if line.strip()])
