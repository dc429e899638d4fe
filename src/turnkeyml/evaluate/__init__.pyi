# Written by .ci/doors from the table in __init__.py.
from turnkeyml.evaluate.assignment import (
    Assignment as Assignment, WAIT_MARGIN_SECONDS as WAIT_MARGIN_SECONDS,
)
from turnkeyml.evaluate.contest import measure as measure
from turnkeyml.evaluate.contestants import Contestants as Contestants
from turnkeyml.evaluate.entries import (
    Contestant as Contestant, Entry as Entry, FileContestant as FileContestant,
)
from turnkeyml.evaluate.invocation import evaluate as evaluate
from turnkeyml.evaluate.measuring import measure_contestants as measure_contestants
from turnkeyml.evaluate.progress import Report as Report
from turnkeyml.evaluate.remeasure import measure_again as measure_again
from turnkeyml.evaluate.rerun import RerunRequest as RerunRequest
from turnkeyml.evaluate.runner import Outcome as Outcome, Runner as Runner
from turnkeyml.evaluate.skip import SKIP as SKIP
from turnkeyml.evaluate.turns import Turns as Turns
