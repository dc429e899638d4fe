"""From a live PyTorch model to an ONNX file, by whichever of torch's exporters does it best.

The TorchScript exporter is several times faster on ordinary models; the dynamo exporter handles
more models and is the better one above the 2 GB that one protobuf file can hold. The first choice
is the faster one for the size at hand; its result counts only if it verifies, and otherwise the
other one is tried.
"""

from __future__ import annotations

import shutil
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from turnkeyml.build.check import check_onnx
from turnkeyml.build.stage import MODEL, ONNX, Stage, Workbench
from turnkeyml.errors import BuildError, describe
from turnkeyml.frameworks.torch import symbolics
from turnkeyml.frameworks.torch.flattened import Flattened, input_names, output_names
from turnkeyml.frameworks.torch.modules import evaluating
from turnkeyml.nouns import Verdict, Verification

__all__ = ["ExportPytorch"]

LARGE_BYTES = 750_000_000


class ExportPytorch(Stage):
    """Export with the faster exporter; with the other one where that fails or does not verify."""

    name = "export_pytorch"
    message = "Exporting PyTorch to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        attempts = []
        for exporter in _order(bench.model):
            attempt = _Attempt(exporter, bench)
            attempt.make()
            print(f"{exporter}: {attempt.outcome}", flush=True)
            attempts.append(attempt)
            if attempt.verification is not None and attempt.verification.trusted:
                break
        best = min(attempts, key=lambda a: a.rank)
        if best.verification is None:
            raise BuildError("; ".join(f"{a.exporter}: {a.outcome}" for a in attempts))
        best.adopt(bench)
        bench.facts["exporter"] = best.exporter
        bench.facts["exporter_reason"] = _reason(best, attempts)
        bench.facts["precision"] = bench.subject.precision
        bench.verdicts[best.path.name] = best.verification


class _Attempt:
    """One exporter's try at a model."""

    def __init__(self, exporter: str, bench: Workbench) -> None:
        self.exporter = exporter
        self._bench = bench
        self._folder = bench.work / exporter
        self.path = self._folder / bench.onnx_name("base")
        self.verification: Verification | None = None
        self.outcome = ""
        self.opset = 0
        self._frozen: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        return self.verification.verdict.rank if self.verification else len(Verdict)

    def make(self) -> None:
        """Export and verify; a failure is this attempt's outcome, not an error."""
        bench = self._bench
        self._folder.mkdir()
        try:
            self._frozen = _export(self.exporter, bench, self.path)
            self.opset = _check_opset(self.path, bench)
        except Exception as error:  # noqa: BLE001 - the other exporter may do better
            traceback.print_exc()
            self.outcome = f"failed ({describe(_root(error))})"
            return
        found = check_onnx(
            str(self.path),
            bench.reference,
            bench.subject.precision,
            bench.threads,
            may_specialise=True,
        )
        frozen = self._frozen if found.verdict is Verdict.SPECIALISED else ()
        self.verification = replace(found, frozen=frozen)
        self.outcome = f"{self.verification.verdict} ({self.verification.reason})"

    def adopt(self, bench: Workbench) -> None:
        """Make this attempt's files those of the stage and drop the others'."""
        for made in self._folder.iterdir():
            made.replace(bench.work / made.name)
        for folder in [f for f in bench.work.iterdir() if f.is_dir()]:
            shutil.rmtree(folder)
        bench.artifacts[ONNX] = bench.work / self.path.name
        bench.facts["onnx_opset"] = self.opset


def _root(error: BaseException) -> BaseException:
    """The first cause of an error (``workarounds.exporters.DYNAMO_ERROR_HIDES_CAUSE``)."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _order(model: torch.nn.Module) -> list[str]:
    size = sum(p.numel() * p.element_size() for p in model.parameters())
    return ["dynamo", "torchscript"] if size > LARGE_BYTES else ["torchscript", "dynamo"]


def _reason(best: _Attempt, attempts: list[_Attempt]) -> str:
    others = [f"{a.exporter} {a.outcome}" for a in attempts if a is not best]
    if others:
        return f"{best.outcome}; {'; '.join(others)}"
    return f"the faster one for this size; {best.outcome}"


def _export(exporter: str, bench: Workbench, path: Path) -> tuple[str, ...]:
    """Write the file; where the exporter says that it froze a decision."""
    for module in bench.model.modules():
        _without_history(vars(module))
    wrapper = Flattened(bench.model, bench.args, bench.kwargs)
    inputs = input_names(bench.model, bench.args, bench.kwargs)
    outputs = output_names(list(bench.reference.outputs), inputs)
    with torch.no_grad(), evaluating(wrapper), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _EXPORTERS[exporter](wrapper, path, inputs, outputs, bench.opset)
    for found in caught:
        print(warnings.formatwarning(found.message, found.category, found.filename, found.lineno))
    if not path.exists():
        raise BuildError("the exporter wrote no file")
    return tuple(dict.fromkeys(_frozen_at(found) for found in caught if _is_frozen(found)))


def _is_frozen(found: warnings.WarningMessage) -> bool:
    """Whether torch warns that a value of this run became a part of the export."""
    return issubclass(found.category, torch.jit.TracerWarning)


def _frozen_at(found: warnings.WarningMessage) -> str:
    what = str(found.message).partition(" might cause")[0].strip().splitlines()[0]
    return f"{Path(found.filename).name}, line {found.lineno}: {what[0].lower()}{what[1:]}"


def _without_history(kept: Any, seen: frozenset[int] = frozenset()) -> Any:
    """What a model keeps of earlier calls, without the gradients' history of it.

    To an exporter such a tensor is a constant, which must not have a history
    (``workarounds.exporters.HISTORY_IN_CONSTANTS``).
    """
    if torch.is_tensor(kept):
        return kept.detach() if kept.grad_fn is not None else kept
    if type(kept) is tuple:
        plain = tuple(_without_history(value, seen) for value in kept)
        return plain if any(a is not b for a, b in zip(plain, kept, strict=True)) else kept
    if isinstance(kept, (dict, list)) and id(kept) not in seen:
        seen |= {id(kept)}
        for key, value in kept.items() if isinstance(kept, dict) else enumerate(kept):
            if (without := _without_history(value, seen)) is not value:
                kept[key] = without
    return kept


def _export_torchscript(
    wrapper: Flattened, path: Path, inputs: list[str], outputs: list[str], opset: int
) -> None:
    symbolics.register()
    model, args = wrapper.as_exported()
    torch.onnx.export(
        model,
        args,
        str(path),
        input_names=inputs,
        output_names=outputs,
        opset_version=opset,
        dynamo=False,
    )


def _export_dynamo(
    wrapper: Flattened, path: Path, inputs: list[str], outputs: list[str], opset: int
) -> None:
    torch.onnx.export(
        wrapper,
        wrapper.tensors(),
        str(path),
        input_names=inputs,
        output_names=outputs,
        opset_version=opset,
        dynamo=True,
        external_data=True,
        verbose=False,
    )


_EXPORTERS: dict[str, Callable[..., Any]] = {
    "torchscript": _export_torchscript,
    "dynamo": _export_dynamo,
}


def _check_opset(path: Path, bench: Workbench) -> int:
    """The opset of a file, which may not be the one asked for (``DYNAMO_OPSET``)."""
    from turnkeyml.build.onnx_files import opset_of

    written = opset_of(path)
    if written != bench.opset and bench.opset_was_chosen:
        raise BuildError(f"opset {bench.opset} was asked for, but it wrote opset {written}")
    return written
