"""The life of one Task inside its process: discover, build, measure, keep."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "assignment": "Assignment WAIT_MARGIN_SECONDS",
        "contest": "measure",
        "contestants": "Contestants",
        "entries": "Contestant Entry FileContestant",
        "invocation": "evaluate",
        "measuring": "measure_contestants",
        "progress": "Report",
        "remeasure": "measure_again",
        "rerun": "RerunRequest",
        "runner": "Outcome Runner",
        "skip": "SKIP",
        "turns": "Turns",
    },
)
