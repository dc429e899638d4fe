"""PyTorch's profiler on a GPU: the kernels that every operator has started, by module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile, record_function

from turnkeyml.errors import MeasureError
from turnkeyml.nouns import OperatorTime, Profile, Span
from turnkeyml.runtimes.nvidia.profile import (
    FROM_DEVICE,
    OUTSIDE,
    RECOVERY_RUNS,
    TO_DEVICE,
    plain_runs,
    profiled_runs,
)
from turnkeyml.runtimes.profiling import typical
from turnkeyml.runtimes.torch.profile import (
    AROUND,
    COMPILED_CODE,
    MODULE,
    RUN,
    Modules,
    Weights,
    output_of,
    shapes_of,
    weights_of,
)

MOST_RUNS = 40
"""PyTorch keeps every event of a recording as an object."""
OURS = (RUN, MODULE, *AROUND, COMPILED_CODE)
"""The beginnings of the names of events that are around operators. PyTorch shows them on the GPU
as well, from the first kernel within to the last."""
TRITON = {"poi": "pointwise", "red": "reduction", "per": "reduction", "tem": "template"}
"""What the names of the kernels that TorchInductor writes say about them."""
NOTABLE = 0.01
NOTHING = (
    "PyTorch's profiler has recorded nothing of the GPU; its driver may let only administrators "
    "profile (NVreg_RestrictProfilingToAdminUsers), or another profiler is running."
)


@dataclass(frozen=True)
class _Call:
    """An operator in a recording that has started kernels, or a kernel that no operator has."""

    event: Any
    """The operator; of a kernel by itself the event around it."""
    module: str
    kernels: tuple[Any, ...]
    alone: bool = False

    @property
    def us(self) -> float:
        return sum(float(kernel.duration) for kernel in self.kernels)

    @property
    def longest(self) -> str:
        return str(max(self.kernels, key=lambda kernel: float(kernel.duration)).name)

    @property
    def op_type(self) -> str:
        names = [str(kernel.name) for kernel in self.kernels]
        for copy in (TO_DEVICE, FROM_DEVICE):
            if all(name.startswith(copy) for name in names):
                return copy
        return _type_of(names[0] if self.alone else str(self.event.name))

    @property
    def name(self) -> str:
        if self.op_type in (TO_DEVICE, FROM_DEVICE):
            return "from the GPU" if self.op_type == FROM_DEVICE else "to the GPU"
        if self.alone:
            return self.longest
        own = str(self.event.name)
        return f"{self.module}: {own}" if self.module else own

    @property
    def key(self) -> tuple[Any, ...]:
        shapes = "" if self.alone else str(self.event.input_shapes)
        return self.name, self.op_type, shapes


def profile_gpu_calls(
    start: Callable[[], None],
    wait: Callable[[], None],
    model: Any,
    seconds: float,
    tf32: Sequence[str],
) -> Profile:
    """The profile of calls of a live model on a GPU: ``start`` begins one, ``wait`` ends it.

    Calls that are not profiled come first, as CUDA may go on tracing once it was asked to.
    """
    plain = plain_runs(start, wait, seconds / 4)
    modules = Modules(model)

    def run() -> None:
        with record_function(RUN):
            start()
            wait()

    with _recording():
        run()  # the first recording of a process starts CUPTI, which takes long
    with _recording() as recorded, modules.named():
        times = profiled_runs(run, seconds / 2, MOST_RUNS)
    events = list(recorded.events())
    runs = [one for one in events if one.name == RUN and _is_on_host(one)]
    chosen = typical(times)
    counted = [runs[RECOVERY_RUNS:][number] for number in chosen]
    shown = counted[len(counted) // 2]
    operators = operators_on_device(events, runs, counted, weights_of(model))
    if not operators:
        raise MeasureError(NOTHING)
    return Profile(
        profiler="PyTorch's profiler",
        runs=len(counted),
        plain_ms=plain.ms,
        profiled_ms=float(np.mean(times[chosen])),
        operators=operators,
        spans=tuple(_spans(events, shown)),
        in_python=modules.are_called,
        outside=OUTSIDE,
        on_device=True,
        kernels=float(sum(1 for event in events if _is_kernel(event)) / max(1, len(runs))),
        host_ms=plain.host_ms,
        tf32=tuple(tf32),
    )


def _recording() -> Any:
    return profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True)


def operators_on_device(
    events: Sequence[Any], runs: Sequence[Any], counted: Sequence[Any], weights: Weights
) -> tuple[OperatorTime, ...]:
    """The operators that have started kernels, with the mean of the counted runs.

    ``events`` are those of all ``runs``. Kernels that belong to none of their operators are
    operators themselves.
    """
    together: dict[tuple[Any, ...], list[_Call]] = {}
    for call in (call for run in counted for call in _calls(run)):
        together.setdefault(call.key, []).append(call)
    found = [_operator(calls, weights, len(counted)) for calls in together.values()]
    return (*found, *_without_operator(events, runs))


def _calls(event: Any, module: str = "") -> Iterator[_Call]:
    """The operators within an event that have started kernels, but not those that these call."""
    name = str(event.name)
    if not name.startswith(OURS):
        kernels = tuple(_kernels(event))
        if kernels:
            yield _Call(event, module, kernels)
        return
    for kernel in _own_kernels(event):
        yield _Call(event, module, (kernel,), alone=True)
    inner = name.removeprefix(MODULE) if name.startswith(MODULE) else module
    for child in event.cpu_children:
        yield from _calls(child, inner)


def _kernels(event: Any) -> Iterator[Any]:
    """The kernels that an event and those within it have started."""
    yield from _own_kernels(event)
    for child in event.cpu_children:
        yield from _kernels(child)


def _own_kernels(event: Any) -> Iterator[Any]:
    for kernel in event.kernels:
        if kernel.name != event.name and not str(kernel.name).startswith(OURS):
            yield kernel


def _operator(calls: Sequence[_Call], weights: Weights, runs: int) -> OperatorTime:
    first = calls[0]
    inputs = () if first.alone else tuple(shapes_of(first.event, weights))
    given = getattr(first.event, "concrete_inputs", ())
    return OperatorTime(
        name=first.name,
        op_type=first.op_type,
        ms=sum(call.us for call in calls) / runs / 1e3,
        calls=len(calls) / runs,
        module=first.module,
        kernel=first.longest,
        inputs=inputs,
        outputs=output_of(first.op_type, inputs, given),
    )


def _without_operator(events: Sequence[Any], runs: Sequence[Any]) -> Iterator[OperatorTime]:
    """The kernels whose operators PyTorch does not know, such as those of other libraries."""
    everything: Counter[str] = Counter()
    for event in filter(_is_kernel, events):
        everything[str(event.name)] += event.time_range.elapsed_us()
    known: Counter[str] = Counter()
    for kernel in (kernel for run in runs for kernel in _kernels(run)):
        known[str(kernel.name)] += kernel.duration
    for name, us in everything.items():
        left = us - known[name]
        if left > NOTABLE * us:
            yield OperatorTime(name, _type_of(name), left / len(runs) / 1e3, kernel=name)


def _type_of(name: str) -> str:
    """The type of an operator; of a kernel of TorchInductor what its name says."""
    written = re.match(r"triton_([a-z]{3})_", name)
    if written:
        return f"Triton {TRITON.get(written[1], 'kernel')}"
    if name.startswith(("aten::", "Memcpy", "Memset")) or "::" not in name[:40]:
        return re.sub(r"[<(].*", "", name, flags=re.S)[:60].strip() or name[:60]
    return re.sub(r"[<(].*", "", name.removeprefix("void "), flags=re.S)[:60]


def _is_on_host(event: Any) -> bool:
    return bool(event.device_type == DeviceType.CPU)


def _is_kernel(event: Any) -> bool:
    """Whether an event is work of the GPU, and not what PyTorch shows around such work."""
    if _is_on_host(event) or getattr(event, "is_user_annotation", False):
        return False
    return not str(event.name).startswith(OURS)


def _spans(events: Sequence[Any], run: Any) -> Iterator[Span]:
    """One run: its operators on the host, and the kernels on the GPU."""
    begin, end = run.time_range.start, run.time_range.end
    for call in _calls(run):
        at = call.event.time_range
        yield Span(call.name, call.op_type, at.start - begin, at.elapsed_us(), "host")
    for event in filter(_is_kernel, events):
        at = event.time_range
        if begin <= at.start <= end:
            yield Span(str(event.name), "kernel", at.start - begin, at.elapsed_us(), "GPU")
