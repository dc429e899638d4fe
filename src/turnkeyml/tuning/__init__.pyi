# Written by .ci/doors from the table in __init__.py.
from turnkeyml.tuning.acceptance import (
    check_metric as check_metric, parse_tolerance as parse_tolerance,
)
from turnkeyml.tuning.program import check_target as check_target, write_program as write_program
from turnkeyml.tuning.search import (
    Entrant as Entrant, Judge as Judge, advantage as advantage, best_of as best_of, enter as enter,
    next_wave as next_wave,
)
from turnkeyml.tuning.space import (
    BATCHES as BATCHES, PRECISIONS as PRECISIONS, Precisions as Precisions, Space as Space,
    make_space as make_space, thread_counts as thread_counts,
)
from turnkeyml.tuning.tuner import (
    Journal as Journal, Tuner as Tuner, verdict_of as verdict_of, with_front as with_front,
)
from turnkeyml.tuning.variants import Rig as Rig, Variants as Variants
