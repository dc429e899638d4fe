"""The life of one Task inside its process: discover, build, measure, keep."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "assignment": "Assignment SKIP Turns WAIT_MARGIN_SECONDS",
        "contestants": "Contestant Contestants Entry FileContestant",
        "invocation": "evaluate",
        "measuring": "measure_contestants",
        "race": "Outcome Report Runner measure",
        "remeasure": "measure_again",
        "rerun": "RerunRequest",
    },
)
