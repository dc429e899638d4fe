# Written by .ci/doors from the table in __init__.py.
from turnkeyml.workarounds.markdown import all_workarounds as all_workarounds, page as page
from turnkeyml.workarounds.onnx_runtime import (
    MATMUL_ADD_FUSION as MATMUL_ADD_FUSION, PAD_FUSION as PAD_FUSION,
)
from turnkeyml.workarounds.symbolics import (
    AS_STRIDED as AS_STRIDED, AVG_POOL2D_UNBATCHED as AVG_POOL2D_UNBATCHED, BICUBIC_ANTIALIAS as
    BICUBIC_ANTIALIAS, BILINEAR_ANTIALIAS as BILINEAR_ANTIALIAS, COPY as COPY, CUMMAX as CUMMAX,
    CUMMIN as CUMMIN, CUMSUM_BOOL as CUMSUM_BOOL, DIFF as DIFF, EYE_BOOL as EYE_BOOL, FULL_INT as
    FULL_INT, GRID_SAMPLER_DOUBLE as GRID_SAMPLER_DOUBLE, INDEX_PUT_TYPES as INDEX_PUT_TYPES, IOR
    as IOR, ISIN as ISIN, MAX_POOL2D_UNBATCHED as MAX_POOL2D_UNBATCHED, RESIZE_ALIGN_CORNERS as
    RESIZE_ALIGN_CORNERS, RMS_NORM as RMS_NORM, SORT_STABLE as SORT_STABLE,
    UNSAFE_CHUNK_UNKNOWN_SIZE as UNSAFE_CHUNK_UNKNOWN_SIZE,
)
from turnkeyml.workarounds.workaround import Workaround as Workaround
