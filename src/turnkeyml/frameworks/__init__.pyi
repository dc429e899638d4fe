# Written by .ci/doors from the table in __init__.py.
from turnkeyml.frameworks.decoder import KEPT as KEPT
from turnkeyml.frameworks.framework import (
    FRAMEWORKS as FRAMEWORKS, Framework as Framework, find_framework as find_framework,
    framework_of as framework_of, frameworks as frameworks, reader_of as reader_of,
)
from turnkeyml.frameworks.hashes import (
    hash_invocation as hash_invocation, hash_model as hash_model,
)
from turnkeyml.frameworks.import_hook import after_import as after_import
from turnkeyml.frameworks.keras.recorder import first_batch as first_batch
from turnkeyml.frameworks.onnx.file import (
    InputType as InputType, read_inputs as read_inputs, read_onnx as read_onnx,
)
from turnkeyml.frameworks.register import Register as Register
from turnkeyml.frameworks.sklearn.recorder import SklearnRecorder as SklearnRecorder
from turnkeyml.frameworks.torch.branches import (
    CallWork as CallWork, TooMuchWork as TooMuchWork, branches_of as branches_of,
)
from turnkeyml.frameworks.torch.reference import reference_of as reference_of
from turnkeyml.frameworks.torch.rescaled import rescaled_copy as rescaled_copy
from turnkeyml.frameworks.torch.running import preserved as preserved
from turnkeyml.frameworks.torch.submodules import inner_results as inner_results
from turnkeyml.frameworks.torch.symbolics import SYMBOLICS as SYMBOLICS
