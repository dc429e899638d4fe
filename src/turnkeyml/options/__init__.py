"""Every option, declared once for the command line and the API."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "building": "CacheOptions",
        "checks": "is_input",
        "choices": "default_device_name known_precisions",
        "declared": (
            "BenchmarkOptions BuildOptions COMMANDS FUNCTIONS ModelOptions PlanOptions "
            "RaceOptions options_table"
        ),
        "measuring": "concurrencies load_of objective rates",
        "option": "Option in_keywords options_of settle takes",
        "places": "hosts places_of",
        "results": (
            "ChangeOptions CompareOptions CompareView CompletionOptions Confirmation DryRun "
            "ExplainOptions JsonView ListView ModelsOptions ModelsView QuietView "
            "RemeasureOptions ReportOptions SelectOptions ServeOptions TraceView Verbose"
        ),
        "tuning": "TuneOptions",
    },
)
