"""ONNX Runtime's converter to float16 (``onnxruntime.transformers.float16``)."""

from turnkeyml.workarounds.workaround import Workaround

CASTS_OUTSIDE_OF_BODIES = Workaround(
    id="float16_casts_outside_of_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Casts for an operator in a branch or loop are put into the graph around it, so that "
        "the model cannot be loaded."
    ),
    remedy="We keep If, Loop and Scan in float32.",
    where="turnkeyml.build.fp16.convert:CONTROL_FLOW",
    related="https://github.com/microsoft/onnxconverter-common/pull/260",
)

SAME_NAMES_IN_BODIES = Workaround(
    id="float16_same_names_in_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="Weights of the same name in two branches, which ONNX allows, fail an assertion.",
    remedy="We keep If, Loop and Scan in float32.",
    where="turnkeyml.build.fp16.convert:CONTROL_FLOW",
)

BLOCKED_BODIES = Workaround(
    id="float16_blocked_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="What the bodies of an If, Loop or Scan in float32 use from around them is not cast.",
    remedy="We cast it.",
    where="turnkeyml.build.fp16.casts:cast_for_bodies",
)

DUPLICATE_CASTS = Workaround(
    id="float16_duplicate_casts",
    package="onnxruntime",
    seen=("1.25.1", "1.31.1"),
    wrong=(
        "Two float32 nodes with the same input get two casts of the same name, so that the "
        "model cannot be loaded."
    ),
    remedy="We remove the repeated cast.",
    where="turnkeyml.build.fp16.casts:tidy",
)

DOWN_AND_UP = Workaround(
    id="float16_down_and_up",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Between two float32 nodes values are cast to float16 and back, where large numbers "
        "become infinite."
    ),
    remedy="We take both casts out.",
    where="turnkeyml.build.fp16.casts:tidy",
    related="https://github.com/microsoft/onnxconverter-common/issues/271",
)

DOWN_AND_UP_AT_INPUTS = Workaround(
    id="float16_down_and_up_at_inputs",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "A graph input that is kept in float32 is cast to float16 and back on its way to a "
        "float32 node."
    ),
    remedy="We take both casts out.",
    where="turnkeyml.build.fp16.casts:tidy",
    related="https://github.com/microsoft/onnxconverter-common/issues/271",
)

TOPOLOGICAL_ORDER = Workaround(
    id="float16_topological_order",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="Casts are put behind the nodes that use them, which ONNX forbids.",
    remedy="We sort the nodes.",
    where="turnkeyml.build.fp16.convert:_convert_graph",
    related="https://github.com/microsoft/onnxconverter-common/issues/240",
)

OPERATORS_WITHOUT_FLOAT16 = Workaround(
    id="float16_operators_without_float16",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Operators that ONNX defines for float32 only, such as Celu, are converted into an "
        "invalid model."
    ),
    remedy="We convert again with the operator that ONNX Runtime names in float32.",
    where="turnkeyml.build.fp16.strategies:keep_unsupported_operator",
)

EXTERNAL_DATA = Workaround(
    id="float16_external_data",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="A model whose weights are in an external file cannot be converted.",
    remedy="We detach such weights and convert them from file to file.",
    where="turnkeyml.build.fp16.weights:detach",
    related="https://github.com/microsoft/onnxconverter-common/issues/308",
)
