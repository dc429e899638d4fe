"""Finding build sequences: by name, from a list of stages, or from a sequence file."""

from __future__ import annotations

import base64
import functools
import pickle
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from turnkeyml.errors import UsageError, describe
from turnkeyml.runtimes import InstalledPlugin, installed_plugins

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence, Stage

DEFAULT_ONNX_OPSET = 18
"""The highest opset that both torch exporters write correctly, in every supported torch."""


@dataclass(frozen=True)
class NamedSequence:
    """The stages of a sequence between the first one, which receives the model, and the last."""

    stages: tuple[str, ...]
    precisions: tuple[str, ...] = ()
    """The precisions of the files that it builds from a model in fp32, the last file first."""


SEQUENCES: dict[str, NamedSequence] = {
    "optimize-fp16": NamedSequence(("optimize_onnx", "fp16_conversion"), ("fp16", "fp32")),
    "optimize-fp32": NamedSequence(("optimize_onnx",), ("fp32",)),
    "optimize-int8": NamedSequence(("optimize_onnx", "int8_conversion"), ("int8", "fp32")),
    "optimize-int8-dynamic": NamedSequence(("optimize_onnx", "int8_dynamic_conversion")),
    "onnx-fp32": NamedSequence(()),
}
"""The named sequences. Their stages are files in ``build.stages``."""


@dataclass(frozen=True)
class _Plugged:
    """The stages and the sequences of the plugins."""

    stages: dict[str, type[Stage]]
    sequences: dict[str, NamedSequence | Sequence]


@functools.cache
def _plugged() -> _Plugged:
    """What the plugins add, unless the name is taken."""
    found = _Plugged({}, {})
    for plugin in installed_plugins():
        for kind in plugin.content.stages:
            _add_stage(kind, plugin, found)
        for name, value in plugin.content.sequences.items():
            _add_sequence(name, value, plugin, found)
    return found


def _add_stage(kind: Any, plugin: InstalledPlugin, found: _Plugged) -> None:
    from turnkeyml.build.stage import Stage

    name = getattr(kind, "name", None)
    if not (isinstance(kind, type) and issubclass(kind, Stage)) or not name:
        plugin.refuse(f"has a stage {kind!r}, which is no Stage with a name")
    elif name in (*_built_in_stages(), *found.stages):
        plugin.refuse(f"claims the stage {name}, which exists already", "rename it")
    else:
        found.stages[name] = kind
        plugin.accept("stages", name)


def _add_sequence(name: str, value: Any, plugin: InstalledPlugin, found: _Plugged) -> None:
    from turnkeyml.build.stage import Sequence

    if isinstance(value, (list, tuple)):
        value = NamedSequence(tuple(value))
    if not isinstance(value, (NamedSequence, Sequence)):
        plugin.refuse(f"has a sequence {name!r}, which is neither a Sequence nor stages by name")
        return
    if name in (*SEQUENCES, *found.sequences, *_built_in_stages()):
        plugin.refuse(f"claims the sequence {name}, which exists already", "rename it")
        return
    stages = value.stages if isinstance(value, NamedSequence) else ()
    unknown = [s for s in stages if s not in (*_built_in_stages(), *found.stages)]
    if unknown:
        plugin.refuse(f"has a sequence {name} with the unknown stage {unknown[0]}")
        return
    found.sequences[name] = value
    plugin.accept("sequences", name)


def sequence_names() -> list[str]:
    """The names of the sequences, those of plugins included."""
    return [*SEQUENCES, *_plugged().sequences]


def check_name(name: str | None) -> None:
    """Raise a usage error unless this is the name of a sequence or a list of stages."""
    if name is not None:
        stages_of(name)


def stage_names() -> list[str]:
    """The names of all stages: the files in ``build.stages``, and those of plugins."""
    return sorted([*_built_in_stages(), *_plugged().stages])


