"""The build sequences that have a name."""

from __future__ import annotations

import base64
import pickle
from importlib import import_module
from typing import TYPE_CHECKING

from turnkeyml.errors import UsageError, describe

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence, Stage

__all__ = [
    "DEFAULT_SEQUENCE",
    "SEQUENCES",
    "STAGES",
    "check_file",
    "check_name",
    "find_sequence",
    "load_file",
    "make_stage",
    "pickle_sequence",
    "unpickle",
]

DEFAULT_SEQUENCE = "optimize-fp16"

STAGES: dict[str, str] = {
    "export_pytorch": "turnkeyml.frameworks.torch.export:ExportPytorch",
    "receive_onnx": "turnkeyml.build.onnx_stages:ReceiveOnnx",
    "optimize_onnx": "turnkeyml.build.onnx_stages:OptimizeOnnx",
    "fp16_conversion": "turnkeyml.build.onnx_stages:Fp16Conversion",
    "set_success": "turnkeyml.build.onnx_stages:SetSuccess",
}
"""Where each stage is; imported when it is used."""

SEQUENCES: dict[str, tuple[str, ...]] = {
    "optimize-fp16": ("optimize_onnx", "fp16_conversion"),
    "optimize-fp32": ("optimize_onnx",),
    "onnx-fp32": (),
}
"""What each does between receiving the model, in whichever form it comes, and the end."""


def check_name(name: str | None) -> None:
    """Refuse a name that no sequence has."""
    if name is not None and name not in SEQUENCES:
        raise UsageError(f"Unknown sequence {name!r}; there are: {', '.join(SEQUENCES)}.")


def find_sequence(name: str | None, onnx_input: bool) -> Sequence:
    """The stages of a named sequence; without a name, an ONNX file is taken as it is."""
    from turnkeyml.build.stage import Sequence

    check_name(name)
    if name is None:
        name = "onnx-fp32" if onnx_input else DEFAULT_SEQUENCE
    first = "receive_onnx" if onnx_input else "export_pytorch"
    return Sequence(name, [make_stage(s) for s in (first, *SEQUENCES[name], "set_success")])


def make_stage(name: str) -> Stage:
    """A stage by its name."""
    module, _, kind = STAGES[name].partition(":")
    stage: Stage = getattr(import_module(module), kind)()
    return stage


def check_file(path: str) -> None:
    """Refuse a sequence file that cannot be one, without running it."""
    import ast

    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
    except OSError as error:
        raise UsageError(f"The sequence file {path!r} cannot be read: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"The sequence file {path} cannot be loaded: {describe(error)}.") from None
    named = [getattr(node, "name", "") for node in tree.body]
    imported = [a.asname or a.name for n in tree.body for a in getattr(n, "names", [])]
    if "get_sequence" not in [*named, *imported]:
        raise UsageError(f"The sequence file {path} has no function get_sequence().")


def load_file(path: str) -> Sequence:
    """The sequence that ``get_sequence()`` in a Python file returns."""
    from importlib.util import module_from_spec, spec_from_file_location

    from turnkeyml.build.stage import Sequence

    try:
        spec = spec_from_file_location("turnkey_sequence_file", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(
            f"The sequence file {path} cannot be loaded: {describe(error)}."
        ) from error
    if not hasattr(module, "get_sequence"):
        raise UsageError(f"The sequence file {path} has no function get_sequence().")
    sequence = module.get_sequence()
    if not isinstance(sequence, Sequence):
        kind = type(sequence).__name__
        raise UsageError(f"get_sequence() in {path} must return a Sequence, not a {kind}.")
    return sequence


def pickle_sequence(sequence: Sequence) -> str:
    """A sequence as text that another process can turn into the same sequence."""
    try:
        return base64.b64encode(pickle.dumps(sequence)).decode()
    except Exception as error:
        raise UsageError(
            f"The sequence {sequence.name!r} cannot be sent to the process that builds "
            f"({describe(error)}); define its stages at the top level of a module."
        ) from error


def unpickle(text: str, main: str | None) -> Sequence:
    """The sequence that ``pickle_sequence`` wrote, its classes taken from the script ``main``."""
    if main is not None:
        from multiprocessing import spawn

        spawn._fixup_main_from_path(main)  # type: ignore[attr-defined]
    try:
        sequence: Sequence = pickle.loads(base64.b64decode(text))
    except Exception as error:
        raise UsageError(f"The sequence cannot be loaded again: {describe(error)}.") from error
    return sequence
