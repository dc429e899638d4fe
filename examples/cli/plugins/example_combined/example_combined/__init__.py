"""A plugin for an accelerator, found by its entry point.

turnkey imports this file to list devices and runtimes, so it imports nothing heavy.
"""

from example_combined.stage import LabelModel
from turnkeyml.runtimes.contract import Argument, Device, Need, Plugin, Runtime

ABACUS = Device(
    name="abacus",
    title="Abacuses",
    default_runtime="beads",
    describe=lambda: "Abacus with 13 rods",
    parts={"soroban": ("wood", "ivory"), "suanpan": ()},
)


class Beads(Runtime):
    """Moves beads, which is ONNX's own evaluator in disguise."""

    name = "beads"
    title = "Beads"
    device = "abacus"
    default_sequence = "abacus-fp32"
    library = "onnx"
    needs = (Need(module="onnx", install="pip install onnx"),)
    arguments = (Argument("hands", "the number of hands, 1 or 2", int, 2),)
    status_stats = ("beads",)

    def version(self):
        import onnx

        return onnx.__version__

    def open(self, request):
        from example_combined.session import BeadsSession

        return BeadsSession(request, self.device)


PLUGIN = Plugin(
    devices=(ABACUS,),
    runtimes=(Beads,),
    stages=(LabelModel,),
    sequences={"abacus-fp32": ("optimize_onnx", "label_model")},
)
