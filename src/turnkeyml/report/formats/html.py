"""HTML: one page with plots and a table, for people. It needs no network."""

from __future__ import annotations

from typing import TextIO

from turnkeyml.report.contract import Report, TextFormat


class Html(TextFormat):
    """A page that contains everything it needs; see ``report/html``."""

    suffix = ".html"
    wants_details = True
    is_printed = False

    def write_text(self, report: Report, file: TextIO) -> None:
        from turnkeyml.report.html.page import write_page

        write_page(report, file)
