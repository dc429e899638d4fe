"""
A build sequence of one's own: export the model to ONNX, and leave it at that.

    turnkey examples/cli/scripts/hello_world.py \
        --sequence-file examples/cli/extras/example_sequence.py --build-only
"""

from turnkeyml import Sequence
from turnkeyml.build.export import ExportPytorch
from turnkeyml.build.onnx_stages import SetSuccess


def get_sequence():
    """Called by turnkey to get the sequence."""
    return Sequence("example_sequence", [ExportPytorch(), SetSuccess()])
