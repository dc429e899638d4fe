"""ONNX Runtime's float16 converter (``onnxruntime.transformers.float16``)."""

from turnkeyml.workarounds.workaround import Workaround

CASTS_OUTSIDE_OF_BODIES = Workaround(
    id="float16_casts_outside_of_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Casts for an operator in the body of a branch or loop are inserted into the main "
        "graph, so the model cannot be loaded."
    ),
    remedy="We keep If, Loop and Scan in float32.",
    where="turnkeyml.build.fp16.conversion:CONTROL_FLOW",
    related="https://github.com/microsoft/onnxconverter-common/pull/260",
)

SAME_NAMES_IN_BODIES = Workaround(
    id="float16_same_names_in_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="Weights of the same name in two branches, which ONNX allows, raise an AssertionError.",
    remedy="We keep If, Loop and Scan in float32.",
    where="turnkeyml.build.fp16.conversion:CONTROL_FLOW",
)

BLOCKED_BODIES = Workaround(
    id="float16_blocked_bodies",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "If an If, Loop or Scan stays in float32, the outer values that its bodies use are "
        "not cast."
    ),
    remedy="We cast them.",
    where="turnkeyml.build.fp16.conversion:cast_for_bodies",
)

DUPLICATE_CASTS = Workaround(
    id="float16_duplicate_casts",
    package="onnxruntime",
    seen=("1.25.1", "1.31.1"),
    wrong=(
        "Two float32 nodes with the same input get two casts of the same name, so the "
        "model cannot be loaded."
    ),
    remedy="We remove the duplicate cast.",
    where="turnkeyml.build.fp16.conversion:remove_redundant_casts",
)

DOWN_AND_UP = Workaround(
    id="float16_down_and_up",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Values between two float32 nodes are cast to float16 and back, so large numbers "
        "become infinite."
    ),
    remedy="We remove both casts.",
    where="turnkeyml.build.fp16.conversion:remove_redundant_casts",
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
    remedy="We remove both casts.",
    where="turnkeyml.build.fp16.conversion:remove_redundant_casts",
    related="https://github.com/microsoft/onnxconverter-common/issues/271",
)

TOPOLOGICAL_ORDER = Workaround(
    id="float16_topological_order",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="Casts are inserted after the nodes that use them, which ONNX does not allow.",
    remedy="We sort the nodes topologically.",
    where="turnkeyml.build.fp16.conversion:_convert_graph",
    related="https://github.com/microsoft/onnxconverter-common/issues/240",
)

OPERATORS_WITHOUT_FLOAT16 = Workaround(
    id="float16_operators_without_float16",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong=(
        "Operators that ONNX defines for float32 only, such as Celu, are converted to "
        "float16, so the model is invalid."
    ),
    remedy="We convert again and keep the operator that ONNX Runtime reports in float32.",
    where="turnkeyml.build.fp16.search:keep_unsupported_operator",
)

EXTERNAL_DATA = Workaround(
    id="float16_external_data",
    package="onnxruntime",
    seen=("1.18.0", "1.31.1"),
    wrong="A model whose weights are in an external file cannot be converted.",
    remedy="We detach such weights and convert them from file to file.",
    where="turnkeyml.build.onnx_weights:detach",
    related="https://github.com/microsoft/onnxconverter-common/issues/308",
)
