# Written by .ci/doors from the table in __init__.py.
from turnkeyml.evaluate.assignment import (
    Assignment as Assignment, SKIP as SKIP, Turns as Turns, WAIT_MARGIN_SECONDS as
    WAIT_MARGIN_SECONDS,
)
from turnkeyml.evaluate.contestants import (
    Contestant as Contestant, Contestants as Contestants, Entry as Entry, FileContestant as
    FileContestant,
)
from turnkeyml.evaluate.invocation import evaluate as evaluate
from turnkeyml.evaluate.measuring import measure_contestants as measure_contestants
from turnkeyml.evaluate.race import (
    Outcome as Outcome, Report as Report, Runner as Runner, measure as measure,
)
from turnkeyml.evaluate.remeasure import measure_again as measure_again
from turnkeyml.evaluate.rerun import RerunRequest as RerunRequest
