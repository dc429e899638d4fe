# Written by .ci/doors from the table in __init__.py.
from turnkeyml.report.builds import read_build as read_build
from turnkeyml.report.cache_report import (
    SavedReport as SavedReport, read_inputs as read_inputs, rows as rows, save_reports as
    save_reports, write_report as write_report,
)
from turnkeyml.report.compared_rows import (
    Item as Item, item_in_words as item_in_words, kind_of as kind_of, row_of_evaluation as
    row_of_evaluation,
)
from turnkeyml.report.comparison import (
    Comparison as Comparison, compare_measurements as compare_measurements, undecided_in_words as
    undecided_in_words,
)
from turnkeyml.report.comparison_report import (
    render as render, report_of as report_of, save as save,
)
from turnkeyml.report.contract import (
    Report as Report, Section as Section, Table as Table, markdown_table as markdown_table,
    significant as significant, text_table as text_table,
)
from turnkeyml.report.details import (
    command_of as command_of, detail_of as detail_of, explanations_of as explanations_of,
)
from turnkeyml.report.documents import (
    SCHEMA as SCHEMA, document_schema as document_schema, make_document as make_document, to_json
    as to_json,
)
from turnkeyml.report.formats import find_format as find_format, names as names
from turnkeyml.report.formats.parquet import Parquet as Parquet
from turnkeyml.report.html.page import failed_stage as failed_stage, write_page as write_page
from turnkeyml.report.html.server import ReportServer as ReportServer, is_own_host as is_own_host
from turnkeyml.report.sides import Progress as Progress, read_side as read_side
