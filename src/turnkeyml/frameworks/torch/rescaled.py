"""Verifying an export by a copy with rescaled weights, where a model amplifies rounding.

A deep model with random weights makes the smallest difference larger from layer to layer, because
its normalizations have the statistics of no data: a mean of 0 and a variance of 1. Training would
have taken them from its data. One forward pass on the recorded inputs does the same. Where a model
has no such normalizations, its layers are rescaled so that what they return has a mean of 0 and a
variance of 1 in every channel. The rest of the model stays as it is.

An export of such a copy, by the same exporter, can be compared with that copy. Its verdict holds
for the export itself if both are the same graph and have weights that follow from each other.
"""

from __future__ import annotations

import copy
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.build import BuildContext, Rescaling, check_onnx, difference
from turnkeyml.errors import describe
from turnkeyml.frameworks.torch.running import eval_mode
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import Outputs, Reference, compare

CONVOLUTIONS = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
LAYERS = (*CONVOLUTIONS, torch.nn.Linear)

STEPS: tuple[tuple[type[Any], ...], ...] = ((), CONVOLUTIONS, LAYERS)
"""The layers to rescale besides the normalisations, from the smallest change on."""

LEAST_VARIANCE = 1e-6
"""The variance that a channel is taken to have at least: some are constant."""

Export = Callable[[BuildContext], Path]

HooksOf = Callable[[str, Any], Iterator[Any]]
"""Adds hooks to a module with that name."""


def judge_rescaled(
    found: Verification, path: Path, bench: BuildContext, export: Export
) -> Verification:
    """The verdict on an export, with stable weights if the original amplifies rounding.

    It costs as much as the export and its verification did, and an original that is too large to be
    run in fp64 is not known to amplify rounding. So it is the size of the model that bounds it.
    """
    if bench.subject.precision != "fp32" or _stability(bench.reference) in (None, Verdict.MATCH):
        return found
    try:
        rescaled, rescalings = _rescaled_build(bench)
        exported = export(rescaled)
        other = difference(path, exported, rescalings)
        if other is not None:
            return replace(found, reason=f"{found.reason}; stable weights prove nothing: {other}")
        seen = check_onnx(
            str(exported), rescaled.reference, "fp32", bench.threads, may_specialise=True
        )
    except Exception as error:  # noqa: BLE001 - the verdict on the export remains, and says why
        reason = f"{found.reason}; the check with stable weights failed: {describe(error)}"
        return replace(found, reason=reason)
    print(f"With stable weights: {seen.verdict} ({seen.reason})", flush=True)
    return _concluded(found, seen)


def _stability(reference: Reference) -> Verdict | None:
    """How well the original agrees with itself in fp64; None if that is not known."""
    exact = reference.in_precision("fp64") if reference.deterministic else None
    if exact is None:
        return None
    return compare(reference.outputs, Reference(reference.inputs, exact), "fp32").verdict


def _rescaled_build(bench: BuildContext) -> tuple[BuildContext, Sequence[Rescaling]]:
    """The build of a copy with stable weights, from its reference on, and what changed in it."""
    for layers in STEPS:
        copied = rescaled_copy(bench.model, bench.args, bench.kwargs, layers)
        if copied is None:
            continue
        rescaled = _with_model(bench, copied.model)
        stability = _stability(rescaled.reference)
        changed = f"With {len(copied.rescalings)} modules rescaled"
        says = _says_as_much(rescaled.reference.outputs, bench.reference.outputs)
        empty = "" if says else ", with nothing to compare"
        print(f"{changed}: {stability} to itself in fp64{empty}", flush=True)
        if stability in (Verdict.MATCH, Verdict.CLOSE) and says:
            return rescaled, copied.rescalings
    raise ValueError("no weights were found at which the original does not amplify rounding")


def _says_as_much(outputs: Outputs, original: Outputs) -> bool:
    """Whether every output has something to compare, if it had that in the original.

    A detector that finds nothing matches any other that finds nothing.
    """
    pairs = zip(outputs.values(), original.values(), strict=False)
    return len(outputs) == len(original) and all(
        _varies(found) or not _varies(golden) for found, golden in pairs
    )


