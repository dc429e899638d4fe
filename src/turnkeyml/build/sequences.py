"""The build sequences that have a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnkeyml.errors import UsageError

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence, Stage

__all__ = ["DEFAULT_SEQUENCE", "SEQUENCES", "find_sequence", "sequence_names"]

DEFAULT_SEQUENCE = "optimize-fp16"

SEQUENCES: dict[str, tuple[str, ...]] = {
    "optimize-fp16": ("optimize_onnx", "fp16_conversion"),
    "optimize-fp32": ("optimize_onnx",),
    "onnx-fp32": (),
}
"""What each does between receiving the model and the end."""


def sequence_names() -> list[str]:
    """Every name that ``--sequence`` takes."""
    return list(SEQUENCES)


def find_sequence(name: str | None, onnx_input: bool) -> Sequence:
    """The stages of a named sequence; without a name, an ONNX file is taken as it is."""
    from turnkeyml.build.stage import Sequence

    if name is not None and name not in SEQUENCES:
        raise UsageError(f"Unknown sequence {name!r}; there are: {', '.join(SEQUENCES)}.")
    if name is None:
        name = "onnx-fp32" if onnx_input else DEFAULT_SEQUENCE
    first = "receive_onnx" if onnx_input else "export_pytorch"
    return Sequence(name, [_stage(s) for s in (first, *SEQUENCES[name], "set_success")])


def _stage(name: str) -> Stage:
    if name == "export_pytorch":
        from turnkeyml.build.export import ExportPytorch

        return ExportPytorch()
    from turnkeyml.build import onnx_stages

    kinds = (
        onnx_stages.ReceiveOnnx,
        onnx_stages.OptimizeOnnx,
        onnx_stages.Fp16Conversion,
        onnx_stages.SetSuccess,
    )
    return next(kind() for kind in kinds if kind.name == name)
