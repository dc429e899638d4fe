"""Operators that PyTorch's TorchScript exporter lacks or exports incorrectly."""

from turnkeyml.workarounds.workaround import Workaround

IOR = Workaround(
    id="torchscript_ior",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::__ior_` (`mask |= other`).",
    remedy="We use torch's symbolic for `__or_`.",
    where="turnkeyml.frameworks.torch.symbolics:SYMBOLICS",
    target="__ior_",
    related="https://github.com/pytorch/pytorch/issues/159072",
)

BICUBIC_ANTIALIAS = Workaround(
    id="torchscript_bicubic_antialias",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::_upsample_bicubic2d_aa`.",
    remedy="We write a Resize with antialiasing.",
    where="turnkeyml.frameworks.torch.symbolics:_antialiased_resize",
    target="_upsample_bicubic2d_aa",
    upstream="https://github.com/pytorch/pytorch/issues/119232",
)

BILINEAR_ANTIALIAS = Workaround(
    id="torchscript_bilinear_antialias",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::_upsample_bilinear2d_aa`.",
    remedy="We write a Resize with antialiasing.",
    where="turnkeyml.frameworks.torch.symbolics:_antialiased_resize",
    target="_upsample_bilinear2d_aa",
    upstream="https://github.com/pytorch/pytorch/issues/121623",
)

AS_STRIDED = Workaround(
    id="torchscript_as_strided",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter exports `as_strided` as if its input were contiguous: "
        "wrong numbers without a warning."
    ),
    remedy="We transpose the input into the order of its memory first.",
    where="turnkeyml.frameworks.torch.symbolics:_as_strided",
    target="as_strided",
    related="https://github.com/pytorch/pytorch/issues/90607",
)

AVG_POOL2D_UNBATCHED = Workaround(
    id="torchscript_avg_pool2d_unbatched",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter writes `avg_pool2d` of (C, H, W) as a pooling of rank 3, "
        "which ONNX interprets as one-dimensional pooling."
    ),
    remedy="We add a batch dimension.",
    where="turnkeyml.frameworks.torch.symbolics:_unbatched",
    target="avg_pool2d",
    related="https://github.com/microsoft/onnxruntime/issues/11635",
)

COPY = Workaround(
    id="torchscript_copy",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter has no symbolic for `aten::copy`, which `cache.copy_(x)` "
        "is traced as."
    ),
    remedy="We write a Cast and an Expand.",
    where="turnkeyml.frameworks.torch.symbolics:_copy",
    target="copy",
)

CUMMAX = Workaround(
    id="torchscript_cummax",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::cummax`.",
    remedy="We write a masked ReduceMax over the last dimension.",
    where="turnkeyml.frameworks.torch.symbolics:_cumulative_extreme",
    target="cummax",
)

CUMMIN = Workaround(
    id="torchscript_cummin",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::cummin`.",
    remedy="We write a masked ReduceMin over the last dimension.",
    where="turnkeyml.frameworks.torch.symbolics:_cumulative_extreme",
    target="cummin",
)

CUMSUM_BOOL = Workaround(
    id="torchscript_cumsum_bool",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter writes `cumsum` of booleans as a CumSum of booleans, which "
        "ONNX does not allow."
    ),
    remedy="We cast booleans to integers first.",
    where="turnkeyml.frameworks.torch.symbolics:_cumsum",
    target="cumsum",
    upstream="https://github.com/pytorch/pytorch/issues/82870",
)

DIFF = Workaround(
    id="torchscript_diff",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::diff`.",
    remedy="We write two Slices and a Sub.",
    where="turnkeyml.frameworks.torch.symbolics:_diff",
    target="diff",
)

EYE_BOOL = Workaround(
    id="torchscript_eye_bool",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "The TorchScript exporter writes a boolean `torch.eye` as a boolean EyeLike, for "
        "which ONNX Runtime has no kernel."
    ),
    remedy="We write a constant.",
    where="turnkeyml.frameworks.torch.symbolics:_eye",
    target="eye",
)

FULL_INT = Workaround(
    id="torchscript_full_int",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter writes `torch.full(traced_shape, 3)` as float32 instead of int64."
    ),
    remedy="We cast to the type of the traced result.",
    where="turnkeyml.frameworks.torch.symbolics:_full",
    target="full",
)

GRID_SAMPLER_DOUBLE = Workaround(
    id="torchscript_grid_sampler_double",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter writes `linspace` with a traced number of steps as "
        "float64, so the grid and the image of GridSample have different dtypes."
    ),
    remedy="We cast the grid to the type of the image.",
    where="turnkeyml.frameworks.torch.symbolics:_grid_sampler",
    target="grid_sampler",
)

INDEX_PUT_TYPES = Workaround(
    id="torchscript_index_put_types",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter does not cast the values of `index_put`, so values from "
        "`linspace` give a ScatterND with two dtypes."
    ),
    remedy="We cast the values to the type of the tensor.",
    where="turnkeyml.frameworks.torch.symbolics:_index_put",
    target="index_put",
)

ISIN = Workaround(
    id="torchscript_isin",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::isin`.",
    remedy="We compare each element with all test elements.",
    where="turnkeyml.frameworks.torch.symbolics:_isin",
    target="isin",
)

MAX_POOL2D_UNBATCHED = Workaround(
    id="torchscript_max_pool2d_unbatched",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter writes `max_pool2d` of (C, H, W) as a pooling of rank 3, "
        "which ONNX interprets as one-dimensional pooling."
    ),
    remedy="We add a batch dimension.",
    where="turnkeyml.frameworks.torch.symbolics:_unbatched",
    target="max_pool2d",
    upstream="https://github.com/microsoft/onnxruntime/issues/11635",
)

RMS_NORM = Workaround(
    id="torchscript_rms_norm",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter has no symbolic for `aten::rms_norm`.",
    remedy="We write its arithmetic.",
    where="turnkeyml.frameworks.torch.symbolics:_rms_norm",
    target="rms_norm",
    upstream="https://github.com/pytorch/pytorch/issues/159249",
)

SORT_STABLE = Workaround(
    id="torchscript_sort_stable",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter mistakes the `stable` argument of `sort` for `out` and fails."
    ),
    remedy="We write a TopK.",
    where="turnkeyml.frameworks.torch.symbolics:_sort",
    target="sort",
    upstream="https://github.com/pytorch/pytorch/issues/95613",
)

UNSAFE_CHUNK_UNKNOWN_SIZE = Workaround(
    id="torchscript_unsafe_chunk_unknown_size",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter fails on `unsafe_chunk` along a dimension of dynamic size.",
    remedy="We write a Split by the number of outputs.",
    where="turnkeyml.frameworks.torch.symbolics:_chunk",
    target="unsafe_chunk",
    upstream="https://github.com/pytorch/pytorch/issues/97861",
)

RESIZE_ALIGN_CORNERS = Workaround(
    id="resize_antialias_align_corners",
    package="onnx",
    seen=("1.23.2", "1.23.2"),
    wrong="ONNX defines Resize with antialiasing and `align_corners` differently from PyTorch.",
    remedy="We reject it, so that the other exporter is tried.",
    where="turnkeyml.frameworks.torch.symbolics:_antialiased_resize",
)
