"""Findings about models on a GPU: waiting, short kernels, copies, and nodes on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from turnkeyml.explanation.quantities import counted, milliseconds, size
from turnkeyml.explanation.roofline import SHORT_MS, is_transfer, limit_of
from turnkeyml.nouns import Explanation, Finding, Operator

CPU = "CPUExecutionProvider"
IDLE = 0.25
"""A share of the latency in which the GPU waits that is worth a sentence."""
SHORT = 0.3
"""A share of the latency in kernels that are too short to fill the GPU."""
COPIED = 0.1
"""A share of the latency in copies between host and GPU."""
FASTER = 0.95
LARGER_BATCH = "a larger batch, which gives the GPU more work per kernel"


def _sum(operators: Iterable[Operator]) -> float:
    return sum(operator.ms for operator in operators)


def elsewhere(explanation: Explanation) -> Iterator[Finding]:
    """Nodes that run on the CPU although the model is on an accelerator."""
    providers = {one.provider for one in explanation.operators if one.provider}
    found = [one for one in explanation.operators if one.provider == CPU]
    if not providers - {CPU} or not found:
        return
    ms = _sum(found)
    types = ", ".join(sorted({one.op_type for one in found})[:5])
    verb = "runs" if len(found) == 1 else "run"
    yield Finding(
        "fallback",
        f"{counted(len(found), 'node')} of {len(explanation.operators)} {verb} on the CPU "
        f"({types}).",
        f"{milliseconds(ms)} by the profiler; the data is copied to the CPU and back for them",
        "use a newer version of the runtime or other operators; --rt-args chooses the providers",
        ms,
    )


def waiting(explanation: Explanation) -> Iterator[Finding]:
    """Time in which the GPU has nothing to do, as the host has not started it yet."""
    ms, latency = explanation.outside_ms, explanation.latency
    if not explanation.accelerator or ms < IDLE * latency:
        return
    host, kernels = explanation.host_ms, explanation.kernels
    text = f"The GPU waits for {ms / latency:.0%} of the time"
    evidence = f"it works for {milliseconds(explanation.operators_ms)} of {milliseconds(latency)}"
    if host is not None and host >= explanation.operators_ms and kernels:
        each = milliseconds(host / kernels)
        text += f": the host needs {milliseconds(host)} to start {kernels:.0f} kernels and copies"
        evidence += f"; {each} of the host per kernel"
    elif host is not None:
        evidence += f"; the host has started everything after {milliseconds(host)}"
    yield Finding("launches", f"{text}.", evidence, _launch_advice(explanation), ms)


def _launch_advice(explanation: Explanation) -> str:
    graph = next((a for a in explanation.alternatives if a.setting and a.ms), None)
    if graph is not None and graph.ms is not None:
        return (
            f"start the whole run as one CUDA graph (--rt-args {graph.setting}, measured: "
            f"{milliseconds(graph.ms)}), or use {LARGER_BATCH}"
        )
    if explanation.in_python:
        return (
            "use a runtime that does not call every operator from Python (--runtime "
            f"torch-compiled, ort or trt, the last two with --rt-args cuda_graph=true), or "
            f"{LARGER_BATCH}"
        )
    if explanation.runtime.startswith("torch"):
        return (
            'compile with CUDA graphs (torch.compile(mode="reduce-overhead") in the script), use '
            f"ort or trt with --rt-args cuda_graph=true, or {LARGER_BATCH}"
        )
    return f"use a runtime that fuses more operators (turnkey race), or {LARGER_BATCH}"


def short_kernels(explanation: Explanation) -> Iterator[Finding]:
    """Kernels that end before they have filled the GPU."""
    found = [one for one in explanation.operators if limit_of(one) == "overhead"]
    ms = _sum(found)
    if not explanation.accelerator or ms < SHORT * explanation.latency:
        return
    calls = sum(one.calls for one in found)
    least = sum(one.least_ms or 0.0 for one in found)
    yield Finding(
        "short kernels",
        f"{ms / explanation.latency:.0%} of the time in {calls:.0f} operators that take less than "
        f"{SHORT_MS * 1e3:.0f} µs each: too little work to fill the GPU.",
        f"{milliseconds(ms)}; a GPU that was filled would need {milliseconds(least)} for them",
        f"use {LARGER_BATCH}, or a runtime that fuses operators: turnkey race",
        ms,
    )


def transfers(explanation: Explanation) -> Iterator[Finding]:
    """Copies of inputs to the GPU and of outputs back."""
    found = [one for one in explanation.operators if is_transfer(one)]
    ms = _sum(found)
    if ms < COPIED * explanation.latency:
        return
    moved = sum(one.bytes or 0.0 for one in found)
    rate = f", {moved / ms / 1e6:.1f} GB/s" if moved else ""
    yield Finding(
        "transfers",
        f"{ms / explanation.latency:.0%} of the time is spent on copies between the host and the "
        "GPU.",
        f"{milliseconds(ms)} for {size(moved)}{rate}; {counted(len(found), 'tensor')}",
        "keep inputs and outputs on the GPU between models, or copy fewer bytes (uint8 images, "
        "fp16, only the outputs that are used)",
        ms,
    )


def settings(explanation: Explanation) -> Iterator[Finding]:
    """A runtime argument with which the same build is faster."""
    for other in explanation.alternatives:
        if not other.setting or other.ms is None or other.ms >= FASTER * explanation.latency:
            continue
        yield Finding(
            "setting",
            f"With {other.setting} it is {explanation.latency / other.ms:.2f} times as fast.",
            f"{milliseconds(other.ms)} against {milliseconds(explanation.latency)}, measured in "
            "turns",
            f"use --rt-args {other.setting}",
            explanation.latency - other.ms,
        )


def unrecorded(explanation: Explanation) -> Iterator[Finding]:
    """That nothing is known of the kernels."""
    host, latency = explanation.host_ms or 0.0, explanation.latency
    graph = next((a for a in explanation.alternatives if a.setting and a.ms), None)
    advice = "explain it with trt, torch-eager or torch-compiled, whose profilers record kernels"
    if graph is not None and graph.ms is not None and graph.ms < FASTER * latency:
        advice = f"use --rt-args {graph.setting}, which takes the host out of the way; {advice}"
    yield Finding(
        "unrecorded",
        f"What the GPU does is not recorded by {explanation.profiler}: the times of the operators "
        "are those in which the host starts them.",
        f"the host has started everything after {milliseconds(host)} of {milliseconds(latency)}",
        advice,
        latency,
    )


Rule = Callable[[Explanation], Iterator[Finding]]
ACCELERATED: tuple[Rule, ...] = (elsewhere, waiting, short_kernels, transfers, settings)
"""The rules of this module; they find nothing where there is no accelerator."""
BY_HOST: tuple[Rule, ...] = (unrecorded, elsewhere, settings)
"""The rules for operators of which only the host's times are known."""
