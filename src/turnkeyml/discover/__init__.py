"""Finding input files, and the invocations in each of them."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "inputs": (
            "did_you_mean find_inputs is_input_name parse_filter read_labels shipped_corpora "
            "shipped_models shipped_named shipped_names similar_names"
        ),
        "invocations": "find_invocations",
        "script": "finish_like_python",
        "sweep": "file_inputs parse_shapes parse_sweep script_words",
    },
)
