"""Every bug and missing feature of other packages that we work around, with affected versions.

The code of a workaround names its entry. One test per entry reproduces the bug without our code and
fails once upstream fixes it. ``python -m turnkeyml.workarounds`` prints docs/workarounds.md.

Code that only saves time or memory has no entry, such as our own conversion of weights to float16
or the limit on the number of inputs of a session.
"""

from turnkeyml.workarounds import elsewhere, exporters, float16, keras, onnx_runtime, symbolics
from turnkeyml.workarounds.workaround import Workaround

__all__ = ["GROUPS", "Workaround", "all_workarounds"]

GROUPS = {
    "Operators of PyTorch's TorchScript exporter": symbolics,
    "PyTorch's exporters": exporters,
    "ONNX Runtime": onnx_runtime,
    "ONNX Runtime's float16 converter": float16,
    "Keras's exporters": keras,
    "Elsewhere": elsewhere,
}
"""The modules of entries, by title."""


def all_workarounds() -> list[Workaround]:
    """Every entry, in the order of docs/workarounds.md."""
    return [
        value
        for group in GROUPS.values()
        for value in vars(group).values()
        if isinstance(value, Workaround)
    ]
