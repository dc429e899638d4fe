"""What is to be built: an invocation with the live things that belong to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.nouns import InvocationRecord

if TYPE_CHECKING:
    import numpy as np

    from turnkeyml.verify.reference import Reference

__all__ = ["Subject"]


@dataclass
class Subject:
    """A live model with the arguments of one call, or an ONNX file with inputs for it."""

    record: InvocationRecord
    model: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    onnx_file: Path | None = None
    onnx_inputs: dict[str, np.ndarray] = field(default_factory=dict)
    script: str | None = None
    """The script that it came from, where there is one."""
    _reference: Reference | None = None

    @property
    def is_onnx(self) -> bool:
        return self.onnx_file is not None

    def reference(self, threads: int) -> Reference:
        """What the original computes; computed once."""
        if self._reference is None:
            from turnkeyml.verify import reference

            if self.onnx_file is not None:
                self._reference = reference.of_onnx(self.onnx_file, self.onnx_inputs, threads)
            else:
                from turnkeyml.frameworks.torch.flattened import input_names

                names = input_names(self.model, self.args, self.kwargs)
                self._reference = reference.of_torch(self.model, self.args, self.kwargs, names)
        return self._reference
