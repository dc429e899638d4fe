"""A live PyTorch model with the arguments of one call, as a script or a user of the API gave it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import torch

from turnkeyml import structure
from turnkeyml.build import CapturedModel, Stage, digest
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.torch import modules
from turnkeyml.frameworks.torch.branches import Branches, CallWork, branches_of
from turnkeyml.frameworks.torch.modules import safe_repr
from turnkeyml.frameworks.torch.reference import (
    COSTLY_FLOPS_OF_SET,
    count_operations,
    precision_name,
    reference_of,
    reference_on,
)
from turnkeyml.frameworks.torch.running import ModelState, eval_mode, preserved
from turnkeyml.frameworks.torch.wrappers import input_names
from turnkeyml.nouns import InvocationRecord, OperationCount
from turnkeyml.runtimes import LiveModel, from_numpy
from turnkeyml.verify import Outputs, Reference


class TorchSubject(CapturedModel):
    """A ``torch.nn.Module`` with recorded arguments as the subject of a build."""

    framework = "torch"

    def __init__(
        self,
        record: InvocationRecord,
        model: torch.nn.Module,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        super().__init__(record)
        self.model = model
        self.args = args
        self.kwargs = kwargs
        self._state: ModelState | None = None
        """That in which the script left the model."""

    @property
    def precision(self) -> str:
        return precision_name(self.model)

    def key(self, opset: int) -> dict[str, str]:
        arguments = structure.constants((self.args, self.kwargs))
        return {
            "opset": str(opset),
            "other inputs": digest(arguments),
            "model": modules.model_fingerprint(self.model),
            "weights": modules.weights_digest(self.model),
        }

    def compute_reference(self, threads: int) -> Reference:
        names = input_names(self.model, self.args, self.kwargs)
        self._state = ModelState(self.model)
        return reference_of(self.model, self.args, self.kwargs, names)

    def compute_on(self, inputs: Outputs) -> Reference:
        with preserved(self.model, self._state):
            arguments = self._arguments(inputs)
            return reference_on(self.model, *arguments, inputs, costly=self._is_costly)

    @functools.cached_property
    def operation_count(self) -> OperationCount | None:  # type: ignore[override]
        return count_operations(self.model, self.args, self.kwargs)

    @property
    def _is_costly(self) -> bool:
        """Whether it takes long to run it in another precision on several sets of inputs."""
        count = self.operation_count
        return count is None or count.flops > COSTLY_FLOPS_OF_SET

    def branches_on(self, inputs: Outputs, most: CallWork | None = None) -> Branches:
        """What the model reads of these inputs and runs; ``TooMuchWork`` beyond ``most``.

        Watched, a model may compute in another way than it does otherwise, so that only its
        branches are of use, not its outputs.
        """
        args, kwargs = structure.clone(self._arguments(inputs))
        tensors = structure.leaves((args, kwargs)).values()
        with preserved(self.model), torch.no_grad(), eval_mode(self.model):
            return branches_of(lambda: self.model(*args, **kwargs), self.model, tensors, most)

    def _arguments(self, inputs: Outputs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The recorded arguments with other tensors."""
        arrays = iter(inputs.items())

        def replaced(_: str, tensor: Any) -> Any:
            return from_numpy(*next(arrays), like=tensor)

        args, kwargs = structure.replace((self.args, self.kwargs), replaced)
        return args, kwargs

    @property
    def unbuildable(self) -> str | None:
        if structure.leaves((self.args, self.kwargs)):
            return None
        return (
            "it has no tensor inputs, so that an ONNX file of it would be a constant; "
            "--runtime torch-eager measures it"
        )

    def receiving_stage(self) -> Stage:
        from turnkeyml.frameworks.torch.export import ExportPytorch

        return ExportPytorch()

    @contextlib.contextmanager
    def live(self) -> Iterator[LiveModel]:
        """The model in eval mode; the thread count of the process is restored afterwards."""
        threads = torch.get_num_threads()
        try:
            with eval_mode(self.model):
                yield LiveModel(self.model, self.args, self.kwargs)
        finally:
            torch.set_num_threads(threads)


def subject_of(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TorchSubject:
    """A live model with the arguments of one call; the caller names its build."""
    model = modules.original_of(model)
    named = structure.name_arguments(args, kwargs)
    tensors = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
    shapes, dtypes = structure.shapes(tensors), structure.dtypes(tensors)
    model_hash = hash_model(safe_repr(model))
    parameters, parameter_bytes = modules.count_parameters(model)
    record = InvocationRecord(
        name=type(model).__name__,
        model_type=modules.MODEL_TYPE,
        class_name=type(model).__name__,
        class_repr=str(type(model)),
        file="",
        line=0,
        parameters=parameters,
        parameter_bytes=parameter_bytes,
        model_hash=model_hash,
        hash=hash_invocation(model_hash, None, shapes, dtypes),
        parent_hash=None,
        depth=0,
        shapes=shapes,
        dtypes=dtypes,
        build_name="",
    )
    return TorchSubject(record, model, args, kwargs)
