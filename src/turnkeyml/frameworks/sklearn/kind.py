"""Scikit-learn's answers to the questions of the register of calls."""

from __future__ import annotations

import functools
import os
import sys
from types import FrameType
from typing import Any

from turnkeyml.build import Subject
from turnkeyml.frameworks.register import Call
from turnkeyml.frameworks.sklearn import estimators
from turnkeyml.frameworks.sklearn.subject import SklearnSubject
from turnkeyml.nouns import InvocationRecord


class _Kept:
    """A model, kept until its build."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def model(self) -> Any:
        return self._target


class SklearnKind:
    """Implements ``frameworks.register.ModelKind``."""

    def __init__(self, model_type: str) -> None:
        self.model_type = model_type

    def is_model(self, target: Any) -> bool:
        return estimators.is_estimator(target)

    def is_weightless(self, target: Any) -> bool:
        return False

    def text(self, target: Any) -> str:
        return estimators.text_of(target)

    def fingerprint(self, target: Any) -> str:
        return estimators.fingerprint(target)

    def name(self, call: Call) -> str:
        return _variable(call.frame, call.target) or type(call.target).__name__

    def location(self, call: Call) -> tuple[str, int]:
        frame = call.frame
        return (os.path.abspath(frame.f_code.co_filename), frame.f_lineno) if frame else ("", 0)

    def parameters(self, target: Any) -> tuple[int, int]:
        return estimators.count_parameters(target)

    def remarks(self, call: Call) -> tuple[str, ...]:
        return ()

    def keep(self, target: Any) -> _Kept:
        return _Kept(target)

    def obstacle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        (layout,) = args
        if layout.options:
            return f"it is called with {', '.join(layout.options)}, which no converter supports"
        return None

    def subject(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Subject:
        return SklearnSubject(record, model, args[0], kwargs)


def _variable(frame: FrameType | None, target: Any) -> str | None:
    """The name of a variable or attribute that refers to an object."""
    scopes: list[Any] = [vars(sys.modules["__main__"])]
    while frame is not None and len(scopes) < 40:
        scopes.append(frame.f_locals)
        frame = frame.f_back
    for scope in scopes:
        for name, value in list(scope.items()):
            if value is target and not name.startswith("__") and name != "self":
                return str(name)
    return None


@functools.cache
def _kind(model_type: str) -> SklearnKind:
    return SklearnKind(model_type)


def kind_of(model: Any) -> SklearnKind:
    """The kind of a model; one per type that reports show."""
    return _kind(estimators.model_type(model))
