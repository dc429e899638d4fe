"""Every bug and missing feature of other packages that we work around, with affected versions.

The code of a workaround names its entry. One test per entry reproduces the bug without our code and
fails once upstream fixes it. ``python -m turnkeyml.workarounds`` prints docs/workarounds.md.

Code that only saves time or memory has no entry, such as our own conversion of weights to float16
or the limit on the number of inputs of a session.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "markdown": "all_workarounds page",
        "onnx_runtime": "MATMUL_ADD_FUSION PAD_FUSION",
        "symbolics": (
            "AS_STRIDED AVG_POOL2D_UNBATCHED BICUBIC_ANTIALIAS BILINEAR_ANTIALIAS COPY CUMMAX "
            "CUMMIN CUMSUM_BOOL DIFF EYE_BOOL FULL_INT GRID_SAMPLER_DOUBLE INDEX_PUT_TYPES "
            "IOR ISIN MAX_POOL2D_UNBATCHED RESIZE_ALIGN_CORNERS RMS_NORM SORT_STABLE "
            "UNSAFE_CHUNK_UNKNOWN_SIZE"
        ),
        "workaround": "Workaround",
    },
)
