# Written by .ci/doors from the table in __init__.py.
from turnkeyml.display.build_list import (
    ORDERS as ORDERS, build_table as build_table, size_in_words as size_in_words, sort_builds as
    sort_builds,
)
from turnkeyml.display.builds import (
    model_lines as model_lines, names_lines as names_lines, stats_lines as stats_lines,
)
from turnkeyml.display.caution_lines import cautions as cautions, every_caution as every_caution
from turnkeyml.display.console import (
    finish_streams as finish_streams, flush_streams as flush_streams, in_terminal as in_terminal,
    open_standard_streams as open_standard_streams, print_errors as print_errors, print_lines as
    print_lines, terminal_width as terminal_width, write_document as write_document,
)
from turnkeyml.display.explanation import explanation_lines as explanation_lines
from turnkeyml.display.forecasts import (
    forecast_lines as forecast_lines, span_in_words as span_in_words,
)
from turnkeyml.display.overview import Overview as Overview, line_of as line_of
from turnkeyml.display.overview_watchers import pace_in_words as pace_in_words
from turnkeyml.display.plugins import plugin_lines as plugin_lines
from turnkeyml.display.progress import Progress as Progress
from turnkeyml.display.results import race_lines as race_lines, sweep_lines as sweep_lines
from turnkeyml.display.status import (
    build_lines as build_lines, closing_line as closing_line, listing as listing, mismatch_line as
    mismatch_line, performance_lines as performance_lines,
)
from turnkeyml.display.system import system_lines as system_lines
from turnkeyml.display.tuning import TuneProgress as TuneProgress, result_lines as result_lines
from turnkeyml.display.watchers import (
    PlainWatcher as PlainWatcher, make_monitor as make_monitor, make_watcher as make_watcher,
)
