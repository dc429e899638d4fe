"""Evaluations as tables: reports of caches, comparisons, JSON documents."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "builds": "read_build",
        "cache_report": "SavedReport read_inputs rows save_reports write_report",
        "compared_rows": "Item item_in_words kind_of row_of_evaluation",
        "comparison": "Comparison compare_measurements undecided_in_words",
        "comparison_report": "render report_of save",
        "contract": "Report Section Table markdown_table significant text_table",
        "details": "command_of detail_of explanations_of",
        "documents": "SCHEMA document_schema make_document to_json",
        "formats": "find_format names",
        "formats.parquet": "Parquet",
        "html.page": "failed_stage write_page",
        "html.server": "ReportServer is_own_host",
        "sides": "Progress read_side",
    },
)
