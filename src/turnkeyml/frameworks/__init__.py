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
        "torch.course": "TooMuchWork Work course_of",
        "torch.inner": "inner_results",
        "torch.preserved": "preserved",
        "torch.reference": "reference_of",
        "torch.stable": "stable_copy",
        "torch.symbolics": "SYMBOLICS",
    },
)
