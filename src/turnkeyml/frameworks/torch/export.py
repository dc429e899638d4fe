"""Exporting a live PyTorch model to ONNX with one of torch's two exporters.

The TorchScript exporter is several times faster on ordinary models. The dynamo exporter supports
more models and handles those above the 2 GB limit of a protobuf file better. We try the faster
exporter for the size of the model first. If its result fails or does not verify, we try the other.

A decode step is exported with a dynamic length, so that one file serves all lengths of the cache.
"""

from __future__ import annotations

import contextlib
import shutil
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from turnkeyml import structure
from turnkeyml.build import (
    MODEL,
    ONNX,
    WIDENED_FROM,
    BuildContext,
    CapturedModel,
    Stage,
    check_onnx,
    move_weights_out,
    opset_of,
    output_operators,
    widen_bfloat16,
)
from turnkeyml.errors import BuildError, describe, named
from turnkeyml.frameworks.torch import symbolics
from turnkeyml.frameworks.torch.decisions import Decisions, Warned, warnings_of
from turnkeyml.frameworks.torch.rescaled import judge_rescaled
from turnkeyml.frameworks.torch.running import eval_mode, preserved
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.frameworks.torch.wrappers import FlatModule, input_names, output_names
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Reference, with_frozen

LARGE_BYTES = 750_000_000
"""Models with more bytes of weights than this are exported with dynamo first."""

Axes = dict[int, tuple[int, ...]]
"""Dimensions by the position of their tensor among all tensor arguments."""


class ExportPytorch(Stage):
    """Export with the faster exporter; fall back to the other if it fails or does not verify."""

    name = "export_pytorch"
    message = "Exporting PyTorch to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        attempts: list[_Attempt] = []
        decisions = Decisions(bench)
        order = _order(bench.model)
        plans = [(exporter, True) for exporter in order if bench.subject.siblings]
        for exporter, dynamic in [*plans, *((exporter, False) for exporter in order)]:
            if not dynamic and any(a.is_trusted for a in attempts):
                break
            attempt = _Attempt(exporter, bench, decisions, dynamic)
            attempt.make()
            print(f"{attempt}: {attempt.outcome}", flush=True)
            attempts.append(attempt)
            if attempt.is_trusted and attempt.serves_siblings == dynamic:
                break
        best = min(attempts, key=lambda a: (a.rank, not a.serves_siblings))
        if best.verification is None:
            raise BuildError("; ".join(f"{a}: {a.outcome}" for a in attempts))
        best.adopt(bench)
        if best.serves_siblings:
            bench.facts["dynamic_length"] = True
        bench.facts["exporter"] = best.exporter
        bench.facts["exporter_reason"] = _reason(best, attempts)
        bench.facts["precision"] = bench.subject.precision
        bench.verdicts[best.path.name] = best.verification
        if best.verification.stable_weights and best.verification.trusted:
            bench.verify_by(bench.artifacts[ONNX])


