"""The kinds of operators: which names of which runtimes do the same sort of work."""

from __future__ import annotations

from turnkeyml.nouns import Word


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


def kind_of(op_type: str) -> Kind:
    """The kind of an operator by the name that its runtime has for it."""
    return _KINDS.get(op_type.removeprefix("aten::"), Kind.UNKNOWN)