def _varies(array: np.ndarray) -> bool:
    return array.size > 0 and (array.size == 1 or bool(np.any(array != array.flat[0])))


def _with_model(bench: BuildContext, model: object) -> BuildContext:
    """The same build of another model, from its reference on."""
    subject = TorchSubject(bench.subject.record, model, bench.args, bench.kwargs)  # type: ignore[arg-type]
    return replace(bench, subject=subject, reference=subject.reference(bench.threads))


def _concluded(found: Verification, seen: Verification) -> Verification:
    """The verdict on an export whose copy with rescaled weights got a verdict."""
    if seen.trusted or seen.verdict is Verdict.SPECIALISED:
        parts = Verdict.IN_PARTS if seen.trusted else seen.verdict
        reason = f"with stable weights {seen.reason}; with its own {found.reason}"
        cause = Cause.STABLE_WEIGHTS if seen.trusted else seen.cause
        return replace(seen, verdict=parts, cause=cause, reason=reason, stable_weights=True)
    if seen.cause is Cause.ORIGINAL_UNSTABLE:
        return replace(found, reason=f"{found.reason}; stable weights amplify it too")
    reason = f"{found.reason}; with stable weights {seen.reason}"
    return replace(seen, reason=reason, stable_weights=True)


@dataclass(frozen=True)
class RescaledCopy:
    """A copy of a model with the statistics of its inputs, and what changed in it."""

    model: torch.nn.Module
    rescalings: tuple[Rescaling, ...]


def rescaled_copy(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    layers: tuple[type[Any], ...] = (),
) -> RescaledCopy | None:
    """A copy with the statistics of these arguments; None if there is nothing to rescale."""
    copied = copy.deepcopy(model)
    pass_ = _Pass(copied, layers)
    if not pass_.modules:
        return None
    if layers:
        pass_.run((args, kwargs), pass_.look)
    pass_.run((args, kwargs), pass_.rescale)
    originals = dict(model.named_modules())
    changed = ((originals[name], module) for name, module in pass_.rescaled.items())
    return RescaledCopy(copied, tuple(_rescaling(old, new) for old, new in changed))


class _Pass:
    """Forward passes of a model that look at what its modules get and return, and rescale them."""

    def __init__(self, model: torch.nn.Module, layers: tuple[type[Any], ...]) -> None:
        self._model = model
        uses = Counter(id(p) for m in model.modules() for p in m._parameters.values())
        self.modules = {
            name: module
            for name, module in model.named_modules()
            if _is_normalisation(module) or (isinstance(module, layers) and _is_own(module, uses))
        }
        self.rescaled: dict[str, Any] = {}
        self._made: dict[int, tuple[str, weakref.ref[Any]]] = {}
        """What layers have returned, by identity."""
        self._normalised: set[str] = set()
        """The layers whose results are normalised by another module."""

    def run(self, arguments: tuple[tuple[Any, ...], dict[str, Any]], hooks_of: HooksOf) -> None:
        """Run the model with hooks on its modules."""
        args, kwargs = structure.clone(arguments)
        hooks = [h for name, module in self.modules.items() for h in hooks_of(name, module)]
        try:
            with torch.no_grad(), eval_mode(self._model):
                self._model(*args, **kwargs)
        finally:
            for hook in hooks:
                hook.remove()

    def look(self, name: str, module: Any) -> Iterator[Any]:
        """Hooks that find the layers in front of a normalisation, which need no rescaling."""

        def before(_module: Any, inputs: tuple[Any, ...]) -> None:
            made, alive = self._made.get(id(inputs[0]), ("", None))
            if alive is not None and alive() is inputs[0]:
                self._normalised.add(made)

        def after(_module: Any, _inputs: Any, output: Any) -> None:
            self._made[id(output)] = (name, weakref.ref(output))

        if _is_normalisation(module):
            yield module.register_forward_pre_hook(before)
        else:
            yield module.register_forward_hook(after)

    def rescale(self, name: str, module: Any) -> Iterator[Any]:
        """Hooks that rescale a module by the statistics of its first call, before others use it."""

        def before(_module: Any, inputs: tuple[Any, ...]) -> None:
            if name not in self.rescaled:
                self.rescaled[name] = module
                mean, variance = _statistics(inputs[0], 1)
                module.running_mean.copy_(mean)
                module.running_var.copy_(variance)

        def after(_module: Any, _inputs: Any, output: torch.Tensor) -> torch.Tensor | None:
            if name in self.rescaled or name in self._normalised:
                return None
            self.rescaled[name] = module
            axis = 1 if isinstance(module, CONVOLUTIONS) else -1
            mean, variance = (found.to(output.dtype) for found in _statistics(output, axis))
            scale = variance.rsqrt()
            module.weight.mul_(scale.reshape(-1, *[1] * (module.weight.dim() - 1)))
            module.bias.sub_(mean).mul_(scale)
            shape = [1] * output.dim()
            shape[axis] = -1
            return (output - mean.reshape(shape)) * scale.reshape(shape)

        if _is_normalisation(module):
            yield module.register_forward_pre_hook(before)
        else:
            yield module.register_forward_hook(after)


