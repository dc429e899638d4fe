# Written by .ci/doors from the table in __init__.py.
from turnkeyml.build.builder import Built as Built, build as build
from turnkeyml.build.captured_model import (
    CapturedModel as CapturedModel, FEW_SETS_BYTES as FEW_SETS_BYTES, comparable_on as
    comparable_on, differ as differ,
)
from turnkeyml.build.check import check_onnx as check_onnx
from turnkeyml.build.export import ExportPytorch as ExportPytorch
from turnkeyml.build.fingerprint import (
    Code as Code, DEPTH as DEPTH, MOST_VALUES as MOST_VALUES, digest as digest, file_digest as
    file_digest, is_users_file as is_users_file,
)
from turnkeyml.build.fp16.conversion import (
    Kept as Kept, convert_to_float16 as convert_to_float16, largest_magnitudes as
    largest_magnitudes, out_of_range as out_of_range,
)
from turnkeyml.build.fp16.search import (
    Conversion as Conversion, Fp16Search as Fp16Search, MAX_TRIES as MAX_TRIES, STRATEGIES as
    STRATEGIES,
)
from turnkeyml.build.fp16.subgraphs import (
    Exact as Exact, Subgraphs as Subgraphs, verify_subgraphs as verify_subgraphs,
)
from turnkeyml.build.graph_rounding import (
    interpolates as interpolates, moved_by_rounding as moved_by_rounding, nearer as nearer,
    the_same_decision as the_same_decision,
)
from turnkeyml.build.int8 import (
    quantize_dynamically as quantize_dynamically, quantize_statically as quantize_statically,
)
from turnkeyml.build.onnx_facts import (
    folded_shares as folded_shares, operators_of as operators_of, output_operators as
    output_operators, precision_of as precision_of,
)
from turnkeyml.build.onnx_graph import (
    LEAST_EXTERNAL_BYTES as LEAST_EXTERNAL_BYTES, batched_inputs as batched_inputs, copy_model as
    copy_model, data_files as data_files, input_dtypes as input_dtypes, move_weights_out as
    move_weights_out, opset_of as opset_of, read_graph as read_graph, take_out as take_out,
    with_shapes as with_shapes,
)
from turnkeyml.build.onnx_weights import to_float16 as to_float16, widen_bfloat16 as widen_bfloat16
from turnkeyml.build.rescaled import Rescaling as Rescaling, difference as difference
from turnkeyml.build.reuse import (
    SharedBuild as SharedBuild, WantedBuild as WantedBuild, key_of_sequence as key_of_sequence,
    wanted_build as wanted_build, why_rebuild as why_rebuild,
)
from turnkeyml.build.sequences import (
    DEFAULT_ONNX_OPSET as DEFAULT_ONNX_OPSET, SEQUENCES as SEQUENCES, buildable_precisions as
    buildable_precisions, check_file as check_file, check_name as check_name, find_sequence as
    find_sequence, load_sequence_file as load_sequence_file, pickle_sequence as pickle_sequence,
    sequence_names as sequence_names, sequence_with as sequence_with, unpickle_sequence as
    unpickle_sequence,
)
from turnkeyml.build.stage import (
    BuildContext as BuildContext, CONVERTED_TO as CONVERTED_TO, MODEL as MODEL, ONNX as ONNX,
    ONNX_FP32 as ONNX_FP32, Sequence as Sequence, Stage as Stage, WIDENED_FROM as WIDENED_FROM,
)
from turnkeyml.build.stages.optimize_onnx import OptimizeOnnx as OptimizeOnnx
from turnkeyml.build.stages.set_success import SetSuccess as SetSuccess
from turnkeyml.build.submodules import walk as walk
