"""Costs of an operator: its arithmetic and the bytes that it must move, from real shapes.

They follow from the kind of the operator, from the shapes that its runtime reports, and from the
nodes of the ONNX file, which has the attributes and weights that a profile leaves out. An operator
whose cost does not follow from what is known is unknown; nothing is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.nouns import OperatorTime, TensorShape, Word


class Kind(Word):
    """What an operator does, as far as its cost is concerned."""

    MATMUL = "matrix product"
    CONV = "convolution"
    CONV_TRANSPOSE = "transposed convolution"
    RECURRENT = "recurrent layer"
    ATTENTION = "attention"
    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    SOFTMAX = "softmax"
    NORMALIZATION = "normalization"
    POOL = "pooling"
    CAST = "cast"
    LAYOUT = "layout"
    MOVE = "data movement"
    GATHER = "gather"
    VIEW = "view"
    TRANSFER = "transfer"
    CONTROL = "control flow"
    UNKNOWN = "unknown"


ARITHMETIC = (Kind.MATMUL, Kind.CONV, Kind.CONV_TRANSPOSE, Kind.RECURRENT, Kind.ATTENTION)
"""Kinds whose arithmetic may take longer than moving their data."""


@dataclass(frozen=True)
class SourceNode:
    """A node of the file: its attributes, and the weights among its inputs by their position."""

    attributes: dict[str, Any] = field(default_factory=dict)
    weights: dict[int, TensorShape] = field(default_factory=dict)
    op_type: str = ""
    reads: dict[str, TensorShape] = field(default_factory=dict)
    """Its inputs by their names, in order, as far as the file tells their shapes."""
    writes: dict[str, TensorShape] = field(default_factory=dict)
    """Its outputs in the same way."""


NOTHING = SourceNode()


@dataclass(frozen=True)
class Cost:
    """What one run of an operator needs. None is unknown."""

    flops: float | None
    bytes: float | None
    weight_bytes: float
    precision: str


PER_ELEMENT = {Kind.ELEMENTWISE: 1, Kind.SOFTMAX: 5, Kind.NORMALIZATION: 7}
"""Operations per element of the output, as a plain implementation has them. Such operators move
data for longer than they compute, so that their time hardly depends on it."""
GATES = {"LSTM": 4, "DynamicQuantizeLSTM": 4, "GRU": 3, "RNN": 1}
_SIZES = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "bool": 1, "int4": 0.5}
_SIZES |= {f"{sign}int{bits}": bits / 8 for sign in ("", "u") for bits in (8, 16, 32, 64)}
_PRECISIONS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}
_PRECISIONS |= {"int8": "int8", "uint8": "int8"}
Rule = Callable[[OperatorTime, Sequence[TensorShape], TensorShape], float | None]


def cost_of(operator: OperatorTime, source: SourceNode = NOTHING) -> Cost:
    """The cost of one execution of an operator."""
    kind = kind_of(operator.op_type)
    inputs = _complete(operator, kind, source)
    precision = precision_of(operator)
    flops = _flops(operator, kind, inputs, source)
    weights = sum(nbytes(tensor) for tensor in inputs if tensor.constant)
    moved = _bytes(kind, inputs, operator.outputs)
    if flops is None or moved is None:
        return Cost(None, None, weights, precision)
    return Cost(flops, moved, min(weights, moved), precision)


def _complete(operator: OperatorTime, kind: Kind, source: SourceNode) -> list[TensorShape]:
    """The inputs, with weights that the runtime has packed and so does not report any more."""
    inputs = list(operator.inputs)
    if kind is Kind.MATMUL and operator.outputs and inputs:
        return _with_packed_matrix(operator, inputs)
    known = {(one.dtype, one.shape) for one in inputs}
    for position, weight in sorted(source.weights.items()):
        if (weight.dtype, weight.shape) not in known:
            inputs.insert(min(position, len(inputs)), weight)
    return inputs


def _with_packed_matrix(operator: OperatorTime, inputs: list[TensorShape]) -> list[TensorShape]:
    """Both matrices first. A matrix of which the runtime reports nothing is a packed weight."""
    first = 1 if operator.op_type in ("aten::addmm", "aten::baddbmm") else 0
    left, out = inputs[first], operator.outputs[0]
    rest = inputs[:first] + inputs[first + 1 :]
    right = next((one for one in rest if len(one.shape) >= 2), None)
    if right is not None:
        others = [one for one in rest if one is not right]
        is_weight = right.constant or operator.op_type == "FullyConnected"
        right = TensorShape(right.dtype, right.shape, constant=is_weight)
        return [left, right, *others]
    if not left.shape or not out.shape or not math.prod(out.shape):
        return inputs
    columns = out.shape[-1]
    inner = math.prod(left.shape) * columns // math.prod(out.shape)
    packed = TensorShape(left.dtype, (inner, columns), constant=True)
    return [left, packed, *rest]


def _flops(
    operator: OperatorTime, kind: Kind, inputs: Sequence[TensorShape], source: SourceNode
) -> float | None:
    out = operator.outputs[0] if operator.outputs else None
    if kind in (Kind.VIEW, Kind.CAST, Kind.LAYOUT, Kind.MOVE, Kind.GATHER, Kind.TRANSFER):
        return 0.0
    if operator.op_type == "Einsum":
        return _einsum(source, inputs)
    if out is None or not inputs:
        return None
    if kind in PER_ELEMENT:
        return float(PER_ELEMENT[kind] * math.prod(out.shape))
    rule = _RULES.get(kind)
    return None if rule is None else rule(operator, inputs, out)


def _matmul(
    operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape
) -> float | None:
    if len(inputs) < 2 or not out.shape or not math.prod(out.shape):
        return None
    left, right, size = (math.prod(one.shape) for one in (inputs[0], inputs[1], out))
    columns = out.shape[-1]
    rows = out.shape[-2] if len(out.shape) > 1 else 1
    if len(inputs[1].shape) <= 2:
        inner = right / columns
    elif len(inputs[0].shape) <= 2:
        inner = left / rows
    else:
        inner = math.sqrt(left * right * rows * columns) / size
    dims = {*inputs[0].shape, *inputs[1].shape}
    return 2.0 * size * inner if round(inner) in dims and abs(inner % 1) < 1e-6 else None


def _conv(operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape) -> float | None:
    weight = _kernel(inputs[1:], len(out.shape))
    if weight is None:
        return None
    grouped = len(weight.shape) > len(out.shape)  # OpenVINO's: groups, outputs, inputs, kernel
    channels = math.prod(weight.shape[: 2 if grouped else 1])
    return 2.0 * math.prod(out.shape) * math.prod(weight.shape) / channels


def _kernel(inputs: Sequence[TensorShape], dims: int) -> TensorShape | None:
    """The weight of a convolution: it has as many dimensions as the image, or one more."""
    return next((one for one in inputs if len(one.shape) in (dims, dims + 1)), None)


def _conv_transpose(
    operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape
) -> float | None:
    weight = _kernel(inputs[1:], len(out.shape))
    if weight is None:
        return None
    grouped = len(weight.shape) > len(out.shape)
    channels = math.prod(weight.shape[: 2 if grouped else 1])
    return 2.0 * math.prod(inputs[0].shape) * math.prod(weight.shape) / channels


def _recurrent(
    operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape
) -> float | None:
    gates = GATES.get(operator.op_type)
    if gates is None or len(inputs[0].shape) != 3 or len(out.shape) != 4:
        return None
    steps, batch, features = inputs[0].shape
    directions, hidden = out.shape[1], out.shape[3]
    return 2.0 * steps * batch * directions * gates * hidden * (features + hidden)


def _attention(
    operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape
) -> float | None:
    """Two products: of queries with keys, and of what that gives with values."""
    if len(inputs) < 3 or not all(len(one.shape) in (3, 4) for one in inputs[:3]):
        return None
    query, key, value = (one.shape for one in inputs[:3])
    across = math.prod(query[:-1]) * key[-2]
    return 2.0 * across * (query[-1] + value[-1])


def _read_once(
    operator: OperatorTime, inputs: Sequence[TensorShape], out: TensorShape
) -> float | None:
    return float(math.prod(inputs[0].shape))


def _einsum(source: SourceNode, inputs: Sequence[TensorShape]) -> float | None:
    """Two operations for each combination of all indices of the equation."""
    equation = source.attributes.get("equation")
    text = equation.decode() if isinstance(equation, bytes) else str(equation or "")
    terms = text.split("->")[0].replace(" ", "").split(",")
    if not text or "..." in text or [len(t) for t in terms] != [len(i.shape) for i in inputs]:
        return None
    sizes = {
        x: n for t, i in zip(terms, inputs, strict=True) for x, n in zip(t, i.shape, strict=True)
    }
    return 2.0 * math.prod(sizes.values())


_RULES: dict[Kind, Rule] = {
    Kind.MATMUL: _matmul,
    Kind.CONV: _conv,
    Kind.CONV_TRANSPOSE: _conv_transpose,
    Kind.RECURRENT: _recurrent,
    Kind.ATTENTION: _attention,
    Kind.REDUCTION: _read_once,
    Kind.POOL: _read_once,
}


def _bytes(
    kind: Kind, inputs: Sequence[TensorShape], outputs: Sequence[TensorShape]
) -> float | None:
    """The bytes that an operator must read and write, each of them once."""
    if kind is Kind.VIEW:
        return 0.0
    written = sum(map(nbytes, outputs))
    if kind is Kind.TRANSFER:
        return written if outputs else None
    if kind is Kind.LAYOUT and not (inputs or outputs):
        return None
    if kind in (Kind.GATHER, Kind.MOVE):
        # Of a table or of what is cut, only what is taken is read.
        return 2 * written if outputs else None
    return sum(map(nbytes, inputs)) + written


def nbytes(tensor: TensorShape) -> float:
    """The bytes of a tensor; 0 for types without a fixed size, such as strings."""
    return math.prod(tensor.shape) * _SIZES.get(tensor.dtype, 0)


def precision_of(operator: OperatorTime) -> str:
    """The precision that an operator computes in: that of its first input that has one."""
    for tensor in (*operator.inputs, *operator.outputs):
        if tensor.dtype in _PRECISIONS:
            return _PRECISIONS[tensor.dtype]
    return ""


def read_source(model: Path, with_shapes: bool = False) -> Mapping[str, SourceNode]:
    """The nodes of an ONNX file by name and in order, without reading its weights.

    ``with_shapes`` infers what the nodes read and write, for profiles that do not say it.
    """
    import onnx
    from onnx import helper

    loaded = onnx.load(str(model), load_external_data=False)
    graph = (onnx.shape_inference.infer_shapes(loaded) if with_shapes else loaded).graph
    weights = {
        one.name: TensorShape(_dtype(helper, one.data_type), tuple(one.dims), constant=True)
        for one in graph.initializer
    }
    shapes = {**_shapes(helper, graph), **weights} if with_shapes else {}
    return {
        node.name: SourceNode(
            {a.name: _value(helper, a) for a in node.attribute},
            {n: weights[name] for n, name in enumerate(node.input) if name in weights},
            node.op_type,
            {name: shapes[name] for name in node.input if name in shapes},
            {name: shapes[name] for name in node.output if name in shapes},
        )
        for node in graph.node
        if node.name
    }


def _dtype(helper: Any, number: int) -> str:
    """The name of a dtype in numpy, or ``bfloat16``."""
    return str(helper.tensor_dtype_to_np_dtype(number))


def _shapes(helper: Any, graph: Any) -> dict[str, TensorShape]:
    """The shapes of the values of a graph that are known as numbers."""
    found = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim if dim.HasField("dim_value")]
        if kind.HasField("shape") and len(sizes) == len(kind.shape.dim):
            found[value.name] = TensorShape(_dtype(helper, kind.elem_type), tuple(sizes))
    return found


def _value(helper: Any, attribute: Any) -> Any:
    """The value of an attribute; None for graphs and tensors, which no cost depends on."""
    if attribute.HasField("g") or attribute.HasField("t") or attribute.graphs:
        return None
    return helper.get_attribute_value(attribute)


def kind_of(op_type: str) -> Kind:
    """The kind of an operator by the name that its runtime has for it."""
    return _KINDS.get(op_type.removeprefix("aten::"), Kind.UNKNOWN)


_NAMES = {
    Kind.MATMUL: """
        MatMul Gemm FusedMatMul FusedGemm TransposeMatMul MatMulInteger QLinearMatMul QGemm
        DynamicQuantizeMatMul MatMulIntegerToFloat MatMulNBits FullyConnected
        linear mm addmm bmm matmul baddbmm
    """,
    Kind.CONV: """
        Conv FusedConv NhwcFusedConv QLinearConv ConvInteger Convolution GroupConvolution
        conv1d conv2d conv3d convolution
    """,
    Kind.CONV_TRANSPOSE: """
        ConvTranspose ConvTransposeWithDynamicPads Deconvolution GroupDeconvolution
        ConvolutionBackpropData
    """,
    Kind.RECURRENT: "LSTM GRU RNN DynamicQuantizeLSTM LSTMSequence GRUSequence RNNSequence",
    Kind.ATTENTION: """
        MultiHeadAttention scaled_dot_product_attention ScaledDotProductAttention
        ScaledDotProductAttentionWithKVCache
    """,
    Kind.ELEMENTWISE: """
        Abs Acos Add And Asin Atan BitwiseAnd BitwiseOr BitwiseXor BiasGelu Ceil Celu Clip Cos Cosh
        Div Elu Equal Erf Exp FastGelu Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish IsInf
        IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not Or PRelu Pow
        QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid QuickGelu Reciprocal Relu Round Selu
        Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Where
        Xor QuantizeLinear DequantizeLinear DynamicQuantizeLinear Eltwise Multiply Subtract Divide
        Power Select Clamp HSwish HSigmoid ReLU Math FakeQuantize RotaryEmbedding
        add add_ sub sub_ mul mul_ div div_ relu relu_ gelu silu silu_ sigmoid sigmoid_ tanh tanh_
        exp log sqrt rsqrt pow neg abs clamp clamp_ clamp_min hardswish hardswish_ hardsigmoid
        leaky_relu leaky_relu_ elu where eq ne lt le gt ge maximum minimum masked_fill masked_fill_
        cos sin erf reciprocal addcmul addcdiv hardtanh hardtanh_ logical_and logical_not
        bitwise_and bitwise_not bitwise_or
    """,
    Kind.REDUCTION: """
        ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum
        ReduceLogSumExp ReduceSumSquare ArgMax ArgMin CumSum QLinearReduceMean Reduce
        sum mean amax amin max min argmax argmin var std norm prod any all cumsum
    """,
    Kind.SOFTMAX: "Softmax LogSoftmax QLinearSoftmax softmax log_softmax _softmax",
    Kind.NORMALIZATION: """
        LayerNormalization SkipLayerNormalization SimplifiedLayerNormalization RMSNormalization
        SkipSimplifiedLayerNormalization BatchNormalization InstanceNormalization GroupNorm
        GroupNormalization LpNormalization EmbedLayerNormalization MVN RMSNorm RMS NormalizeL2 LRN
        layer_norm batch_norm group_norm instance_norm rms_norm
    """,
    Kind.POOL: """
        MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool QLinearAveragePool
        QLinearGlobalAveragePool NhwcMaxPool Pooling AvgPool AdaptivePooling
        max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
        adaptive_avg_pool2d adaptive_max_pool2d
    """,
    Kind.CAST: "Cast CastLike Convert to _to_copy type_as half float bfloat16",
    Kind.LAYOUT: """
        Transpose ReorderInput ReorderOutput Reorder Reformat ShuffleChannels DepthToSpace
        SpaceToDepth contiguous
    """,
    Kind.MOVE: """
        Concat QLinearConcat Pad Resize Upsample Expand Tile Split SplitToSequence Slice Compress
        Concatenation StridedSlice Interpolate Broadcast Copy ScatterND
        ScatterElements ScatterNDUpdate ScatterElementsUpdate Unfold Col2Im Roll ConstantOfShape
        cat stack pad upsample_nearest2d upsample_bilinear2d interpolate repeat clone copy_ roll
        constant_pad_nd tile
    """,
    Kind.GATHER: """
        Gather GatherElements GatherND GatherBlockQuantized embedding index index_select gather
    """,
    Kind.VIEW: """
        Reshape Squeeze Unsqueeze Flatten Identity Dropout Shape Size Constant Parameter Result
        Input Output Const
        view reshape transpose permute t expand slice select unsqueeze squeeze flatten as_strided
        detach split chunk unbind narrow alias dropout view_as expand_as unflatten movedim
        resolve_conj size unsafe_split
    """,
    Kind.TRANSFER: "MemcpyToHost MemcpyFromHost",
    Kind.CONTROL: "If Loop Scan SequenceMap TensorIterator",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_KINDS |= dict.fromkeys(("Memcpy HtoD", "Memcpy DtoH"), Kind.TRANSFER)
