"""Watching the calls of models while a script runs.

``torch.nn.Module.__call__`` is the one door through which models are called. It is replaced for the
time of the script by one that looks at the call and passes it on. Nothing is attached to the
script's own objects, so they copy, pickle, compile and die as ever. (Torch's global module hooks
were tried first: they do not see keyword arguments before the call, make torch.compile warn in the
script's output, miss ``module.compile()`` and break ``torch.export`` in strict mode.)
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from turnkeyml import structure
from turnkeyml.build.identity import model_fingerprint, safe_repr
from turnkeyml.build.subject import Subject
from turnkeyml.cache.layout import build_name
from turnkeyml.discover import stack
from turnkeyml.discover.hashes import hash_invocation, hash_model, short
from turnkeyml.discover.keep import Keeper
from turnkeyml.errors import describe
from turnkeyml.records import InvocationRecord

__all__ = ["MAX_RECORDED", "MODEL_TYPE", "Recorder"]

MODEL_TYPE = "Pytorch (torch.nn.Module)"
MAX_RECORDED = 8
"""Of a model that is called with more shapes than this, the rest are listed but not built."""


def _SEEN(*_: object) -> None:
    """Marks a frame whose call has been counted; unlike a reference, it dies with the frame."""


@dataclass
class _Model:
    """Models that are one model for us: same structure, same code, same settings."""

    name: str
    keeper: Keeper
    class_name: str
    class_repr: str
    file: str
    line: int
    parameters: int
    parameter_bytes: int
    hash: str
    remarks: tuple[str, ...]


@dataclass
class _Object:
    """A module of the script's, and which model it is inside each parent."""

    weak: weakref.ref[Any]
    models: dict[str | None, _Model] = field(default_factory=dict)


@dataclass
class _Invocation:
    """One model called in one way."""

    model: _Model
    hash: str
    parent: _Invocation | None
    depth: int
    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]
    arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    obstacle: str | None = None
    executed: int = 0
    completed: int = 0
    seconds: float = 0.0


@dataclass
class _Thread(threading.local):
    """Where a thread is: the observed calls around it."""

    calls: list[tuple[torch.nn.Module, _Invocation]] = field(default_factory=list)
    blind: bool = False