class _Attempt:
    """One attempt to export a model with one exporter."""

    def __init__(
        self, exporter: str, bench: BuildContext, decisions: Decisions, dynamic: bool = False
    ) -> None:
        self.exporter = exporter
        self._bench = bench
        self._decisions = decisions
        self._dynamic = dynamic
        """Whether the lengths in which the siblings differ are dynamic."""
        self._folder = bench.work / (f"{exporter}-dynamic" if dynamic else exporter)
        self.path = self._folder / bench.onnx_name("base")
        self.verification: Verification | None = None
        self.serves_siblings = False
        """Whether the file computes the same as the original at the other lengths too."""
        self.outcome = ""
        self.opset = 0
        self._widened = False

    def __str__(self) -> str:
        return f"{self.exporter} with a dynamic length" if self._dynamic else self.exporter

    @property
    def is_trusted(self) -> bool:
        return self.verification is not None and self.verification.trusted

    @property
    def rank(self) -> int:
        return self.verification.verdict.rank if self.verification else len(Verdict)

    def make(self) -> None:
        """Export and verify. A failure becomes the outcome of this attempt; it does not raise."""
        bench = self._bench
        self._folder.mkdir()
        try:
            warned = self._write(bench, self.path)
            self.opset = _check_opset(self.path, bench)
            self._widened = bench.widens and widen_bfloat16(self.path)
        except Exception as error:  # noqa: BLE001 - the other exporter may do better
            traceback.print_exc()
            self.outcome = f"failed ({describe(named(_root(error), self.path))})"
            return
        found = check_onnx(
            str(self.path),
            self._decisions.reference(),
            bench.subject.precision,
            bench.threads,
            may_specialise=True,
        )
        found = self._with_stable_weights(found)
        traced = self.exporter == "torchscript"
        frozen = self._decisions.frozen(found, warned, traced=traced)
        self.verification = with_frozen(found, frozen, specialised=False)
        self.outcome = f"{self.verification.verdict} ({self.verification.reason})"
        if self._dynamic and self.is_trusted:
            self._check_siblings()

    def _write(self, bench: BuildContext, path: Path) -> list[Warned]:
        axes = growing_axes(self._bench.subject) if self._dynamic else {}
        return _export(self.exporter, bench, path, axes)

    def _check_siblings(self) -> None:
        """See whether the file is right at the other lengths, on the inputs recorded there.

        The build of each of them verifies it on held-out inputs as well.
        """
        for sibling in self._bench.subject.siblings:
            reason = self._why_not_at(sibling)
            if reason is not None:
                self.outcome += f"; not at other lengths of the cache: {reason}"
                return
        self.serves_siblings = True

    def _why_not_at(self, sibling: CapturedModel) -> str | None:
        """Why the file cannot serve another length; None if it can."""
        threads = self._bench.threads
        try:
            known = sibling.reference(threads)
        except Exception as error:  # noqa: BLE001 - the build of that length says so too
            return describe(error)
        recorded = Reference(known.inputs, known.outputs, precision=known.precision)
        found = check_onnx(str(self.path), recorded, sibling.precision, threads)
        return None if found.trusted else found.reason

    def _with_stable_weights(self, found: Verification) -> Verification:
        """The verdict; on a copy with stable weights if the model amplifies rounding too much."""
        if found.verdict not in (Verdict.CLOSE, Verdict.MISMATCH):
            return found
        folder = self._folder.with_name(f"{self._folder.name}-stable")

        def export(bench: BuildContext) -> Path:
            folder.mkdir()
            self._write(bench, folder / self.path.name)
            if self._widened:
                widen_bfloat16(folder / self.path.name)
            return folder / self.path.name

        try:
            return judge_rescaled(found, self.path, self._bench, export)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def adopt(self, bench: BuildContext) -> None:
        """Keep the files of this attempt and delete those of the others."""
        for made in self._folder.iterdir():
            made.replace(bench.work / made.name)
        for folder in [f for f in bench.work.iterdir() if f.is_dir()]:
            shutil.rmtree(folder)
        bench.artifacts[ONNX] = bench.work / self.path.name
        bench.reference.know(output_operators(bench.artifacts[ONNX]))
        move_weights_out(bench.artifacts[ONNX])  # so that later stages can share them
        bench.facts["onnx_opset"] = self.opset
        if self._widened:
            bench.facts[WIDENED_FROM] = "bf16"


