"""Recording the calls to Keras models while a script runs.

Calls go through ``keras.layers.Layer.__call__``. The methods that pass batches (``predict`` and
others) compile the model on some backends, so that its call has no values to record; there we
take the first batch from their data. Both are patched once the script has imported Keras.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import turnkeyml
from turnkeyml import structure
from turnkeyml.cache import thread_lock
from turnkeyml.errors import describe
from turnkeyml.frameworks.keras import backends
from turnkeyml.frameworks.keras.batches import first_batch
from turnkeyml.frameworks.keras.importing import when_imported
from turnkeyml.frameworks.keras.kind import KerasKind, RememberedKind
from turnkeyml.frameworks.keras.models import has_symbolic, seen
from turnkeyml.frameworks.register import Call, Invocation, Register

_PREDICTING = ("predict", "predict_on_batch", "evaluate", "test_on_batch")
_TRAINING = ("fit", "train_on_batch")
_SILENT = ("build", "export")
"""Methods that call the model to look at shapes or to trace it."""

Original = Callable[..., Any]

_PACKAGE = os.path.dirname(os.path.abspath(turnkeyml.__file__)) + os.sep


class Recorder:
    """Records the Keras models that a script calls in a register."""

    def __init__(self, register: Register, max_depth: int) -> None:
        self._register = register
        self._max_depth = max_depth
        self._kind = KerasKind(max_depth)
        self.remarks: dict[str, str] = {}
        """Classes whose calls could not be recorded, and why."""
        self._last_resorts: dict[int, tuple[Call, float]] = {}
        """The first call of each model in training or inside a compiled function, and its seconds.
        It counts only if the script calls the model in no other way."""
        self._lock = thread_lock(reentrant=True)
        self._process = os.getpid()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block every call to a model is recorded."""
        with contextlib.ExitStack() as patches:

            def patch(keras: Any) -> None:
                self._patch(keras, patches)

            with when_imported("keras", patch, backends.explain_import):
                yield
        if os.getpid() == self._process:
            self._enter_last_resorts()

    def _patch(self, keras: Any, patches: contextlib.ExitStack) -> None:
        if not all(hasattr(keras, name) for name in ("Model", "KerasTensor", "tree")):
            return  # a module of the script with the same name, or Keras 2
        backends.register_tensors()
        patches.enter_context(_patched(keras.layers.Layer, "__call__", self._calling))
        for name in (*_PREDICTING, *_TRAINING):
            patches.enter_context(_patched(keras.Model, name, self._batching))
        for name in _SILENT:
            patches.enter_context(_patched(keras.Model, name, self._claiming))

    def _calling(self, original: Original) -> Original:
        """``Layer.__call__`` that records calls to models."""
        model_class, symbol = sys.modules["keras"].Model, sys.modules["keras"].KerasTensor
        flatten, is_traced = sys.modules["keras"].tree.flatten, backends.is_traced()

        def __call__(layer: Any, /, *args: Any, **kwargs: Any) -> Any:
            if is_traced() or self._is_inside():
                return original(layer, *args, **kwargs)
            with self._register.claimed(self._kind):
                symbolic = any(isinstance(value, symbol) for value in flatten((args, kwargs)))
                if symbolic or not isinstance(layer, model_class):
                    return original(layer, *args, **kwargs)
                run = functools.partial(original, layer, *args, **kwargs)
                inference = {n: v for n, v in kwargs.items() if n != "training"}
                return self._recorded(layer, args, inference, run)

        return __call__

    def _batching(self, original: Original) -> Original:
        """A method of models that records the first batch that it passes to the model."""
        signature = inspect.signature(original)
        trains = original.__name__ in _TRAINING

        def method(model: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_inside():
                return original(model, *args, **kwargs)
            with self._register.claimed(self._kind):
                bound = signature.bind(model, *args, **kwargs)
                data = batch = bound.arguments.get("x")
                try:
                    if not original.__name__.endswith("on_batch"):
                        rows = bound.arguments.get("batch_size")
                        batch, bound.arguments["x"] = first_batch(data, rows)
                except Exception as error:  # noqa: BLE001 - recording must not break the script
                    self._remark(model, f"its data could not be read ({describe(error)})")
                    return original(*bound.args, **bound.kwargs)
                run = functools.partial(original, *bound.args, **bound.kwargs)
                return self._recorded(model, (batch,), {}, run, trains=trains)

        return method

    def _claiming(self, original: Original) -> Original:
        """A method of models inside of which nothing is recorded."""

        def method(model: Any, *args: Any, **kwargs: Any) -> Any:
            with self._register.claimed(self._kind):
                return original(model, *args, **kwargs)

        return method

    def _is_inside(self) -> bool:
        """Whether a call belongs to one that is being recorded, or to a process of the script."""
        return self._register.is_claimed() or os.getpid() != self._process

    def _recorded(
        self,
        model: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        run: Callable[[], Any],
        *,
        trains: bool = False,
    ) -> Any:
        """The result of a call, which is entered before it runs, or once it has built the model."""
        built = model.built
        call = self._call(model, args, kwargs, copied=trains or not built)
        if call is None:
            return run()
        last_resort = trains or has_symbolic(call.args, call.kwargs)
        if last_resort:
            call = replace(call, kind=RememberedKind(self._max_depth, call), frame=None)
        invocation = self._enter(call) if built and not last_resort else None
        begin, completed = time.perf_counter(), False
        try:
            result = run()
            completed = True
        finally:
            elapsed = time.perf_counter() - begin
            if invocation is not None:
                with self._lock:
                    invocation.count(elapsed, completed)
        if last_resort:
            self._last_resorts.setdefault(id(model), (call, elapsed))
        elif not built and (entered := self._enter(call)) is not None:
            entered.count(elapsed)
        return result

    def _call(
        self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, copied: bool
    ) -> Call | None:
        """The call as the register takes it; None if its arguments cannot be read."""
        try:
            args, kwargs = seen((args, kwargs))
            if copied and not has_symbolic(args, kwargs):
                args, kwargs = structure.clone((args, kwargs))
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self._remark(model, describe(error))
            return None
        return Call(self._kind, model, model, args, kwargs, _caller())

    def _enter(self, call: Call) -> Invocation | None:
        """The invocation that a call belongs to; None if it cannot be recorded."""
        try:
            with self._lock:
                return self._register.enter(call)
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self._remark(call.target, describe(error))
            return None

    def _enter_last_resorts(self) -> None:
        for call, seconds in self._last_resorts.values():
            if not self._register.knows(call.target):
                invocation = self._enter(call)
                if invocation is not None:
                    invocation.count(seconds)

    def _remark(self, model: Any, why: str) -> None:
        self.remarks[type(model).__name__] = why


@contextlib.contextmanager
def _patched(kind: Any, name: str, make: Callable[[Original], Original]) -> Iterator[None]:
    """Within the block a method is replaced by what ``make`` makes of it.

    It keeps the name of its module: TensorFlow converts the code of functions that it calls, except
    that of Keras.
    """
    original = getattr(kind, name)
    own = name in vars(kind)
    setattr(kind, name, functools.wraps(original)(make(original)))
    try:
        yield
    finally:
        if own:
            setattr(kind, name, original)
        else:
            delattr(kind, name)


def _caller() -> FrameType | None:
    """The innermost frame outside of this package, of Keras and of code that TensorFlow makes."""
    skipped = (_PACKAGE, os.path.dirname(str(sys.modules["keras"].__file__)) + os.sep)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(skipped):
        frame = frame.f_back
    outer = frame
    while outer is not None:
        if "__autograph_generated" in outer.f_code.co_filename:
            frame = outer.f_back
        outer = outer.f_back
    return frame
