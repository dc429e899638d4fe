"""The frameworks: one folder per framework, all behind one small interface."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "framework": "FRAMEWORKS Framework find_framework framework_of frameworks reader_of",
        "hashes": "hash_invocation hash_model",
        "keras.batches": "first_batch",
        "onnx.declared": "InputType",
        "onnx.file": "read_onnx",
        "onnx.given": "read_inputs",
        "register": "Register",
        "sklearn.importing": "after_import",
        "sklearn.recorder": "Recorder",
        "steps": "KEPT",
        "torch.branches": "TooMuchWork Work course_of",
        "torch.reference": "reference_of",
        "torch.rescaled": "stable_copy",
        "torch.running": "preserved",
        "torch.submodules": "inner_results",
        "torch.symbolics": "SYMBOLICS",
    },
)
