"""The types in which the layers of a TensorRT network compute.

From TensorRT 10 on a network can be strongly typed: each operator runs in the type that the file
gives it. Version 8 has no such networks. There the flag FP16 allows half precision, and the
operators that the file keeps in fp32 are pinned to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from turnkeyml.runtimes.tensorrt.library import version_of

MOVES = re.compile(
    "CONSTANT|SHAPE|CAST|IDENTITY|SHUFFLE|SLICE|CONCATENATION|GATHER|SELECT|ASSERTION|"
    "RECURRENCE|ITERATOR|LOOP_OUTPUT|TRIP_LIMIT|CONDITION.*"
)
"""The kinds of layers that compute nothing, so that their type follows from their neighbours."""


def network_flags(tensorrt: Any) -> tuple[int, bool]:
    """The flags for a new network, and whether it is strongly typed."""
    kinds = tensorrt.NetworkDefinitionCreationFlag
    if version_of(tensorrt)[0] >= 11:  # every network is
        return 0, True
    if hasattr(kinds, "STRONGLY_TYPED"):
        return 1 << int(kinds.STRONGLY_TYPED), True
    return 1 << int(kinds.EXPLICIT_BATCH), False


def fp32_layers(tensorrt: Any, network: Any) -> list[Any]:
    """The layers that compute in fp32 in a file that has half precision, too.

    A network of version 8 does not know its types: they follow from those of its inputs, its
    constants and its casts.
    """
    types = {tensor.name: tensor.dtype for tensor in _inputs(network)}
    found, has_half = [], tensorrt.float16 in types.values()
    for number in range(network.num_layers):
        layer = network.get_layer(number)
        kind = _result_type(tensorrt, layer, types)
        for tensor in (layer.get_output(i) for i in range(layer.num_outputs)):
            if kind is not None:
                types[tensor.name] = kind
        has_half = has_half or kind == tensorrt.float16
        if kind == tensorrt.float32 and not MOVES.fullmatch(layer.type.name):
            found.append(layer)
    # A file without any half precision would be pinned as a whole, and must not be called fp16.
    return found if has_half else []


def _inputs(network: Any) -> list[Any]:
    return [network.get_input(i) for i in range(network.num_inputs)]


def _result_type(tensorrt: Any, layer: Any, types: Mapping[str, Any]) -> Any:
    """The type that a layer computes in; None if it is not a float, or unknown."""
    kind = layer.type.name
    if layer.num_outputs and layer.output_type_is_set(0):
        return layer.get_output_type(0)
    if kind == "CONSTANT":
        layer.__class__ = tensorrt.IConstantLayer
        # numpy arrays of the types that numpy has, which call the type by the same name
        return {"float32": tensorrt.float32, "float16": tensorrt.float16}.get(
            str(layer.weights.dtype)
        )
    if kind == "CAST":
        layer.__class__ = tensorrt.ICastLayer
        return layer.to_type
    if layer.num_outputs and layer.get_output(0).dtype not in (tensorrt.float32, tensorrt.float16):
        return None
    inputs = [layer.get_input(i) for i in range(layer.num_inputs)]
    floats = [types.get(t.name) for t in inputs if t is not None]
    floats = [t for t in floats if t in (tensorrt.float32, tensorrt.float16)]
    return floats[0] if floats else None
