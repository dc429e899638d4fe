"""A plugin with a build sequence, found by the name of its package."""

from .sequence import example_sequence

implements = {
    "sequences": {
        "example-seq": {"sequence_instance": example_sequence},
    },
}
