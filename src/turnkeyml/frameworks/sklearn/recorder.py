"""Recording the calls to estimators while a script runs.

Every scikit-learn estimator gets its ``predict`` through ``BaseEstimator``, which we give a
``__getattribute__`` while the script runs: it returns a method that records the call and forwards
it. Nothing is attached to the script's own objects, and ``hasattr`` says what it says otherwise.
Calls that the libraries make themselves (in ``fit``, in cross-validation) are not the script's.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, MethodType, ModuleType
from typing import Any

from turnkeyml.build import CapturedModel
from turnkeyml.cache import thread_lock
from turnkeyml.errors import describe
from turnkeyml.frameworks.import_hook import after_import
from turnkeyml.frameworks.register import Call, Invocation, Register
from turnkeyml.frameworks.sklearn import estimators
from turnkeyml.frameworks.sklearn.estimators import LIBRARIES, library_of
from turnkeyml.frameworks.sklearn.subject import SklearnSubject, arrays_of
from turnkeyml.nouns import InvocationRecord

METHODS = frozenset({"predict", "predict_proba", "score"})
"""The methods by which a script uses a fitted estimator."""

_INSIDE = (*LIBRARIES, "joblib", "turnkeyml")

_HARMLESS = frozenset(
    {"n_jobs", "verbose", "check_input", "validate_features", "y", "sample_weight"}
)
"""Arguments that do not change what is predicted."""


class SklearnRecorder:
    """Records the estimators that a script predicts with in a register."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self.remarks: dict[str, str] = {}
        """Classes whose calls could not be recorded, and why."""
        self._thread = threading.local()
        self._lock = thread_lock(reentrant=True)
        self._process = os.getpid()
        self._undo: list[Callable[[], None]] = []

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block every prediction of the script is recorded."""
        acts = {
            "sklearn.base": self._watch_estimators,
            "xgboost.core": self._watch_boosters,
            "lightgbm.basic": self._watch_boosters,
        }
        with after_import(acts):
            try:
                yield
            finally:
                for undo in reversed(self._undo):
                    undo()

    def _watch_estimators(self, module: ModuleType) -> None:
        base = module.BaseEstimator
        own = vars(base).get("__getattribute__")
        original = base.__getattribute__
        watched = self._watched

        def __getattribute__(estimator: Any, name: str) -> Any:
            found = original(estimator, name)
            if name not in METHODS or _is_inside(sys._getframe(1)):
                return found
            return watched(found, estimator) if isinstance(found, MethodType) else found

        def undo() -> None:
            if own is None:
                del base.__getattribute__
            else:
                base.__getattribute__ = own

        base.__getattribute__ = __getattribute__
        self._undo.append(undo)

    def _watch_boosters(self, module: ModuleType) -> None:
        kind, observe = module.Booster, self._observe
        for name in [n for n in ("predict", "inplace_predict") if n in vars(kind)]:
            original = vars(kind)[name]

            def method(booster: Any, *args: Any, _original: Any = original, **kwargs: Any) -> Any:
                bound = MethodType(_original, booster)
                if _is_inside(sys._getframe(1)):
                    return bound(*args, **kwargs)
                return observe(bound, booster, args, kwargs)

            setattr(kind, name, functools.wraps(original)(method))
            self._undo.append(functools.partial(setattr, kind, name, original))

    def _watched(self, method: MethodType, estimator: Any) -> MethodType:
        """A method of an estimator that records its calls; it can be pickled by its name."""
        observe = self._observe

        @functools.wraps(method.__func__)
        def call(_: Any, *args: Any, **kwargs: Any) -> Any:
            return observe(method, estimator, args, kwargs)

        return MethodType(call, estimator)

    def _observe(
        self, method: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if getattr(self._thread, "inside", False) or os.getpid() != self._process:
            return method(*args, **kwargs)
        if library_of(target) not in LIBRARIES:  # a class of the script's own, which calls others
            return method(*args, **kwargs)
        try:
            invocation = self._enter(target, args, kwargs)
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self.remarks[type(target).__name__] = describe(error)
            return method(*args, **kwargs)
        self._thread.inside = True
        begin, completed = time.perf_counter(), False
        try:
            result = method(*args, **kwargs)
            completed = True
            return result
        finally:
            self._thread.inside = False
            with self._lock:
                if invocation is not None:
                    invocation.count(time.perf_counter() - begin, completed)

    def _enter(
        self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Invocation | None:
        given = dict(kwargs)
        names = [name for name in ("X", "data") if name in given]
        table = args[0] if args else given.pop(names[0])
        options = {k: v for k, v in given.items() if k not in _HARMLESS and v not in (None, False)}
        layout, arrays = arrays_of(table, tuple(f"{k}={v!r}" for k, v in options.items()))
        frame = _caller(sys._getframe(1))
        with self._lock:
            call = Call(kind_of(target), target, target, (layout,), arrays, frame)
            return self._register.enter(call)


def _is_inside(frame: FrameType | None) -> bool:
    """Whether the code of one of the libraries runs in a frame."""
    if frame is None:
        return False
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _INSIDE


def _caller(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the script."""
    while frame is not None and _is_inside(frame):
        frame = frame.f_back
    return frame


def kind_of(model: Any) -> SklearnKind:
    """The kind of a model; one per type that reports show."""
    return _kind(estimators.model_type(model))


@functools.cache
def _kind(model_type: str) -> SklearnKind:
    return SklearnKind(model_type)


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
    ) -> CapturedModel:
        return SklearnSubject(record, model, args[0], kwargs)


class _Kept:
    """A model, kept until its build."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def model(self) -> Any:
        return self._target


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
