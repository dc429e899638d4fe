"""The import path of the errors that plugins raise."""

from turnkeyml.errors import BuildError as StageError
from turnkeyml.errors import MeasureError as BenchmarkException
from turnkeyml.errors import MeasureError as ModelRuntimeError
from turnkeyml.errors import UsageError as ArgError

__all__ = ["ArgError", "BenchmarkException", "ModelRuntimeError", "StageError"]
