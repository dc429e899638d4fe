"""ONNX Runtime: its optimizers, its saved models, and its operators."""

from turnkeyml.workarounds.workaround import Workaround

PAD_FUSION = Workaround(
    id="ort_pad_fusion",
    package="onnxruntime",
    seen=("1.20.1", "1.31.1"),
    wrong=(
        "Pad_Fusion fuses a Pad with zeros into the following MaxPool, which pads with "
        "negative infinity: wrong numbers."
    ),
    remedy="We disable it for models where it could change the outputs.",
    where="turnkeyml.runtimes.onnxruntime.session:unsound_optimizers",
    target="Pad_Fusion",
    related="https://github.com/onnx/optimizer/pull/318",
)

MATMUL_ADD_FUSION = Workaround(
    id="ort_matmul_add_fusion_names",
    package="onnxruntime",
    seen=("1.23.2", "1.31.1"),
    wrong=(
        "MatMulAddFusion gives values in a branch names that the main graph already uses, "
        "so the saved model cannot be loaded."
    ),
    remedy="We disable it when we save a model.",
    where="turnkeyml.build.stages.optimize_onnx:OptimizeOnnx",
    target="MatMulAddFusion",
)

SIZES_IN_EXTERNAL_DATA = Workaround(
    id="ort_sizes_in_external_data",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "ONNX Runtime saves the split sizes of a Split as external data and cannot load the "
        "model again."
    ),
    remedy="We move small integer tensors back into the graph.",
    where="turnkeyml.build.onnx_graph:settle_external_data",
    upstream="https://github.com/microsoft/onnxruntime/issues/21325",
)

SOURCE_DATA = Workaround(
    id="ort_saved_model_needs_source_data",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "A saved optimized model may refer to the external data file of its source by a "
        "path relative to another folder."
    ),
    remedy="We write the path of the source, whose data the model shares.",
    where="turnkeyml.build.onnx_graph:settle_external_data",
    upstream="https://github.com/microsoft/onnxruntime/pull/17311",
)

STALE_VALUE_INFO = Workaround(
    id="ort_stale_value_info",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="The value_info of a saved optimized model lists weights that were folded away.",
    remedy="We use only values that a node produces.",
    where="turnkeyml.build.fp16.conversion:_floats",
)

SAVED_WITH_CASTS = Workaround(
    id="ort_half_precision_saved_with_casts",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="A saved optimized float16 model computes in float32 between casts.",
    remedy="We do not optimize models in half precision.",
    where="turnkeyml.build.stages.optimize_onnx:OptimizeOnnx",
    upstream="https://github.com/microsoft/onnxruntime/issues/11831",
)

RANDOM_FLOAT16 = Workaround(
    id="ort_random_float16",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="RandomNormal and RandomUniform have no float16 kernel on the CPU.",
    remedy=(
        "We keep all random operators in float32; RandomNormalLike and RandomUniformLike "
        "would run, with casts that ONNX Runtime adds."
    ),
    where="turnkeyml.build.fp16.conversion:RANDOM_OPERATORS",
    upstream="https://github.com/microsoft/onnxruntime/issues/19252",
)

SCATTER_ELEMENTS_FLOAT16 = Workaround(
    id="ort_scatter_elements_float16",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "ScatterElements of float16 with the reduction add or mul fails on the CPU; with "
        "several threads the process may crash."
    ),
    remedy="We keep it in float32 for every reduction, although max and min would run.",
    where="turnkeyml.build.fp16.conversion:_crashes_in_float16",
    upstream="https://github.com/microsoft/onnxruntime/pull/32025",
)

SCATTER_ND_FLOAT16 = Workaround(
    id="ort_scatter_nd_float16",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "ScatterND of float16 with a reduction fails on the CPU; with several threads the "
        "process may crash."
    ),
    remedy="We keep it in float32.",
    where="turnkeyml.build.fp16.conversion:_crashes_in_float16",
    upstream="https://github.com/microsoft/onnxruntime/pull/32065",
)