def _built_in_stages() -> list[str]:
    from turnkeyml.build import stages

    return sorted(module.name for module in pkgutil.iter_modules(stages.__path__))


def stages_of(name: str) -> tuple[str, ...]:
    """The stages of a sequence between the first and the last: of a named one, or as listed."""
    if name in SEQUENCES:
        return SEQUENCES[name].stages
    plugged = _plugged().sequences.get(name)
    if plugged is not None:
        return plugged.stages if isinstance(plugged, NamedSequence) else ()
    listed, known = tuple(name.split(",")), stage_names()
    if not all(stage in known for stage in listed):
        raise UsageError(
            f"Unknown sequence {name!r}; choose from: {', '.join(sequence_names())}; "
            f"or list stages separated by commas: {', '.join(known)}."
        )
    return listed


def find_sequence(name: str, receiving: Stage) -> Sequence:
    """A complete sequence that starts with the stage that receives the model.

    ``name`` is the name of a sequence, or a list of stages separated by commas.
    """
    from turnkeyml.build.stage import Sequence

    if name not in SEQUENCES and isinstance(whole := _plugged().sequences.get(name), Sequence):
        return _completed(name, whole, receiving)
    stages = (make_stage(stage) for stage in (*stages_of(name), "set_success"))
    return Sequence(name, [receiving, *stages])


def _completed(name: str, whole: Sequence, receiving: Stage) -> Sequence:
    """A sequence of a plugin, with a stage that receives the model unless it has one itself."""
    from turnkeyml.build.stage import MODEL, Sequence

    stages = list(whole)
    first = [] if stages and MODEL in stages[0].needs else [receiving]
    last = [] if stages and stages[-1].name == "set_success" else [make_stage("set_success")]
    return Sequence(name, [*first, *stages, *last])


def buildable_precisions() -> list[str]:
    """The precisions that sequences build files in."""
    return list(dict.fromkeys(p for found in SEQUENCES.values() for p in found.precisions))


def sequence_with(precisions: Iterable[str]) -> str:
    """The name of the shortest sequence that builds a file in each of these precisions."""
    wanted = set(precisions)
    known = buildable_precisions()
    fitting = [name for name, found in SEQUENCES.items() if wanted <= set(found.precisions)]
    if not fitting:
        raise UsageError(
            f"No sequence builds {' and '.join(sorted(wanted))}; choose from: {', '.join(known)}."
        )
    return min(fitting, key=lambda name: len(SEQUENCES[name].stages))


def make_stage(name: str) -> Stage:
    """The stage of that name, from the file of that name."""
    from turnkeyml.build.stage import Stage

    if name not in _built_in_stages():
        return _plugged().stages[name]()
    module = import_module(f"turnkeyml.build.stages.{name}")
    kinds = [k for k in vars(module).values() if isinstance(k, type) and issubclass(k, Stage)]
    stage: Stage = next(k for k in kinds if k.__module__ == module.__name__)()
    return stage


def check_file(path: str) -> None:
    """Raise a usage error if a sequence file is invalid, without running it."""
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


def load_sequence_file(path: str) -> Sequence:
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
    """A sequence as text, from which another process can load it with ``unpickle``."""
    try:
        return base64.b64encode(pickle.dumps(sequence)).decode()
    except Exception as error:
        raise UsageError(
            f"The sequence {sequence.name!r} cannot be pickled ({describe(error)}); "
            "define its stages at the top level of a module."
        ) from error


def unpickle_sequence(text: str, main: str | None) -> Sequence:
    """The sequence that ``pickle_sequence`` wrote; ``main`` is the script with its classes."""
    if main is not None:
        from multiprocessing import spawn

        spawn._fixup_main_from_path(main)  # type: ignore[attr-defined]
    try:
        sequence: Sequence = pickle.loads(base64.b64decode(text))
    except Exception as error:
        raise UsageError(f"The sequence cannot be unpickled: {describe(error)}.") from error
    return sequence
