# Written by .ci/doors from the table in __init__.py.
from turnkeyml.evaluate.assignment import (
    Assignment as Assignment, MachineTurns as MachineTurns, SKIP as SKIP, WAIT_MARGIN_SECONDS as
    WAIT_MARGIN_SECONDS,
)
from turnkeyml.evaluate.contestants import (
    Contestant as Contestant, Entry as Entry, FileContestant as FileContestant,
    InvocationContestants as InvocationContestants,
)
from turnkeyml.evaluate.invocation import evaluate as evaluate
from turnkeyml.evaluate.measuring import measure_contestants as measure_contestants
from turnkeyml.evaluate.race import (
    Outcome as Outcome, ProgressReport as ProgressReport, Runner as Runner, measure as measure,
)
from turnkeyml.evaluate.remeasure import measure_again as measure_again
from turnkeyml.evaluate.rerun import RerunRequest as RerunRequest
