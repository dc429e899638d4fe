"""Every bug and missing feature of other packages that we work around, with affected versions.

The code of a workaround names its entry. One test per entry reproduces the bug without our code and
fails once upstream fixes it. ``python -m turnkeyml.workarounds`` prints docs/workarounds.md.

Code that only saves time or memory has no entry, such as our own conversion of weights to float16
or the limit on the number of inputs of a session.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "markdown": "all_workarounds page",
        "onnx_runtime": "MATMUL_ADD_FUSION PAD_FUSION",
        "workaround": "Workaround",
    },
)
