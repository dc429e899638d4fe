"""The life of one Task inside its process: discover, build, measure, keep."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "assignment": "Assignment MachineTurns SKIP WAIT_MARGIN_SECONDS",
        "contestants": "Contestant Entry FileContestant InvocationContestants",
        "invocation": "evaluate",
        "measuring": "measure_contestants",
        "race": "Outcome ProgressReport Runner measure",
        "remeasure": "measure_again",
        "rerun": "RerunRequest",
    },
)
