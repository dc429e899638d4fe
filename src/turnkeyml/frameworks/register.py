"""The register of discovered models and of the invocations of each."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol, TypeVar

from turnkeyml import structure
from turnkeyml.build import CapturedModel
from turnkeyml.cache import build_name
from turnkeyml.errors import describe
from turnkeyml.frameworks.decoder import StepGroup, phase_of, starts_group, tokens_per_run
from turnkeyml.frameworks.hashes import (
    chosen_arguments,
    flags_of,
    hash_invocation,
    hash_model,
    in_words,
    short,
)
from turnkeyml.nouns import InvocationRecord, Phase, Steps

MAX_RECORDED = 8
"""The most input shapes per model that are built; further ones are only listed."""

T = TypeVar("T")


class Keeper(Protocol):
    """Returns a model after the script has ended, even if the script has deleted it."""

    def model(self) -> Any: ...


class ModelKind(Protocol):
    """What a framework knows about its models; the register asks when it sees a call."""

    model_type: str
    """The type that reports show, such as ``Pytorch (torch.nn.Module)``."""

    def is_model(self, target: Any) -> bool:
        """Whether the target counts as a model; losses and activations do not."""

    def is_weightless(self, target: Any) -> bool:
        """Whether the target has no weights, so that it counts only if no model has any."""

    def text(self, target: Any) -> str:
        """The text that the documented model hash is computed from."""

    def fingerprint(self, target: Any) -> str:
        """Differs between models that differ in anything but the values of their weights."""

    def name(self, call: Call) -> str: ...

    def location(self, call: Call) -> tuple[str, int]:
        """File and line of the call; ``("", 0)`` for a submodel."""

    def parameters(self, target: Any) -> tuple[int, int]:
        """The number of parameters and their size in bytes."""

    def remarks(self, call: Call) -> tuple[str, ...]: ...

    def keep(self, target: Any) -> Keeper: ...

    def obstacle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """Why a call with these arguments cannot be built; None if it can."""

    def subject(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CapturedModel: ...


@dataclass(frozen=True)
class Call:
    """One observed call to a model."""

    kind: ModelKind
    target: Any
    called: Any
    """The object that was called: the target itself, or a wrapper around it."""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    frame: FrameType | None = None
    parent: Invocation | None = None
    enclosing: Any = None
    """The model whose call contains this one."""
    method: str = ""
    """The method that was called instead of the model itself."""
    entry: Callable[..., Any] | None = None
    """The function that gets the arguments, for the names and defaults of its parameters."""
    remarks: tuple[str, ...] = ()


@dataclass(eq=False)
class Invocation:
    """One model called with one set of input shapes, dtypes and flags."""

    model: _Model
    hash: str
    parent: Invocation | None
    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]
    flags: str = ""
    arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    obstacle: str | None = None
    executed: int = 0
    completed: int = 0
    seconds: float = 0.0
    method: str = ""
    chosen: dict[str, str] = field(default_factory=dict)
    """The arguments that are neither tensors nor defaults, as text."""
    remarks: tuple[str, ...] = ()
    place: tuple[str, int] = ("", 0)
    """File and line of the call of a method; the model has that of its first call."""
    steps: StepGroup | None = None
    """The decode steps that it is one of."""
    constant: bool = False
    """Whether each tensor of the first call had a single value, such as zero."""
    provisional: bool = False
    """Whether the arguments of a later call replace those that are recorded."""
    recorded_call: int = 1
    """The number of the call whose arguments are recorded."""

    @property
    def depth(self) -> int:
        return self.parent.depth + 1 if self.parent else 0

    def count(self, seconds: float, completed: bool = True) -> None:
        """Count one more execution."""
        self.executed += 1
        self.completed += completed
        self.seconds += seconds


@dataclass
class _Model:
    """All objects with the same structure, code and settings; they count as one model."""

    kind: ModelKind
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
    weightless: bool = False


@dataclass
class _Object:
    """One object of the script, and the model that it is within each parent invocation."""

    weak: weakref.ref[Any]
    models: dict[str | None, _Model] = field(default_factory=dict)


class _Thread(threading.local):
    """The state of one thread."""

    claimed_by: ModelKind | None = None


class Register:
    """Collects the calls of a script and returns its models and invocations."""

    def __init__(
        self, stem: str, on_found: Callable[[InvocationRecord], None] | None = None
    ) -> None:
        self._stem = stem
        self._on_found = on_found
        self._models: dict[tuple[str, str | None], _Model] = {}
        self._objects: dict[int, _Object] = {}
        self._invocations: dict[tuple[int, str, str], Invocation] = {}
        self._hashes: set[str] = set()
        self.overlooked: dict[str, None] = {}
        """Why calls were not entered, in sentences, in order; told if no model is found."""
        self._thread = _Thread()

    @contextlib.contextmanager
    def claimed(self, kind: ModelKind) -> Iterator[None]:
        """Within the block the calls of this thread belong to one call of a model of this kind.

        A model may be one of two frameworks, or contain models of another: the outermost counts.
        """
        before = self._thread.claimed_by
        self._thread.claimed_by = before or kind
        try:
            yield
        finally:
            self._thread.claimed_by = before

    def is_claimed(self, besides: ModelKind | None = None) -> bool:
        """Whether this thread is inside a call of a model, ``besides`` those of one kind."""
        return self._thread.claimed_by not in (None, besides)

    def knows(self, target: Any) -> bool:
        """Whether this object (by identity) has been called before."""
        known = self._objects.get(id(target))
        return known is not None and known.weak() is target

    def enter(self, call: Call, *, announce: bool = True) -> Invocation | None:
        """The invocation that a call belongs to; None if the target is not a model.

        It is listed once an execution of it is counted.
        """
        model = self._model(call)
        return self._invocation(model, call, announce) if model else None

    def records(self) -> list[InvocationRecord]:
        """Every invocation with its final counts; models are in the order of their first call.

        Models without weights are included only if no model has weights.
        """
        order = {id(m): i for i, m in enumerate(self._models.values())}
        executed = [i for i in self._invocations.values() if i.executed]
        found = sorted(executed, key=lambda i: order[id(i.model)])
        if not all(invocation.model.weightless for invocation in found):
            found = [invocation for invocation in found if not invocation.model.weightless]
        return [self._record(invocation) for invocation in found if _is_listed(invocation)]

    def subjects(self) -> list[CapturedModel]:
        """Every invocation that can be built, with its model and arguments.

        Of the decode steps of a model the longest comes first: the others can use its build.
        """
        by_hash = {i.hash: i for i in self._invocations.values()}
        found: dict[str, list[CapturedModel]] = {}
        for record in self.records():
            invocation = by_hash[record.hash]
            if record.obstacle is None and invocation.arguments is not None:
                args, kwargs = invocation.arguments
                model = invocation.model
                subject = model.kind.subject(record, model.keeper.model(), args, kwargs)
                group = record.steps.group if record.steps else record.hash
                found.setdefault(group, []).insert(0, subject)
        for members in found.values():
            for one in members:
                one.siblings = tuple(other for other in members if other is not one)
        return [one for members in found.values() for one in members]

    def _model(self, call: Call) -> _Model | None:
        """The model of a call; each object is examined only once per parent."""
        target = call.target
        parent_hash = call.parent.hash if call.parent else None
        if not self.knows(target):
            top = call.parent is None
            kind = call.kind
            if not kind.is_model(target) and not (top and kind.is_weightless(target)):
                return None
            self._objects[id(target)] = _Object(weakref.ref(target))
        known = self._objects[id(target)]
        if parent_hash not in known.models:
            known.models[parent_hash] = self._enter_model(call, parent_hash)
        return known.models[parent_hash]

    def _enter_model(self, call: Call, parent_hash: str | None) -> _Model:
        """The registered model; different models with the same ``repr`` get different hashes."""
        target, kind = call.target, call.kind
        fingerprint = _ask(lambda: kind.fingerprint(target), kind.text(target))
        key = (fingerprint, parent_hash)
        if key in self._models:
            return self._models[key]
        digest = hash_model(kind.text(target))
        if any(m.hash == digest and k[0] != fingerprint for k, m in self._models.items()):
            digest = short(digest + fingerprint)
        file, line = _ask(lambda: kind.location(call), ("", 0))
        parameters, parameter_bytes = _ask(lambda: kind.parameters(target), (0, 0))
        self._models[key] = _Model(
            kind=kind,
            name=_ask(lambda: kind.name(call), type(target).__name__),
            keeper=kind.keep(target),
            class_name=type(target).__name__,
            class_repr=str(type(target)),
            file=file,
            line=line,
            parameters=parameters,
            parameter_bytes=parameter_bytes,
            hash=digest,
            remarks=_ask(lambda: kind.remarks(call), ()),
            weightless=kind.is_weightless(target),
        )
        return self._models[key]

    def _invocation(self, model: _Model, call: Call, announce: bool) -> Invocation:
        named = structure.name_arguments(call.args, call.kwargs)
        tensors = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
        shapes, dtypes = structure.shapes(tensors), structure.dtypes(tensors)
        chosen = chosen_arguments(call.entry, call.args, call.kwargs)
        key = (id(model), f"{call.method}{shapes}{dtypes}", flags_of(chosen))
        if key in self._invocations:
            known = self._invocations[key]
            if known.provisional:
                self._record_again(known, call, tensors, chosen)
            return known
        parent_hash = call.parent.hash if call.parent else None
        digest = hash_invocation(model.hash, parent_hash, shapes, dtypes, call.method)
        if digest in self._hashes:
            more = call.method + structure.constants(named, numbers=False)
            digest = hash_invocation(model.hash, parent_hash, shapes, dtypes, more)
        self._hashes.add(digest)
        invocation = Invocation(
            model,
            digest,
            call.parent,
            shapes,
            dtypes,
            flags=call.method + flags_of(chosen),
            method=call.method,
            chosen=in_words(chosen),
            remarks=call.remarks,
            place=_ask(lambda: model.kind.location(call), ("", 0)) if call.method else ("", 0),
        )
        invocation.steps = self._steps_of(invocation)
        self._record_arguments(invocation, call)
        self._look_at_values(invocation, tensors)
        self._invocations[key] = invocation
        if announce and self._on_found and not model.weightless and invocation.steps is None:
            self._on_found(self._record(invocation))
        return invocation

    def _of_model(self, model: _Model) -> list[Invocation]:
        return [i for i in self._invocations.values() if i.model is model]

    def _steps_of(self, new: Invocation) -> StepGroup | None:
        """The decode steps that a new invocation continues; None if it is no such step."""
        known = self._of_model(new.model)
        groups = dict.fromkeys(i.steps for i in known if i.steps is not None)
        for group in groups:
            if group.takes(new.shapes, new.dtypes, new.flags):
                return group
        for before in (i for i in known if i.steps is None and i.arguments is not None):
            axes = starts_group(before, new.shapes, new.dtypes, new.flags)
            if axes:
                before.steps = StepGroup(before, axes)
                return before.steps
        return None

    def _record_arguments(self, invocation: Invocation, call: Call) -> None:
        """Copy the arguments before the model can modify them in place."""
        alone = [i for i in self._of_model(invocation.model) if i.steps is None]
        if invocation.steps is None and len(alone) >= MAX_RECORDED:
            invocation.obstacle = f"only the first {MAX_RECORDED} input shapes of a model are built"
            return
        invocation.obstacle = call.kind.obstacle(call.args, call.kwargs)
        if invocation.obstacle is not None:
            return
        try:
            arguments = structure.clone((call.args, call.kwargs))
        except Exception as error:  # noqa: BLE001 - recording must not stop the script
            invocation.obstacle = f"its inputs cannot be recorded ({describe(error)})"
            return
        if invocation.steps is not None:
            invocation.steps.add(invocation, arguments)
        else:
            invocation.arguments = arguments

    def _look_at_values(self, invocation: Invocation, tensors: dict[str, Any]) -> None:
        """Mark a first call whose arguments say little: all constant, as those of a warm-up."""
        if invocation.obstacle is None:
            parent = invocation.parent
            invocation.constant = structure.are_constant(tensors.values()) is True
            within = parent is not None and parent.provisional
            invocation.provisional = invocation.constant or within

    def _record_again(
        self,
        invocation: Invocation,
        call: Call,
        tensors: dict[str, Any],
        chosen: dict[str, Any],
    ) -> None:
        """Record the arguments of a later call instead of constant ones.

        What a model calls is recorded again in the same call as the model itself.
        """
        parent = invocation.parent
        if parent is not None and parent.provisional:
            return
        if invocation.constant and structure.are_constant(tensors.values()) is not False:
            return
        invocation.provisional = False
        if invocation.arguments is None:
            return
        try:
            arguments = structure.clone((call.args, call.kwargs))
        except Exception:  # noqa: BLE001 - those of the first call stay
            return
        number = invocation.executed + 1
        whose = "" if invocation.constant else " of its model"
        name = _ask(lambda: _name_of_constants(invocation), "") if invocation.constant else ""
        remark = (
            f"The first call{whose} had constant inputs{name}; those of call {number} are measured."
        )
        invocation.recorded_call = number
        invocation.arguments, invocation.chosen = arguments, in_words(chosen)
        invocation.remarks = (*invocation.remarks, remark)

    def _record(self, invocation: Invocation) -> InvocationRecord:
        model = invocation.model
        file, line = invocation.place if invocation.place[0] else (model.file, model.line)
        obstacle = invocation.obstacle
        if obstacle is None and invocation.executed > 0 and invocation.completed == 0:
            obstacle = "every call to it in the script failed"
        phase = phase_of(invocation, self._of_model(model))
        return InvocationRecord(
            name=f"{model.name}.{invocation.method}" if invocation.method else model.name,
            model_type=model.kind.model_type,
            class_name=model.class_name,
            class_repr=model.class_repr,
            file=file,
            line=line,
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
            remarks=(*model.remarks, *invocation.remarks),
            method=invocation.method,
            arguments=invocation.chosen,
            recorded_call=invocation.recorded_call,
            phase=phase,
            tokens=tokens_per_run(invocation) if phase is Phase.DECODE else 0,
            steps=_steps(invocation),
        )


def _ask(question: Callable[[], T], otherwise: T) -> T:
    """The answer, or another value if there is none: our own look never costs a model."""
    try:
        return question()
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return otherwise


def _name_of_constants(invocation: Invocation) -> str:
    """What the recorded tensors, each of a single value, are called; empty if there is no word."""
    tensors = structure.leaves(invocation.arguments).values()
    values = {float(tensor.reshape(-1)[0]) for tensor in tensors if tensor.shape}
    return " (zeros)" if values == {0.0} else " (ones)" if values == {1.0} else ""


def _is_listed(invocation: Invocation) -> bool:
    """Whether it is no decode step that is not measured, nor called inside of one."""
    if invocation.parent is not None and not _is_listed(invocation.parent):
        return False
    return invocation.steps is None or invocation in invocation.steps.measured


def _steps(invocation: Invocation) -> Steps | None:
    group = invocation.steps
    if group is None:
        return None
    lengths = [group.length(member) for member in group.members]
    return Steps(
        group=group.members[0].hash,
        length=group.length(invocation),
        count=len(group.members),
        shortest=min(lengths),
        longest=max(lengths),
        executed=sum(member.executed for member in group.members),
        seconds=sum(member.seconds for member in group.members),
    )
