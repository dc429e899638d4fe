"""The Python API: every command as a function. The command line is a thin layer over it.

Each function is imported on first use, so that reading the cache does not import the builder.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "builds": (
            "BuildStats build_stats build_summaries cache_of clean_builds delete_builds "
            "is_filtered list_builds matching remeasure select_builds"
        ),
        "explaining": "explain",
        "files": "benchmark_files forecast_benchmark forecast_race race_files",
        "models": "benchmark_model build_model",
        "plan": "make_plan",
        "results": "compare conditions_met report save_comparison save_report serve",
        "system": "list_models list_plugins system_info",
        "tuning": "tune",
    },
)
