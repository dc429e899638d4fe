# Written by .ci/doors from the table in __init__.py.
from turnkeyml.report.builds import read_build as read_build
from turnkeyml.report.compared_rows import (
    Item as Item, item_in_words as item_in_words, row_of_evaluation as row_of_evaluation,
)
from turnkeyml.report.comparing import compare_measurements as compare_measurements
from turnkeyml.report.comparison import (
    Comparison as Comparison, undecided_in_words as undecided_in_words,
)
from turnkeyml.report.comparison_report import (
    render as render, report_of as report_of, save as save,
)
from turnkeyml.report.contract import Report as Report, Section as Section, Table as Table
from turnkeyml.report.details import detail_of as detail_of
from turnkeyml.report.document import (
    SCHEMA as SCHEMA, make_document as make_document, to_json as to_json,
)
from turnkeyml.report.explanations import explanations_of as explanations_of
from turnkeyml.report.failures import kind_of as kind_of
from turnkeyml.report.formats import find_format as find_format, names as names
from turnkeyml.report.formats.parquet import Parquet as Parquet
from turnkeyml.report.html.derived import failed_stage as failed_stage
from turnkeyml.report.html.page import write_page as write_page
from turnkeyml.report.html.server import ReportServer as ReportServer, is_own_host as is_own_host
from turnkeyml.report.inputs import read_inputs as read_inputs
from turnkeyml.report.reproduce import command_of as command_of
from turnkeyml.report.schema import document_schema as document_schema
from turnkeyml.report.sides import Progress as Progress, read_side as read_side
from turnkeyml.report.table import (
    SavedReport as SavedReport, rows as rows, save_reports as save_reports, write_report as
    write_report,
)
from turnkeyml.report.tables import (
    markdown_table as markdown_table, significant as significant, text_table as text_table,
)
