"""The frameworks: one folder per framework, all behind one small interface."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "decoder": "KEPT",
        "framework": "FRAMEWORKS Framework find_framework framework_of frameworks reader_of",
        "hashes": "hash_invocation hash_model",
        "import_hook": "after_import",
        "keras.recorder": "first_batch",
        "onnx.file": "InputType read_inputs read_onnx",
        "register": "Register",
        "sklearn.recorder": "SklearnRecorder",
        "torch.branches": "CallWork TooMuchWork branches_of",
        "torch.reference": "reference_of",
        "torch.rescaled": "rescaled_copy",
        "torch.running": "preserved",
        "torch.submodules": "inner_results",
        "torch.symbolics": "SYMBOLICS",
    },
)
