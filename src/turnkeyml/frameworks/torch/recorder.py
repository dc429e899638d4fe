"""Recording the calls to models while a script runs.

Every call to a model goes through ``torch.nn.Module.__call__``. We patch it while the script runs:
the patch records the call and forwards it. A class that overrides ``__call__`` is patched when it
is defined, and a method that enters a model in another way is found on the stack (``entries``).
Nothing is attached to the script's own objects, so copying, pickling, compiling and freeing them
works as usual. (Torch's global module hooks do not work: they do not see keyword arguments before
the call, make torch.compile warn in the script's output, miss ``module.compile()`` and break
``torch.export`` in strict mode.)

A script may delete a model, or never assign it to a variable. We still build it after the script
has ended, and the script must still see the object freed at the usual time. So we keep a weak
reference to the object and a stand-in that shares its tensors, for models that were freed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from turnkeyml import structure
from turnkeyml.build import CapturedModel
from turnkeyml.cache import thread_lock
from turnkeyml.errors import describe
from turnkeyml.frameworks.register import Call, Invocation, Register
from turnkeyml.frameworks.torch import entries, modules, stack
from turnkeyml.frameworks.torch.entries import MethodRun, Way, is_probe, way_in
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.frameworks.torch.wrappers import entered
from turnkeyml.nouns import InvocationRecord

Original = Callable[..., Any]
is_autocast = torch.is_autocast_enabled

COMPILED = (
    "The script runs functions that torch.compile has compiled; the models inside of them are part "
    "of the compiled code. Compile the model instead, or run the function as it is."
)
PROBES = (
    "The constructor of a module calls its parts, to see what they compute; turnkey records the "
    "calls that the script makes afterwards."
)


@dataclass
class _Thread(threading.local):
    """The state of one thread: the recorded calls that it is inside of."""

    calls: list[tuple[torch.nn.Module, Invocation]] = field(default_factory=list)
    paused: bool = False
    """Whether calls are forwarded without being recorded."""
    weightless: bool = False
    """Whether it is inside a call to a module without weights, which may contain a model."""


class TorchRecorder:
    """Records the models that a script calls in a register."""

    def __init__(self, register: Register, max_depth: int = 0) -> None:
        self._register = register
        self._max_depth = max_depth
        self.remarks: dict[str, str] = {}
        """Classes whose calls could not be recorded, and why."""
        self._thread = _Thread()
        self._lock = thread_lock(reentrant=True)
        self._process = os.getpid()
        self._loops: set[tuple[type, str]] = set()
        """Methods that call their model over and over."""
        self._by_libraries: list[tuple[weakref.ref[torch.nn.Module], Invocation]] = []
        """Calls that functions of libraries made, maybe to build a larger model."""

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block every call to a module is recorded."""
        original = torch.nn.Module.__call__
        torch.nn.Module.__call__ = self._watched(original)  # type: ignore[method-assign]
        try:
            with entries.own_calls_wrapped(self._watched):
                yield
        finally:
            torch.nn.Module.__call__ = original  # type: ignore[method-assign]
            if modules.has_compiled_functions():
                self._register.overlooked[COMPILED] = None

    def _watched(self, original: Original) -> Original:
        """A ``__call__`` that records a call and forwards it to the original one."""
        is_compiling, is_tracing = torch.compiler.is_compiling, torch.jit.is_tracing
        observe = self._observe

        def __call__(module: Any, /, *args: Any, **kwargs: Any) -> Any:
            if is_compiling() or is_tracing():
                return original(module, *args, **kwargs)
            return observe(original, module, args, kwargs)

        return __call__

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
        remarks = _autocast() if is_autocast("cpu") or is_autocast("cuda") else ()
        call = Call(TORCH, target, module, args, kwargs, entry=_entry(target), remarks=remarks)
        if not self._register.knows(target) and modules.is_lazy(target):
            return self._observe_lazy(original, call)
        try:
            invocation, run = self._find(call)
        except Exception as error:  # noqa: BLE001 - recording must not break the script
            self.remarks[type(module).__name__] = describe(error)
            return self._call_unrecorded(original, call)
        if run is not None:
            return self._inside(run, original, call, invocation)
        if invocation is None:
            return original(module, *args, **kwargs)
        weightless = invocation.model.weightless
        if weightless:
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
            if weightless:
                self._thread.weightless = False
            else:
                calls.pop()
            with self._lock:
                invocation.count(elapsed, completed)

    def _inside(
        self, run: MethodRun, original: Original, call: Call, part: Invocation | None
    ) -> Any:
        """The result of a call that a method of the model makes; parts are below the method."""
        self._thread.calls.append((run.owner, run.invocation))
        begin = time.perf_counter()
        completed = False
        try:
            result = self._observe(original, call.called, call.args, call.kwargs)
            completed = True
            return result
        finally:
            elapsed = time.perf_counter() - begin
            self._thread.calls.pop()
            with self._lock:
                run.add(part, elapsed, completed)

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
            invocation, run = self._find(replace(call, args=args, kwargs=kwargs))
            if invocation is not None and run is None:
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

    def _find(self, call: Call) -> tuple[Invocation | None, MethodRun | None]:
        """The invocation that a call belongs to, and the method of a model that makes the call.

        Runs in one thread at a time, with the script's own torch function modes disabled.
        """
        with self._lock, torch._C.DisableTorchFunction(), _disable_current_modes():
            calls = self._thread.calls
            if calls:
                enclosing, parent = calls[-1]
                below = replace(call, enclosing=enclosing, parent=parent)
                return self._register.enter(below), None
            frame = stack.caller()
            if not self._is_of_interest(call.target) or stack.called_by_torch_tool(frame):
                return None, None
            if is_probe():
                self._register.overlooked[PROBES] = None
                return None, None
            way = way_in(call.target, self._loops)
            run = self._method_run(way) if way is not None else None
            if run is not None and run.is_loop(call.target):
                self._loops.add(run.name)
                run.reject()
                run = None
            call = replace(call, frame=frame)
            if run is not None and not run.may_loop:
                return None, run
            if not self._register.knows(call.target):
                self._forget_probes(call.target)
            invocation = self._register.enter(call, announce=run is None)
            if invocation is not None and way is None and stack.is_in_library(frame):
                self._by_libraries.append((weakref.ref(call.target), invocation))
            return invocation, run

    def _forget_probes(self, whole: torch.nn.Module) -> None:
        """Uncount what a library called to see the shapes of a part, before it made the whole."""
        left = []
        for reference, invocation in self._by_libraries:
            part = reference()
            if part is not None and part is not whole and modules.contains(whole, part):
                invocation.executed -= 1
                invocation.completed -= 1
            elif part is not None:
                left.append((reference, invocation))
        self._by_libraries = left

    def _is_of_interest(self, target: torch.nn.Module) -> bool:
        weightless = modules.is_weightless(target) and not self._thread.weightless
        return weightless or modules.is_model(target)

    def _method_run(self, way: Way) -> MethodRun | None:
        """The run of a method; it is recorded at the first call that it makes."""
        known = way.frame.f_trace
        if isinstance(known, MethodRun):
            return None if known.rejected else known
        args, kwargs = way.passed.args, way.passed.kwargs
        call = Call(TORCH, way.owner, way.owner, args, kwargs, way.frame.f_back)
        entry = _entry(way.owner, way.method)
        remarks = (*_reassigned(way), *_autocast_around(way))
        invocation = self._register.enter(
            replace(call, method=way.method, entry=entry, remarks=remarks)
        )
        if invocation is None:
            return None
        invocation.count(0.0)
        run = MethodRun(invocation, way.owner, way.method)
        way.frame.f_trace = run
        return run


