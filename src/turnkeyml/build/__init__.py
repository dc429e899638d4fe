"""From an Invocation to a Build: stages, sequences, verification."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "builder": "Built build",
        "captured_model": "CapturedModel FEW_SETS_BYTES comparable_on differ",
        "check": "check_onnx",
        "export": "ExportPytorch",
        "fingerprint": "Code DEPTH MOST_VALUES digest file_digest is_users_file",
        "fp16.conversion": "Kept convert_to_float16 largest_magnitudes out_of_range",
        "fp16.search": "Conversion Fp16Search MAX_TRIES STRATEGIES",
        "fp16.subgraphs": "Exact Subgraphs verify_subgraphs",
        "graph_rounding": "interpolates moved_by_rounding nearer the_same_decision",
        "int8": "quantize_dynamically quantize_statically",
        "onnx_facts": "folded_shares operators_of output_operators precision_of",
        "onnx_graph": (
            "LEAST_EXTERNAL_BYTES batched_inputs copy_model data_files input_dtypes "
            "move_weights_out opset_of read_graph take_out with_shapes"
        ),
        "onnx_weights": "to_float16 widen_bfloat16",
        "rescaled": "Rescaling difference",
        "reuse": "SharedBuild WantedBuild key_of_sequence wanted_build why_rebuild",
        "sequences": (
            "DEFAULT_ONNX_OPSET SEQUENCES buildable_precisions check_file check_name "
            "find_sequence load_sequence_file pickle_sequence sequence_names sequence_with "
            "unpickle_sequence"
        ),
        "stage": "BuildContext CONVERTED_TO MODEL ONNX ONNX_FP32 Sequence Stage WIDENED_FROM",
        "stages.optimize_onnx": "OptimizeOnnx",
        "stages.set_success": "SetSuccess",
        "submodules": "walk",
    },
)
