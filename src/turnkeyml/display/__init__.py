"""What a terminal shows."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "build_list": "ORDERS build_table size_in_words sort_builds",
        "builds": "model_lines names_lines stats_lines",
        "caution_lines": "cautions every_caution",
        "console": (
            "finish_streams flush_streams in_terminal open_standard_streams print_errors "
            "print_lines terminal_width write_document"
        ),
        "explanation": "explanation_lines",
        "forecasts": "forecast_lines span_in_words",
        "overview": "Overview line_of",
        "overview_watchers": "pace_in_words",
        "plugins": "plugin_lines",
        "progress": "Progress",
        "results": "race_lines sweep_lines",
        "status": "build_lines closing_line listing mismatch_line performance_lines",
        "system": "system_lines",
        "tuning": "TuneProgress result_lines",
        "watchers": "PlainWatcher make_monitor make_watcher",
    },
)
