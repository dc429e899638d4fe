"""Keras's answers to the questions of the register of calls."""

from __future__ import annotations

import sys
from typing import Any

from turnkeyml.build import Subject
from turnkeyml.frameworks.keras import identity, models
from turnkeyml.frameworks.keras.subject import KerasSubject
from turnkeyml.frameworks.register import Call
from turnkeyml.nouns import InvocationRecord


class KerasKind:
    """Implements ``frameworks.register.ModelKind``."""

    model_type = models.MODEL_TYPE

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth

    def is_model(self, target: Any) -> bool:
        return models.is_model(target)

    def is_weightless(self, target: Any) -> bool:
        own = type(target).__module__ == "__main__"
        return own and isinstance(target, sys.modules["keras"].Model) and not target.weights

    def text(self, target: Any) -> str:
        return identity.model_text(target)

    def fingerprint(self, target: Any) -> str:
        return identity.model_fingerprint(target)

    def name(self, call: Call) -> str:
        from turnkeyml.frameworks.torch.stack import find_name

        return find_name(call.frame, call.target, call.called) or type(call.target).__name__

    def location(self, call: Call) -> tuple[str, int]:
        from turnkeyml.frameworks.torch.stack import location

        return location(call.frame)

    def parameters(self, target: Any) -> tuple[int, int]:
        return models.count_weights(target)

    def remarks(self, call: Call) -> tuple[str, ...]:
        remark = "--max-depth is for PyTorch models only; the layers of this one are not listed."
        return (remark,) * (self._max_depth > 0)

    def keep(self, target: Any) -> _Kept:
        return _Kept(target)

    def obstacle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        return models.obstacle(args, kwargs)

    def subject(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Subject:
        return KerasSubject(record, model, args, kwargs)


class RememberedKind(KerasKind):
    """Answers for a call that is entered after its frame has gone on."""

    def __init__(self, max_depth: int, call: Call) -> None:
        super().__init__(max_depth)
        self._name = super().name(call)
        self._location = super().location(call)

    def name(self, call: Call) -> str:
        return self._name

    def location(self, call: Call) -> tuple[str, int]:
        return self._location


class _Kept:
    """Keeps a model alive: its layers refer to it, so that the script cannot free it at once."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def model(self) -> Any:
        return self._model