def _root(error: BaseException) -> BaseException:
    """The root cause of an error (``workarounds.exporters.DYNAMO_ERROR_HIDES_CAUSE``)."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _order(model: torch.nn.Module) -> list[str]:
    size = sum(p.numel() * p.element_size() for p in model.parameters())
    return ["dynamo", "torchscript"] if size > LARGE_BYTES else ["torchscript", "dynamo"]


def _reason(best: _Attempt, attempts: list[_Attempt]) -> str:
    others = [f"{a} {a.outcome}" for a in attempts if a is not best]
    if others:
        return f"{best.outcome}; {'; '.join(others)}"
    return f"the faster exporter for a model of this size; {best.outcome}"


def _export(exporter: str, bench: BuildContext, path: Path, axes: Axes) -> list[Warned]:
    """Write the ONNX file; return where the exporter may have frozen a data-dependent value."""
    for module in bench.model.modules():
        _detached(vars(module))
    wrapper = FlatModule(bench.model, bench.args, bench.kwargs)
    inputs = input_names(bench.model, bench.args, bench.kwargs)
    outputs = output_names(list(bench.reference.outputs), inputs)
    with contextlib.ExitStack() as stack:
        stack.enter_context(preserved(bench.model))  # a tracer leaves symbols in attributes
        stack.enter_context(torch.no_grad())
        stack.enter_context(eval_mode(wrapper))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        _EXPORTERS[exporter](wrapper, path, inputs, outputs, bench.opset, axes=axes)
    for found in caught:
        print(warnings.formatwarning(found.message, found.category, found.filename, found.lineno))
    if not path.exists():
        raise BuildError("the exporter wrote no file")
    return warnings_of(caught)


def growing_axes(subject: CapturedModel) -> Axes:
    """The dimensions in which the siblings of a model differ from it, by the tensor's position."""
    found: Axes = {}
    shapes = [_shapes_of(s) for s in (subject, *subject.siblings)]
    for position, sizes in enumerate(zip(*shapes, strict=True)):
        differ = [i for i, many in enumerate(zip(*sizes, strict=True)) if len({*many}) > 1]
        if differ:
            found[position] = tuple(differ)
    return found


def _shapes_of(subject: CapturedModel) -> list[tuple[int, ...]]:
    assert isinstance(subject, TorchSubject)
    return [tuple(t.shape) for t in structure.leaves((subject.args, subject.kwargs)).values()]


def _detached(attribute: Any, seen: frozenset[int] = frozenset()) -> Any:
    """An attribute of a module with its tensors detached from the autograd graph.

    A model may store tensors of earlier calls. An exporter treats them as constants, which must
    not have a ``grad_fn`` (``workarounds.exporters.HISTORY_IN_CONSTANTS``).
    """
    if torch.is_tensor(attribute):
        return attribute.detach() if attribute.grad_fn is not None else attribute
    if type(attribute) is tuple:
        plain = tuple(_detached(value, seen) for value in attribute)
        changed = any(a is not b for a, b in zip(plain, attribute, strict=True))
        return plain if changed else attribute
    if isinstance(attribute, (dict, list)) and id(attribute) not in seen:
        seen |= {id(attribute)}
        items = attribute.items() if isinstance(attribute, dict) else enumerate(attribute)
        for key, value in items:
            if (detached := _detached(value, seen)) is not value:
                attribute[key] = detached
    return attribute


def _export_torchscript(
    wrapper: FlatModule,
    path: Path,
    inputs: list[str],
    outputs: list[str],
    opset: int,
    *,
    axes: Axes,
) -> None:
    symbolics.register()
    model, args = wrapper.as_exported()
    names = {inputs[i]: dict.fromkeys(grows, f"length_{i}") for i, grows in axes.items()}
    torch.onnx.export(
        model,
        args,
        str(path),
        input_names=inputs,
        output_names=outputs,
        opset_version=opset,
        dynamic_axes=names or None,
        dynamo=False,
    )


def _export_dynamo(
    wrapper: FlatModule,
    path: Path,
    inputs: list[str],
    outputs: list[str],
    opset: int,
    *,
    axes: Axes,
) -> None:
    tensors = wrapper.tensors()
    auto = torch.export.Dim.AUTO
    shapes = tuple(dict.fromkeys(axes.get(i, ()), auto) for i in range(len(tensors)))
    torch.onnx.export(
        wrapper,
        tensors,
        str(path),
        input_names=inputs,
        output_names=outputs,
        opset_version=opset,
        dynamic_shapes={"tensors": shapes} if axes else None,
        dynamo=True,
        external_data=True,
        verbose=False,
    )


_EXPORTERS: dict[str, Callable[..., Any]] = {
    "torchscript": _export_torchscript,
    "dynamo": _export_dynamo,
}


def _check_opset(path: Path, bench: BuildContext) -> int:
    """The opset of a file, which may differ from the requested one (``DYNAMO_OPSET``)."""
    written = opset_of(path)
    if written != bench.opset and bench.opset_was_chosen:
        raise BuildError(f"opset {bench.opset} was requested, but it wrote opset {written}")
    return written
