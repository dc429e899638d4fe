# Written by .ci/doors from the table in __init__.py.
from turnkeyml.workarounds.markdown import all_workarounds as all_workarounds, page as page
from turnkeyml.workarounds.onnx_runtime import (
    MATMUL_ADD_FUSION as MATMUL_ADD_FUSION, PAD_FUSION as PAD_FUSION,
)
from turnkeyml.workarounds.workaround import Workaround as Workaround
