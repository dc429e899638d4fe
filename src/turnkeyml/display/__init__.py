"""What a terminal shows."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "analyses": "TuneProgress explanation_lines result_lines",
        "builds": (
            "ORDERS build_table model_lines names_lines size_in_words sort_builds stats_lines"
        ),
        "caution_lines": "cautions every_caution",
        "console": (
            "CountProgress finish_streams flush_streams in_terminal open_standard_streams "
            "print_errors print_lines terminal_width write_document"
        ),
        "dry_run": "forecast_lines span_in_words",
        "listings": "build_lines closing_line listing mismatch_line performance_lines",
        "overview": "Overview line_of pace_in_words",
        "results": "race_lines sweep_lines",
        "system": "plugin_lines system_lines",
        "watchers": "PlainWatcher make_monitor make_watcher",
    },
)
