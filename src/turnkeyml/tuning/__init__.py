"""Finding the fastest configuration of a build that is still right.

``space`` says what there is to try, ``search`` what to try next, and races it against the best so
far, ``acceptance`` decides what may win, and ``tuner`` puts them together.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "acceptance": "check_metric parse_tolerance",
        "program": "check_target write_program",
        "search": "Entrant Judge advantage best_of enter next_wave",
        "space": "BATCHES PRECISIONS Precisions Space make_space thread_counts",
        "tuner": "Journal Tuner verdict_of with_front",
        "variants": "Rig Variants",
    },
)
