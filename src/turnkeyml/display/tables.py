"""Tables and numbers as a terminal shows them: the same as in a report."""

from __future__ import annotations

from turnkeyml.report.tables import markdown_table, significant, text_table

__all__ = ["markdown_table", "significant", "text_table"]
