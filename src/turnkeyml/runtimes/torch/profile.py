"""PyTorch's profiler: the time of every operator, by the module that called it.

It records the shapes of inputs. Those of outputs follow from them, by a rule per operator.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile, record_function

from turnkeyml.nouns import OperatorTime, Profile, Span, TensorShape
from turnkeyml.runtimes.profiling import take_turns, typical

MOST_RUNS = 60
"""PyTorch keeps every event of a recording as an object."""
RUN = "turnkey run"
MODULE = "turnkey module: "
COMPILED_CODE = "## Call CompiledFxGraph"
"""The code that torch.compile wrote; its own time is that of the kernels in it."""
AROUND = ("Torch-Compiled Region", "CompiledFunction", "AOTDispatcher", "TorchDynamo", "Pregraph")
"""Events around the compiled code, which are no operators."""
LEAST_SHARE = 0.1
"""Of an operator's recorded time, that is its own at least, whatever recording it costs."""
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "long int": "int64",
    "int": "int32",
    "signed char": "int8",
    "unsigned char": "uint8",
}
Shape = tuple[int, ...]


@dataclass(frozen=True)
class _Call:
    """One call of an operator in a recording, with the module that called it."""

    event: Any
    module: str
    own_only: bool = False
    """Whether only its own time counts, as what it calls are operators too."""

    @property
    def us(self) -> float:
        if self.own_only:
            return float(self.event.self_cpu_time_total)
        return float(self.event.time_range.elapsed_us())

    @property
    def events(self) -> int:
        """How many events were recorded for it."""
        return 1 if self.own_only else _count(self.event)

    @property
    def op_type(self) -> str:
        name = str(self.event.name)
        return "TorchInductor kernels" if name.startswith(COMPILED_CODE) else name

    @property
    def key(self) -> tuple[Any, ...]:
        return self.module, self.op_type, str(self.event.input_shapes)