def _is_normalisation(module: Any) -> bool:
    """Whether a module has running statistics; libraries have classes of their own for that."""
    kept = getattr(module, "running_mean", None), getattr(module, "running_var", None)
    return all(torch.is_tensor(found) for found in kept)


def _is_own(module: Any, uses: Counter[int]) -> bool:
    """Whether a layer has a weight and a bias that no other module uses."""
    tensors = [module._parameters.get(name) for name in ("weight", "bias")]
    return all(tensor is not None and uses[id(tensor)] == 1 for tensor in tensors)


def _statistics(values: torch.Tensor, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean and the variance of each channel."""
    wide = values.detach().double()
    dims = [dim for dim in range(wide.dim()) if dim != axis % wide.dim()]
    if not dims:
        return torch.zeros_like(wide), torch.ones_like(wide)
    return wide.mean(dims), wide.var(dims, unbiased=False).clamp(min=LEAST_VARIANCE)


def _rescaling(old: Any, new: Any) -> Rescaling:
    names = ("running_mean", "running_var") if _is_normalisation(old) else ("weight", "bias")
    tensors = tuple((_array(getattr(old, name)), _array(getattr(new, name))) for name in names)
    if _is_normalisation(old):
        (first, before), (second, after) = map(_affine, (old, new))
        return Rescaling(tensors, scale=(first, second), offset=(before, after))
    (_, _), (bias, shifted) = tensors
    scale = _ratio(*tensors[0])
    return Rescaling(
        tensors,
        scale=(np.ones_like(scale), scale),
        offset=(np.zeros_like(bias), shifted - bias * scale),
    )


def _ratio(weight: np.ndarray, rescaled: np.ndarray) -> np.ndarray:
    """By what each channel of a weight was multiplied."""
    rows, others = (array.reshape(len(array), -1) for array in (weight, rescaled))
    square = np.square(rows).sum(axis=1)
    return np.divide((rows * others).sum(axis=1), square, out=np.ones(len(rows)), where=square > 0)


def _affine(module: Any) -> tuple[np.ndarray, np.ndarray]:
    """What a normalisation multiplies each channel by, and what it adds to it."""
    variance, mean = _array(module.running_var), _array(module.running_mean)
    weight, bias = (getattr(module, name, None) for name in ("weight", "bias"))
    epsilon = float(getattr(module, "eps", 1e-5))
    scale = (1.0 if weight is None else _array(weight)) / np.sqrt(variance + epsilon)
    return scale, (0.0 if bias is None else _array(bias)) - mean * scale


def _array(tensor: torch.Tensor) -> np.ndarray:
    found: np.ndarray = tensor.detach().double().cpu().numpy()
    return found
