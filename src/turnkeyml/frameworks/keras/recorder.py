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
from types import FrameType, GeneratorType
from typing import Any

import numpy as np

import turnkeyml
from turnkeyml import structure
from turnkeyml.build import CapturedModel
from turnkeyml.cache import thread_lock
from turnkeyml.errors import describe
from turnkeyml.frameworks.import_hook import when_imported
from turnkeyml.frameworks.keras import models
from turnkeyml.frameworks.keras.models import has_symbolic, seen
from turnkeyml.frameworks.keras.subject import KerasSubject
from turnkeyml.frameworks.register import Call, Invocation, Register
from turnkeyml.nouns import InvocationRecord

_PREDICTING = ("predict", "predict_on_batch", "evaluate", "test_on_batch")
_TRAINING = ("fit", "train_on_batch")

_SILENT = ("build", "export")
"""Methods that call the model to look at shapes or to trace it."""

DEFAULT_ROWS = 32
"""The batch size of Keras where the script gives none."""

_PACKAGE = os.path.dirname(os.path.abspath(turnkeyml.__file__)) + os.sep
Original = Callable[..., Any]


class KerasRecorder:
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

            with when_imported("keras", patch, models.explain_import):
                yield
        if os.getpid() == self._process:
            self._enter_last_resorts()

    def _patch(self, keras: Any, patches: contextlib.ExitStack) -> None:
        if not all(hasattr(keras, name) for name in ("Model", "KerasTensor", "tree")):
            return  # a module of the script with the same name, or Keras 2
        models.register_tensors()
        patches.enter_context(_patched(keras.layers.Layer, "__call__", self._calling))
        for name in (*_PREDICTING, *_TRAINING):
            patches.enter_context(_patched(keras.Model, name, self._batching))
        for name in _SILENT:
            patches.enter_context(_patched(keras.Model, name, self._claiming))

    def _calling(self, original: Original) -> Original:
        """``Layer.__call__`` that records calls to models."""
        model_class, symbol = sys.modules["keras"].Model, sys.modules["keras"].KerasTensor
        flatten, is_traced = sys.modules["keras"].tree.flatten, models.is_traced()

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


def first_batch(data: Any, rows: int | None) -> tuple[Any, Any]:
    """The inputs of the first batch, and the data to use in place of the given ones.

    They are the given ones unless these can be read only once.
    """
    keras = sys.modules["keras"]
    if isinstance(data, GeneratorType):
        first = next(data)
        return _inputs(first), _again(first, data)
    if isinstance(data, keras.utils.PyDataset):
        return _inputs(data[0]), data
    if not _is_arrays(data):
        with _unchanged_randomness():
            return _inputs(next(iter(data))), data
    return structure.replace(_plain(data), lambda _, t: _rows(t, rows or DEFAULT_ROWS)), data


def _inputs(batch: Any) -> Any:
    """The inputs in a batch that may have targets and weights besides."""
    return sys.modules["keras"].utils.unpack_x_y_sample_weight(batch)[0]


def _again(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _is_arrays(data: Any) -> bool:
    """Whether the data are arrays that Keras cuts into batches, and not batches already."""
    flat = sys.modules["keras"].tree.flatten(data)
    return all(structure.is_tensor(a) or hasattr(a, "__array__") for a in flat)


def _plain(data: Any) -> Any:
    """The data with tables of pandas as arrays."""

    def convert(value: Any) -> Any:
        return value if structure.is_tensor(value) else np.asarray(value)

    return sys.modules["keras"].tree.map_structure(convert, data)


def _rows(array: Any, rows: int) -> Any:
    """The first rows, in the precision to which Keras converts the floats of arrays."""
    first = array[:rows]
    if isinstance(first, np.ndarray) and first.dtype.kind == "f":
        return first.astype(sys.modules["keras"].config.floatx())
    return first


@contextlib.contextmanager
def _unchanged_randomness() -> Iterator[None]:
    """Within the block a loader of PyTorch may shuffle; the script's random numbers stay."""
    torch = sys.modules.get("torch")
    state = torch.get_rng_state() if torch is not None else None
    try:
        yield
    finally:
        if torch is not None:
            torch.set_rng_state(state)


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
        return models.model_text(target)

    def fingerprint(self, target: Any) -> str:
        return models.model_fingerprint(target)

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
    ) -> CapturedModel:
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
