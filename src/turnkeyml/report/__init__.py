"""Evaluations as tables: reports of caches, comparisons, JSON documents."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "builds": "read_build",
        "compared_rows": "Item item_in_words row_of_evaluation",
        "comparing": "compare_measurements",
        "comparison": "Comparison undecided_in_words",
        "comparison_report": "render report_of save",
        "contract": "Report Section Table",
        "details": "detail_of",
        "document": "SCHEMA make_document to_json",
        "explanations": "explanations_of",
        "failures": "kind_of",
        "formats": "find_format names",
        "formats.parquet": "Parquet",
        "html.derived": "failed_stage",
        "html.page": "write_page",
        "html.server": "ReportServer is_own_host",
        "inputs": "read_inputs",
        "reproduce": "command_of",
        "schema": "document_schema",
        "sides": "Progress read_side",
        "table": "SavedReport rows save_reports write_report",
        "tables": "markdown_table significant text_table",
    },
)