def _entry(target: Any, method: str = "") -> Callable[..., Any] | None:
    """The function that gets the arguments of a call."""
    own = type(target).__call__ is not torch.nn.Module.__call__
    try:
        found: Callable[..., Any] | None = getattr(
            target, method or ("__call__" if own else "forward")
        )
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return None
    return found


def _autocast() -> tuple[str, ...]:
    """What to say of a call under ``torch.autocast``; nothing of others."""
    devices = [device for device in ("cpu", "cuda") if is_autocast(device)]
    dtypes = [str(torch.get_autocast_dtype(device)).removeprefix("torch.") for device in devices]
    under = " and ".join(f"{t} on {d}" for t, d in zip(dtypes, devices, strict=True))
    return (
        f"It is called under torch.autocast ({under}); it is built and measured without.",
    ) * bool(devices)


def _autocast_around(way: Way) -> tuple[str, ...]:
    """The same of a call of a method, unless the method itself is what enters autocast."""
    before = way.frame.f_back
    decorated = before is not None and before.f_code.co_name == "decorate_autocast"
    return () if decorated or "autocast" in way.frame.f_code.co_names else _autocast()


def _reassigned(way: Way) -> tuple[str, ...]:
    if not way.passed.reassigned:
        return ()
    names = " and ".join(way.passed.reassigned)
    return (
        f"{way.method or 'forward'}() reassigns {names} before it calls a part of the model; the "
        f"recorded values are the new ones. Pass {names} as a variable to have the first ones.",
    )


class TorchKind:
    """Implements ``frameworks.register.ModelKind``."""

    model_type = modules.MODEL_TYPE

    def is_model(self, target: Any) -> bool:
        return modules.is_model(target)

    def is_weightless(self, target: Any) -> bool:
        return modules.is_weightless(target)

    def text(self, target: Any) -> str:
        return modules.safe_repr(target)

    def fingerprint(self, target: Any) -> str:
        return modules.model_fingerprint(target)

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
    ) -> CapturedModel:
        return TorchSubject(record, entered(model, record.method), args, kwargs)


TORCH = TorchKind()


class TorchKeeper:
    """Returns a model later, even if the script's own object was freed."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._stand_in: torch.nn.Module | None = None
        self._weak: weakref.ref[torch.nn.Module] | None = None
        self._strong: torch.nn.Module | None = None
        if isinstance(model, torch.jit.ScriptModule):
            self._strong = model
            return
        try:
            self._stand_in = _stand_in(model, {})
            self._weak = weakref.ref(model)
        except Exception:  # noqa: BLE001 - an unusual class: a strong reference is safe
            self._strong = model

    def model(self) -> torch.nn.Module:
        """The script's own object if it still exists, otherwise its stand-in."""
        if self._strong is not None:
            return self._strong
        assert self._weak is not None
        alive = self._weak()
        if alive is not None:
            return alive
        assert self._stand_in is not None
        return self._stand_in


def _stand_in(model: torch.nn.Module, done: dict[int, Any]) -> torch.nn.Module:
    """A shallow copy: an object of the same class with copied submodules and shared tensors."""
    if id(model) in done:
        return done[id(model)]
    if isinstance(model, torch.jit.ScriptModule):
        return model
    stand_in: torch.nn.Module = object.__new__(model.__class__)
    done[id(model)] = stand_in
    attributes = dict(vars(model))
    attributes["_modules"] = {
        name: None if part is None else _stand_in(part, done)
        for name, part in model._modules.items()
    }
    for name, value in attributes.items():
        if name != "_modules" and type(value) is dict:
            attributes[name] = dict(value)
        elif type(value) is list:
            attributes[name] = [
                _stand_in(v, done) if isinstance(v, torch.nn.Module) else v for v in value
            ]
    vars(stand_in).update(attributes)
    return stand_in