class Recorder:
    """Finds the models that a script calls, and with what."""

    def __init__(
        self,
        stem: str,
        max_depth: int = 0,
        on_found: Callable[[InvocationRecord], None] | None = None,
    ) -> None:
        self._stem = stem
        self._max_depth = max_depth
        self._on_found = on_found
        self._models: dict[tuple[str, str | None], _Model] = {}
        self._objects: dict[int, _Object] = {}
        self._invocations: dict[tuple[int, str, str], _Invocation] = {}
        self._hashes: set[str] = set()
        self.remarks: dict[str, str] = {}
        """Classes whose calls could not be looked at, and why."""
        self._thread = _Thread()
        self._lock = threading.RLock()
        self._process = os.getpid()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block every call of a module is looked at."""
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

    def records(self) -> list[InvocationRecord]:
        """Every invocation, with its final counts, models in the order of their first call."""
        order = {id(m): i for i, m in enumerate(self._models.values())}
        found = sorted(self._invocations.values(), key=lambda i: order[id(i.model)])
        return [self._record(invocation) for invocation in found]

    def subjects(self) -> list[Subject]:
        """Every invocation that can be built, with its model and its arguments."""
        by_hash = {i.hash: i for i in self._invocations.values()}
        found = []
        for record in self.records():
            invocation = by_hash[record.hash]
            if record.obstacle is None and invocation.arguments is not None:
                args, kwargs = invocation.arguments
                found.append(Subject(record, invocation.model.keeper.model(), args, kwargs))
        return found

    def _observe(
        self,
        original: Callable[..., Any],
        module: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        calls = self._thread.calls
        if len(calls) > self._max_depth or self._thread.blind or os.getpid() != self._process:
            return original(module, *args, **kwargs)
        target = _original_of(module)
        if any(target is around for around, _ in calls) or _has_fakes(args, kwargs):
            return original(module, *args, **kwargs)
        known = self._objects.get(id(target))
        if (known is None or known.weak() is not target) and _is_lazy(target):
            return self._observe_lazy(original, module, args, kwargs)
        try:
            with self._unseen():
                invocation = self._find(target, module, args, kwargs)
        except Exception as error:  # noqa: BLE001 - the script must not suffer from being watched
            self.remarks[type(module).__name__] = describe(error)
            return self._call_unwatched(original, module, args, kwargs)
        if invocation is None:
            return original(module, *args, **kwargs)
        calls.append((target, invocation))
        begin = time.perf_counter()
        try:
            result = original(module, *args, **kwargs)
        finally:
            elapsed = time.perf_counter() - begin
            calls.pop()
            with self._lock:
                invocation.executed += 1
                invocation.seconds += elapsed
        with self._lock:
            invocation.completed += 1
        return result

    @contextlib.contextmanager
    def _unseen(self) -> Iterator[None]:
        """One thread at a time, and hidden from whatever watches tensors in the script."""
        with self._lock, torch._C.DisableTorchFunction(), _disable_current_modes():
            yield

    def _call_unwatched(
        self,
        original: Callable[..., Any],
        module: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Make a call without looking at it or at anything inside it."""
        self._thread.blind = True
        try:
            return original(module, *args, **kwargs)
        finally:
            self._thread.blind = False

    def _observe_lazy(
        self,
        original: Callable[..., Any],
        module: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Look at a model after its first call, which gives a lazy module its real shape."""
        try:
            arguments = structure.clone((args, kwargs))
        except Exception:  # noqa: BLE001 - what cannot be copied is recorded as such further on
            arguments = (args, kwargs)
        begin = time.perf_counter()
        result = self._call_unwatched(original, module, args, kwargs)
        elapsed = time.perf_counter() - begin
        try:
            with self._unseen():
                invocation = self._find(_original_of(module), module, *arguments)
                if invocation is not None:
                    invocation.executed += 1
                    invocation.completed += 1
                    invocation.seconds += elapsed
        except Exception as error:  # noqa: BLE001 - the script must not suffer from being watched
            self.remarks[type(module).__name__] = describe(error)
        return result

    def _find(
        self, target: torch.nn.Module, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Invocation | None:
        """The invocation that a call belongs to; None if it is no call of a model of interest."""
        calls = self._thread.calls
        frame = stack.caller() if not calls else None
        if not calls:
            if not _is_model(target) or stack.called_by_torch_tool(frame):
                return None
            direct = stack.forward_entered_directly(target)
            if direct is not None:
                self._count_direct(*direct)
                return None
        parent = calls[-1][1] if calls else None
        around = calls[-1][0] if calls else None
        model = self._model(target, module, parent, around, frame)
        return self._invocation(model, parent, args, kwargs) if model else None

    def _count_direct(self, owner: torch.nn.Module, frame: FrameType) -> None:
        """Note a call of ``owner.forward(...)``, seen through the first call inside it."""
        if frame.f_trace is _SEEN:
            return
        model = self._model(owner, owner, None, None, frame.f_back)
        if model is None:
            return
        args, kwargs, rebound = stack.arguments(frame)
        invocation = self._invocation(model, None, args, kwargs)
        if rebound:
            invocation.arguments = None
            invocation.obstacle = (
                "the script calls its forward() directly, and forward() has changed its arguments "
                "before the call could be seen; call the model itself"
            )
        invocation.executed += 1
        invocation.completed += 1
        frame.f_trace = _SEEN

    def _model(
        self,
        target: torch.nn.Module,
        module: Any,
        parent: _Invocation | None,
        around: torch.nn.Module | None,
        frame: FrameType | None,
    ) -> _Model | None:
        """What is known of a model; it is looked at once for each object."""
        parent_hash = parent.hash if parent else None
        known = self._objects.get(id(target))
        if known is None or known.weak() is not target:
            if not _is_model(target):
                return None
            known = self._objects[id(target)] = _Object(weakref.ref(target))
        if parent_hash not in known.models:
            known.models[parent_hash] = self._enter(target, module, parent_hash, around, frame)
        return known.models[parent_hash]

    def _enter(
        self,
        target: torch.nn.Module,
        module: Any,
        parent_hash: str | None,
        around: torch.nn.Module | None,
        frame: FrameType | None,
    ) -> _Model:
        """Enter a model unless it is known; models that only look alike are kept apart."""
        fingerprint = model_fingerprint(target)
        key = (fingerprint, parent_hash)
        if key in self._models:
            return self._models[key]
        digest = hash_model(safe_repr(target))
        if any(m.hash == digest and k[0] != fingerprint for k, m in self._models.items()):
            digest = short(digest + fingerprint)
        if around is not None:
            name, file, line = _name_inside(around, target), "", 0
        else:
            found = stack.find_name(frame, target, module)
            name = found or type(target).__name__
            file, line = stack.location(frame)
        parameters = {id(p): p for p in target.parameters() if not _is_uninitialized(p)}.values()
        compiled = target is not module or target._compiled_call_impl is not None
        self._models[key] = _Model(
            name=name,
            keeper=Keeper(target),
            class_name=type(target).__name__,
            class_repr=str(type(target)),
            file=file,
            line=line,
            parameters=sum(p.numel() for p in parameters),
            parameter_bytes=sum(p.numel() * p.element_size() for p in parameters),
            hash=digest,
            remarks=("The script compiles it; the original is built and measured.",) * compiled,
        )
        return self._models[key]

    def _invocation(
        self,
        model: _Model,
        parent: _Invocation | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> _Invocation:
        named = structure.name_arguments(args, kwargs)
        tensors = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
        shapes, dtypes = structure.shapes(tensors), structure.dtypes(tensors)
        flags = structure.constants(named, numbers=False)
        key = (id(model), f"{shapes}{dtypes}", flags)
        if key in self._invocations:
            return self._invocations[key]
        parent_hash = parent.hash if parent else None
        digest = hash_invocation(model.hash, parent_hash, shapes, dtypes)
        if digest in self._hashes:
            digest = hash_invocation(model.hash, parent_hash, shapes, dtypes, flags)
        self._hashes.add(digest)
        depth = parent.depth + 1 if parent else 0
        invocation = _Invocation(model, digest, parent, depth, shapes, dtypes)
        self._record_arguments(invocation, args, kwargs)
        self._invocations[key] = invocation
        if self._on_found:
            self._on_found(self._record(invocation))
        return invocation

    def _record_arguments(
        self, invocation: _Invocation, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Copy the arguments before the model can change them."""
        siblings = [i for i in self._invocations.values() if i.model is invocation.model]
        if len(siblings) >= MAX_RECORDED:
            invocation.obstacle = f"only the first {MAX_RECORDED} input shapes of a model are built"
            return
        invocation.obstacle = _obstacle(args, kwargs)
        if invocation.obstacle is not None:
            return
        try:
            invocation.arguments = structure.clone((args, kwargs))
        except Exception as error:  # noqa: BLE001 - inputs that cannot be copied must not stop the script
            invocation.obstacle = f"its inputs cannot be recorded ({describe(error)})"

    def _record(self, invocation: _Invocation) -> InvocationRecord:
        model = invocation.model
        obstacle = invocation.obstacle
        if obstacle is None and invocation.executed > 0 and invocation.completed == 0:
            obstacle = "every call of it in the script failed"
        return InvocationRecord(
            name=model.name,
            model_type=MODEL_TYPE,
            class_name=model.class_name,
            class_repr=model.class_repr,
            file=model.file,
            line=model.line,
            parameters=model.parameters,
            parameter_bytes=model.parameter_bytes,
            model_hash=model.hash,
            hash=invocation.hash,
            parent_hash=invocation.parent.hash if invocation.parent else None,
            depth=invocation.depth,
            shapes=invocation.shapes,
            dtypes=invocation.dtypes,
            build_name=build_name(self._stem, invocation.hash),
            executed=invocation.executed,
            seconds=invocation.seconds,
            obstacle=obstacle,
            remarks=model.remarks,
        )


def _original_of(module: Any) -> Any:
    """What torch.compile has wrapped, or the module itself."""
    compiler = sys.modules.get("torch._dynamo.eval_frame")
    wrapped = compiler is not None and isinstance(module, compiler.OptimizedModule)
    return module._orig_mod if wrapped else module


def _is_model(module: Any) -> bool:
    """Losses, activations and the like have no parameters and are no models."""
    if isinstance(module, torch.nn.utils.parametrize.ParametrizationList):
        return False
    if next(module.parameters(), None) is not None:
        return True
    if isinstance(module, torch.jit.ScriptModule):
        return "value=<Tensor>" in str(module.inlined_graph)  # its weights have become constants
    return any("quantized" in type(inner).__module__ for inner in module.modules())


def _is_lazy(module: torch.nn.Module) -> bool:
    """Whether the first call will give a module its real shape."""
    parts: list[Any] = [module]
    while parts:
        part = parts.pop()
        if any(map(_is_uninitialized, part._parameters.values())):
            return True
        parts += [inner for inner in part._modules.values() if inner is not None]
    return False


def _is_uninitialized(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedParameter)


def _obstacle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What there is about the arguments of a call that no build can be made from."""
    found = structure.leaves((args, kwargs)).values()
    if not found:
        return "it takes no tensor"
    tensors = [t for t in found if torch.is_tensor(t)]
    if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors):
        return "it is called under torch.vmap, where its inputs are not real ones"
    if any(t.layout is not torch.strided or t.is_quantized for t in tensors):
        return "it takes a sparse or quantized tensor, which ONNX does not have"
    return None


def _has_fakes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether torch is only tracing shapes through the model."""
    fake = torch._subclasses.FakeTensor
    return any(isinstance(a, fake) for a in (*args, *kwargs.values()))


def _name_inside(around: torch.nn.Module, target: torch.nn.Module) -> str:
    for name, inner in around.named_modules():
        if inner is target and name:
            return name
    return type(target).__name__
