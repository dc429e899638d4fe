# Written by .ci/doors from the table in __init__.py.
from turnkeyml.display.analyses import (
    TuneProgress as TuneProgress, explanation_lines as explanation_lines, result_lines as
    result_lines,
)
from turnkeyml.display.builds import (
    ORDERS as ORDERS, build_table as build_table, model_lines as model_lines, names_lines as
    names_lines, size_in_words as size_in_words, sort_builds as sort_builds, stats_lines as
    stats_lines,
)
from turnkeyml.display.caution_lines import cautions as cautions, every_caution as every_caution
from turnkeyml.display.console import (
    CountProgress as CountProgress, finish_streams as finish_streams, flush_streams as
    flush_streams, in_terminal as in_terminal, open_standard_streams as open_standard_streams,
    print_errors as print_errors, print_lines as print_lines, terminal_width as terminal_width,
    write_document as write_document,
)
from turnkeyml.display.dry_run import (
    forecast_lines as forecast_lines, span_in_words as span_in_words,
)
from turnkeyml.display.listings import (
    build_lines as build_lines, closing_line as closing_line, listing as listing, mismatch_line as
    mismatch_line, performance_lines as performance_lines,
)
from turnkeyml.display.overview import (
    Overview as Overview, line_of as line_of, pace_in_words as pace_in_words,
)
from turnkeyml.display.results import race_lines as race_lines, sweep_lines as sweep_lines
from turnkeyml.display.system import plugin_lines as plugin_lines, system_lines as system_lines
from turnkeyml.display.watchers import (
    PlainWatcher as PlainWatcher, make_monitor as make_monitor, make_watcher as make_watcher,
)