def profile_calls(call: Callable[[], None], model: Any, seconds: float) -> Profile:
    """The profile of calls of a live model, in turns with calls that are not profiled."""
    recordings: list[Any] = []
    modules = Modules(model)

    @contextlib.contextmanager
    def recording() -> Iterator[None]:
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as one, modules.named():
            yield
        recordings.append(one)

    def profiled() -> None:
        with record_function(RUN):
            call()

    turns = take_turns(call, profiled, seconds, MOST_RUNS, recording)
    runs = [event for one in recordings for event in one.events() if event.name == RUN]
    counted = [run for run, counts in zip(runs, turns.counted, strict=True) if counts]
    chosen = typical(turns.profiled)
    shown = [counted[number] for number in chosen]
    plain = float(np.mean(turns.plain[typical(turns.plain)]))
    slow = float(np.mean(turns.profiled[chosen]))
    return Profile(
        profiler="PyTorch's profiler",
        runs=len(shown),
        plain_ms=plain,
        profiled_ms=slow,
        operators=_operators(shown, weights_of(model), (slow - plain) * 1e3),
        spans=tuple(_spans(shown[len(shown) // 2])),
        in_python=modules.are_called,
        outside="outside of the operators, in Python and PyTorch's dispatcher",
    )


class Modules:
    """Names the modules of a model in a recording while they are called."""

    def __init__(self, model: Any) -> None:
        is_eager = isinstance(model, torch.nn.Module) and not hasattr(model, "_orig_mod")
        named = model.named_modules() if is_eager else ()  # hooks would compile a model again
        self._names = {id(module): name for name, module in named}
        self._open: list[Any] = []

    @property
    def are_called(self) -> bool:
        """Whether Python calls them, one by one."""
        return bool(self._names)

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Within it, every call of a module is an event of its name."""
        if not self._names:
            yield
            return
        before = torch.nn.modules.module.register_module_forward_pre_hook(self._begin)
        after = torch.nn.modules.module.register_module_forward_hook(self._end, always_call=True)
        try:
            yield
        finally:
            before.remove()
            after.remove()

    def _begin(self, module: Any, *_: Any) -> None:
        event = record_function(MODULE + self._names.get(id(module), type(module).__name__))
        event.__enter__()
        self._open.append(event)

    def _end(self, *_: Any) -> None:
        if self._open:
            self._open.pop().__exit__(None, None, None)


@dataclass(frozen=True)
class Weights:
    """What is known of the parameters of a model."""

    shapes: frozenset[tuple[int, ...]] = frozenset()
    """Those of the parameters and of their transposes."""
    dtype: str = "float"
    """That of the first with a floating point, as PyTorch's profiler names it."""


def weights_of(model: Any) -> Weights:
    """What is known of the parameters of a model."""
    if not isinstance(model, torch.nn.Module):
        return Weights()
    shapes = {tuple(parameter.shape) for parameter in model.parameters()}
    dtypes = [
        str(p.dtype).removeprefix("torch.") for p in model.parameters() if p.is_floating_point()
    ]
    names = {known: name for name, known in _DTYPES.items()}
    dtype = names.get(dtypes[0], "float") if dtypes else "float"
    return Weights(frozenset(shapes | {shape[::-1] for shape in shapes}), dtype)


def _calls(event: Any, module: str = "") -> Iterator[_Call]:
    """The operators that were called within an event, but not those that these call."""
    name = str(event.name)
    if name.startswith(COMPILED_CODE):
        yield _Call(event, module, own_only=True)
    elif name != RUN and not name.startswith((MODULE, *AROUND)):
        yield _Call(event, module)
        return
    inner = name.removeprefix(MODULE) if name.startswith(MODULE) else module
    for child in event.cpu_children:
        yield from _calls(child, inner)


def _count(event: Any) -> int:
    return 1 + sum(map(_count, event.cpu_children))


def _operators(runs: Sequence[Any], weights: Weights, cost: float) -> tuple[OperatorTime, ...]:
    """The mean of some runs, without ``cost``: the microseconds per run that recording takes, in
    equal parts per event."""
    together: dict[tuple[Any, ...], list[_Call]] = {}
    for call in (call for run in runs for call in _calls(run)):
        together.setdefault(call.key, []).append(call)
    each = max(0.0, cost) / max(1.0, sum(map(_count, runs)) / len(runs))
    return tuple(_operator(calls, weights, len(runs), each) for calls in together.values())


def _operator(calls: Sequence[_Call], weights: Weights, runs: int, each: float) -> OperatorTime:
    first = calls[0]
    recorded = sum(call.us for call in calls)
    own = recorded - each * sum(call.events for call in calls)
    name = f"{first.module}: {first.op_type}" if first.module else first.op_type
    inputs = tuple(shapes_of(first.event, weights))
    return OperatorTime(
        name=name,
        op_type=first.op_type,
        ms=max(own, LEAST_SHARE * recorded) / runs / 1e3,
        calls=len(calls) / runs,
        module=first.module,
        inputs=inputs,
        outputs=output_of(first.op_type, inputs, getattr(first.event, "concrete_inputs", ())),
    )


def shapes_of(event: Any, weights: Weights) -> Iterator[TensorShape]:
    """The tensors that an operator was given. Older versions of PyTorch do not record their dtypes;
    then they have that of the weights."""
    dtypes = getattr(event, "input_dtypes", None)
    if dtypes is None:
        dtypes = [weights.dtype if shape else "" for shape in event.input_shapes]
    for shape, dtype in zip(event.input_shapes, dtypes, strict=False):
        known = _DTYPES.get(dtype)
        if known is None or not all(isinstance(size, int) for size in shape):
            continue  # a number, a list or nothing
        found = TensorShape(known, tuple(shape))
        yield replace(found, constant=found.shape in weights.shapes and len(found.shape) > 0)


def _spans(run: Any) -> Iterator[Span]:
    begin = run.time_range.start
    for call in _calls(run):
        name = f"{call.module}: {call.op_type}" if call.module else call.op_type
        yield Span(name, call.op_type, call.event.time_range.start - begin, call.us)


def output_of(
    op_type: str, inputs: Sequence[TensorShape], given: Sequence[Any]
) -> tuple[TensorShape, ...]:
    """The output of an operator with these inputs; ``given`` are its arguments that are no tensors,
    with None for those that are. Empty if it is not known."""
    shapes = [one.shape for one in inputs]
    try:
        found = _RULES.get(op_type, _broadcast)(shapes, given)
    except (ValueError, IndexError, TypeError):  # other arguments than we know
        return ()
    return (TensorShape(inputs[0].dtype, found),) if inputs else ()


def _broadcast(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return tuple(int(size) for size in np.broadcast_shapes(*shapes))


def _first(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return shapes[0]


def _linear(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return (*shapes[0][:-1], shapes[1][0])


def _matmul(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    a, b = shapes[-2:] if len(shapes) < 3 else shapes[:2]
    if len(a) < 2 or len(b) < 2:
        raise ValueError("a vector")
    return (*_broadcast([a[:-2], b[:-2]], given), a[-2], b[-1])


def _addmm(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return _matmul(shapes[1:3], given)


def _conv(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    (image, weight), spatial = shapes[:2], len(shapes[1]) - 2
    stride, padding, dilation = (_each(value, spatial) for value in given[3:6])
    sizes = zip(image[2:], weight[2:], stride, padding, dilation, strict=True)
    window = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in sizes]
    return (image[0], weight[0], *window)


def _each(value: Any, count: int) -> list[int]:
    values = [*value] if isinstance(value, (list, tuple)) else [value]
    return [int(v) for v in values] * (count if len(values) == 1 else 1)


def _attention(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return (*shapes[0][:-1], shapes[2][-1])


def _unknown(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    raise ValueError("it depends on the values")


_RULES: dict[str, Callable[[Sequence[Shape], Sequence[Any]], Shape]] = {
    "aten::linear": _linear,
    "aten::matmul": _matmul,
    "aten::mm": _matmul,
    "aten::bmm": _matmul,
    "aten::addmm": _addmm,
    "aten::baddbmm": _addmm,
    "aten::conv1d": _conv,
    "aten::conv2d": _conv,
    "aten::conv3d": _conv,
    "aten::convolution": _conv,
    "aten::scaled_dot_product_attention": _attention,
    "aten::layer_norm": _first,
    "aten::batch_norm": _first,
    "aten::group_norm": _first,
    "aten::embedding": _unknown,
    "aten::cat": _unknown,
    "aten::stack": _unknown,
    "aten::lstm": _unknown,
    "aten::gru": _unknown,
    "TorchInductor kernels": _unknown,
}
