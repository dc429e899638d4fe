"""Recording the calls to models while a script runs.

Every call to a model goes through ``torch.nn.Module.__call__``. We patch it while the script runs:
the patch records the call and forwards it. Nothing is attached to the script's own objects, so
copying, pickling, compiling and freeing them works as usual. (Torch's global module hooks do not
work: they do not see keyword arguments before the call, make torch.compile warn in the
script's output, miss ``module.compile()`` and break ``torch.export`` in strict mode.)
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from turnkeyml import structure
from turnkeyml.errors import describe
from turnkeyml.frameworks.register import Call, Invocation, Register
from turnkeyml.frameworks.torch import modules, stack
from turnkeyml.frameworks.torch.kind import TORCH

__all__ = ["Recorder"]

Original = Callable[..., Any]


def _SEEN(*_: object) -> None:
    """Marks a frame whose call has been counted. The mark is freed with the frame."""


@dataclass
class _Thread(threading.local):
    """The state of one thread: the recorded calls that it is inside of."""

    calls: list[tuple[torch.nn.Module, Invocation]] = field(default_factory=list)
    paused: bool = False
    """Whether calls are forwarded without being recorded."""
    weightless: bool = False
    """Whether it is inside a call to a module without weights, which may contain a model."""


class Recorder:
    """Records the models that a script calls in a register."""

    def __init__(self, register: Register, max_depth: int = 0) -> None:
        self._register = register
        self._max_depth = max_depth
        self.remarks: dict[str, str] = {}
        """Classes whose calls could not be recorded, and why."""
        self._thread = _Thread()
        self._lock = threading.RLock()
        self._process = os.getpid()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block every call to a module is recorded."""
        original = torch.nn.Module.__call__
        is_compiling, is_tracing = torch.compiler.is_compiling, torch.jit.is_tracing
        observe = self._observe

        def __call__(module: Any, /, *args: Any, **kwargs: Any) -> Any:
            if is_compiling() or is_tracing():
                return original(module, *args, **kwargs)
            return observe(original, module, args, kwargs)

        torch.nn.Module.__call__ = __call__  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            torch.nn.Module.__call__ = original  # type: ignore[method-assign]

    def _observe(
        self, original: Original, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        calls = self._thread.calls
        if len(calls) > self._max_depth or self._thread.paused or os.getpid() != self._process:
            return original(module, *args, **kwargs)
        if self._register.is_claimed(besides=TORCH):
            return original(module, *args, **kwargs)
        target = modules.original_of(module)
        is_nested = any(target is enclosing for enclosing, _ in calls)
        if is_nested or modules.has_fake_tensors(args, kwargs):
            return original(module, *args, **kwargs)
        call = Call(TORCH, target, module, args, kwargs)
        if not self._register.knows(target) and modules.is_lazy(target):
            return self._observe_lazy(original, call)
        try:
            invocation = self._find_invocation(call)
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self.remarks[type(module).__name__] = describe(error)
            return self._call_unrecorded(original, call)
        if invocation is None:
            return original(module, *args, **kwargs)
        if invocation.model.weightless:
            self._thread.weightless = True
        else:
            calls.append((target, invocation))
        begin = time.perf_counter()
        completed = False
        try:
            with self._register.claimed(TORCH):
                result = original(module, *args, **kwargs)
            completed = True
            return result
        finally:
            elapsed = time.perf_counter() - begin
            if invocation.model.weightless:
                self._thread.weightless = False
            else:
                calls.pop()
            with self._lock:
                invocation.count(elapsed, completed)

    def _observe_lazy(self, original: Original, call: Call) -> Any:
        """Record a lazy module after its first call, which initializes its parameters."""
        try:
            args, kwargs = structure.clone((call.args, call.kwargs))
        except Exception:  # noqa: BLE001 - the register notes that they cannot be copied
            args, kwargs = call.args, call.kwargs
        begin = time.perf_counter()
        result = self._call_unrecorded(original, call)
        elapsed = time.perf_counter() - begin
        try:
            invocation = self._find_invocation(replace(call, args=args, kwargs=kwargs))
            if invocation is not None:
                invocation.count(elapsed)
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self.remarks[type(call.called).__name__] = describe(error)
        return result

    def _call_unrecorded(self, original: Original, call: Call) -> Any:
        """The result of a call; neither it nor any call inside it is recorded."""
        self._thread.paused = True
        try:
            return original(call.called, *call.args, **call.kwargs)
        finally:
            self._thread.paused = False

    def _find_invocation(self, call: Call) -> Invocation | None:
        """The invocation that a call belongs to; None if the call is not to be recorded.

        Runs in one thread at a time, with the script's own torch function modes disabled.
        """
        with self._lock, torch._C.DisableTorchFunction(), _disable_current_modes():
            calls = self._thread.calls
            if calls:
                enclosing, parent = calls[-1]
                return self._register.enter(replace(call, enclosing=enclosing, parent=parent))
            frame = stack.caller()
            if not self._is_of_interest(call.target) or stack.called_by_torch_tool(frame):
                return None
            direct = stack.forward_entered_directly(call.target)
            if direct is not None:
                self._note_direct(*direct)
                return None
            return self._register.enter(replace(call, frame=frame))

    def _is_of_interest(self, target: torch.nn.Module) -> bool:
        weightless = modules.is_weightless(target) and not self._thread.weightless
        return weightless or modules.is_model(target)

    def _note_direct(self, owner: torch.nn.Module, frame: FrameType) -> None:
        """Record a direct call to ``owner.forward(...)``, detected by the first call inside it."""
        if frame.f_trace is _SEEN:
            return
        args, kwargs, rebound = stack.arguments(frame)
        invocation = self._register.enter(Call(TORCH, owner, owner, args, kwargs, frame.f_back))
        if invocation is None:
            return
        if rebound:
            invocation.arguments = None
            invocation.obstacle = (
                "the script calls its forward() directly, and forward() had reassigned its "
                "arguments before they could be recorded; call the model itself"
            )
        invocation.count(0.0)
        frame.f_trace = _SEEN
