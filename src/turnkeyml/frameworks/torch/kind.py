"""What the register of calls asks about PyTorch models."""

from __future__ import annotations

from typing import Any

from turnkeyml.build.subject import Subject
from turnkeyml.frameworks.register import Call
from turnkeyml.frameworks.torch import identity, modules, stack
from turnkeyml.frameworks.torch.keep import TorchKeeper
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import InvocationRecord

__all__ = ["TORCH"]


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
        if call.around is not None:
            return modules.name_inside(call.around, call.target)
        found = stack.find_name(call.frame, call.target, call.called)
        return found or type(call.target).__name__

    def location(self, call: Call) -> tuple[str, int]:
        return ("", 0) if call.around is not None else stack.location(call.frame)

    def parameters(self, target: Any) -> tuple[int, int]:
        return modules.sizes(target)

    def remarks(self, call: Call) -> tuple[str, ...]:
        compiled = call.target is not call.called or call.target._compiled_call_impl is not None
        return ("The script compiles it; the original is built and measured.",) * compiled

    def keep(self, target: Any) -> TorchKeeper:
        return TorchKeeper(target)

    def obstacle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        return modules.obstacle(args, kwargs)

    def subject(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Subject:
        return TorchSubject(record, model, args, kwargs)


TORCH = TorchKind()
