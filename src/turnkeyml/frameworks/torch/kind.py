"""PyTorch's answers to the questions of the register of calls."""

from __future__ import annotations

from typing import Any

from turnkeyml.build import Subject
from turnkeyml.frameworks.register import Call
from turnkeyml.frameworks.torch import identity, modules, stack
from turnkeyml.frameworks.torch.entered import entered
from turnkeyml.frameworks.torch.keep import TorchKeeper
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import InvocationRecord


class TorchKind:
    """Implements ``frameworks.register.ModelKind``."""

    model_type = modules.MODEL_TYPE

    def is_model(self, target: Any) -> bool:
        return modules.is_model(target)

    def is_weightless(self, target: Any) -> bool:
        return modules.is_weightless(target)

    def text(self, target: Any) -> str:
        return identity.safe_repr(target)

    def fingerprint(self, target: Any) -> str:
        return identity.model_fingerprint(target)

    def name(self, call: Call) -> str:
        if call.enclosing is not None:
            return modules.submodule_name(call.enclosing, call.target)
        found = stack.find_name(call.frame, call.target, call.called)
        return found or type(call.target).__name__

    def location(self, call: Call) -> tuple[str, int]:
        return ("", 0) if call.enclosing is not None else stack.location(call.frame)

    def parameters(self, target: Any) -> tuple[int, int]:
        return modules.count_parameters(target)

    def remarks(self, call: Call) -> tuple[str, ...]:
        compiled = call.target is not call.called or call.target._compiled_call_impl is not None
        remark = "The script calls torch.compile on it; the original is built and measured."
        return (remark,) * compiled

    def keep(self, target: Any) -> TorchKeeper:
        return TorchKeeper(target)

    def obstacle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        return modules.obstacle(args, kwargs)

    def subject(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Subject:
        return TorchSubject(record, entered(model, record.method), args, kwargs)


TORCH = TorchKind()
