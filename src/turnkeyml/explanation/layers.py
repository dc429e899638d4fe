"""Layers of which a profiler knows the names alone: which nodes of the file are they made of?

TensorRT names a layer after the nodes that it has fused into it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from turnkeyml.explanation.kinds import Kind, kind_of
from turnkeyml.explanation.roofline import module_of
from turnkeyml.explanation.source import SourceNode
from turnkeyml.nouns import LAYER, OperatorTime, Profile, TensorShape

FUSED = "Fused subgraph"
HEAVY = (Kind.MATMUL, Kind.CONV, Kind.CONV_TRANSPOSE, Kind.ATTENTION, Kind.RECURRENT)
_SEPARATORS = re.compile(r" \+ |\|\||, |\.\.\.|[(){}\[\]]")
_REFORMAT = re.compile(r"Reformatting CopyNode for (Input|Output) Tensor (\d+) to (.*)", re.S)


def with_nodes(profile: Profile, source: Mapping[str, SourceNode]) -> Profile:
    """The same profile, whose layers have the types and shapes of the nodes in their names."""
    operators = [_layer(one, source) if one.op_type == LAYER else one for one in profile.operators]
    return replace(profile, operators=tuple(operators))


def _layer(layer: OperatorTime, source: Mapping[str, SourceNode]) -> OperatorTime:
    copied = _REFORMAT.match(layer.name)
    if copied:
        return _reformat(layer, copied, source)
    names = _names(layer.name, source)
    heavy = [name for name in names if kind_of(source[name].op_type) in HEAVY]
    if "ForeignNode" in layer.name or len(heavy) > 1:
        return replace(layer, op_type=FUSED, module=module_of(names[0]) if names else "")
    if not names:
        return layer
    main = heavy[0] if heavy else names[-1]
    node, last = source[main], source[names[-1]]
    return replace(
        layer,
        op_type=node.op_type,
        module=module_of(main),
        inputs=_inputs(main, names, source),
        outputs=tuple(last.writes.values()),
    )


def _names(text: str, source: Mapping[str, SourceNode]) -> list[str]:
    """The nodes in the name of a layer, in the order of the file."""
    words = {word.strip() for word in _SEPARATORS.split(text)}
    return [name for name in source if name in words]


def _inputs(
    main: str, names: Sequence[str], source: Mapping[str, SourceNode]
) -> tuple[TensorShape, ...]:
    """What the main node of a layer reads, then what the others read from outside of it."""
    written = {value for name in names for value in source[name].writes}
    found = dict(source[main].reads)
    for name in names:
        found |= {v: t for v, t in source[name].reads.items() if v not in written}
    return tuple(found.values())


def _reformat(
    layer: OperatorTime, copied: re.Match[str], source: Mapping[str, SourceNode]
) -> OperatorTime:
    """A copy of a tensor into another layout or precision, before or after a layer."""
    side, number, target = copied[1], int(copied[2]), copied[3]
    names = _names(target, source)
    tensors: list[TensorShape] = []
    if names:
        node = source[names[0] if side == "Input" else names[-1]]
        tensors = [*(node.reads if side == "Input" else node.writes).values()]
    known = tuple(tensors[number : number + 1])
    return replace(layer, op_type="Reformat", inputs=known, outputs=known)
