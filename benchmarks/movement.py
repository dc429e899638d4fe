"""Has a change moved the outputs of a build beyond what its precision explains?

Decided without the code under test, for benchmarks/verdicts.py. An output has moved if it is
further from the original in fp64 than TIMES times the rounding of its precision, in the root mean
square over its informative numbers (finite ones, without the values that the model's own masks are
known to write; each channel by itself where the model is known to have channels of different
magnitudes). The rounding is the largest of

* how far the untouched build is from the original in fp64,
* how far PyTorch is from it in fp32, or in fp16,
* UNIT of the numbers themselves: one unit in the last place of fp16 (2^-11), and 16 of fp32
  (2^-20), as far as correct libraries are apart (ONNX Runtime's Fourier transform is 3e-6 off).

Booleans and integers have moved if more than TIMES as many of them change as in the untouched build
and in PyTorch in that precision, and than UNIT is a share of them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from verdict_models import Subject

from turnkeyml import structure

__all__ = ["STRICT", "TIMES", "UNIT", "Original", "Witness", "movement", "other_inputs"]

Arrays = list[np.ndarray]

TIMES = 10
UNIT = {"fp32": 2.0**-20, "fp16": 2.0**-11}
STRICT = {"fp32": 2.0**-24, "fp16": 2.0**-11}
"""One unit in the last place of either; counted too, because UNIT is a judgement."""


@dataclass(frozen=True)
class Witness:
    """What is computed on one set of inputs."""

    inputs: dict[str, np.ndarray]
    exact: Arrays
    """By the original in fp64."""
    rounded: Arrays
    """By the original in the precision of the build."""
    untouched: Arrays
    """By the build."""

    @property
    def usable(self) -> bool:
        """Whether rounding alone changes no shape."""
        shapes = [[pairs(a).shape for a in x] for x in (self.exact, self.rounded, self.untouched)]
        return shapes[0] == shapes[1] == shapes[2]

    def of_the_build(self) -> Witness:
        """With the untouched build in the place of the original, where that amplifies rounding."""
        return Witness(self.inputs, self.untouched, self.untouched, self.untouched)


@dataclass(frozen=True)
class Original:
    """A model, which can be run on any inputs."""

    model: torch.nn.Module
    precision: str

    def exact(self, inputs: Any) -> Arrays:
        """In fp64; as it is where the model fixes a dtype inside."""
        try:
            return call(copy.deepcopy(self.model).double(), inputs, torch.float64)
        except Exception:  # noqa: BLE001 - no matter why
            return call(self.model, inputs)

    def rounded(self, inputs: Any) -> Arrays:
        """In the precision; where PyTorch cannot, with weights rounded to fp16."""
        if self.precision == "fp32":
            return call(self.model, inputs)
        model = copy.deepcopy(self.model)
        try:
            return call(model.half(), inputs, torch.float16)
        except Exception:  # noqa: BLE001 - some operators do not exist in fp16
            return call(model.float(), inputs)


def call(model: torch.nn.Module, inputs: Any, dtype: torch.dtype | None = None) -> Arrays:
    """What PyTorch computes, as arrays; floating-point inputs in a dtype."""

    def cast(_: str, value: Any) -> Any:
        floats = torch.is_tensor(value) and value.is_floating_point()
        return value.to(dtype) if floats and dtype else value

    inputs = structure.replace(structure.clone(inputs), cast)
    torch._dynamo.reset()  # or else torch.cond fails in a process that has exported with dynamo
    with torch.no_grad():
        result = model(**inputs) if isinstance(inputs, dict) else model(*inputs)
    return [t.cpu().numpy() for t in structure.leaves(result).values()]


def other_inputs(subject: Subject, inputs: Any, seed: int) -> Any:
    """Other inputs for a model, drawn here: the verdict has held-out inputs of its own."""
    torch.manual_seed(seed)
    if subject.decides:
        return subject.make()[1]
    return structure.replace(structure.clone(inputs), lambda _, tensor: drawn(tensor))


def drawn(tensor: torch.Tensor) -> torch.Tensor:
    """Of the same mean and deviation; integers of the same range, or around a constant."""
    if tensor.numel() == 0:
        return tensor
    if tensor.is_floating_point():
        deviation = tensor.std() if tensor.numel() > 1 else tensor.abs().max()
        return (tensor.mean() + deviation * torch.randn(tensor.shape)).to(tensor.dtype)
    if tensor.dtype == torch.bool:
        return torch.rand(tensor.shape) > 0.5
    low, high = int(tensor.min()), int(tensor.max())
    if low == high:
        low, high = min(low, 0), max(high, 1)
    return torch.randint(low, high + 1, tensor.shape).to(tensor.dtype)


def movement(subject: Subject, witness: Witness, outputs: Arrays, unit: float) -> float:
    """How many times as far the outputs are from fp64 as rounding explains; the largest."""
    found = [0.0]
    made = zip(outputs, witness.exact, witness.rounded, witness.untouched, strict=True)
    for a, e, r, u in made:
        if a.shape != u.shape:
            return np.inf
        if e.dtype.kind in "biu":
            wrong = np.count_nonzero(a != e)
            noise = max(np.count_nonzero(u != e), np.count_nonzero(r != e))
            found.append(wrong / max(noise, unit * e.size, 0.5 / TIMES))
            continue
        found.extend(parts(subject, unit, *map(pairs, (a, e, r, u))))
    return max(found)


def pairs(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real ones, as ONNX has them."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def parts(
    subject: Subject, unit: float, a: np.ndarray, e: np.ndarray, *noisy: np.ndarray
) -> Iterator[float]:
    e, *others = (x.astype(np.float64) for x in (e, a, *noisy))
    good = np.isfinite(e) & np.isfinite(others[-1])
    for mask in subject.masks:
        good &= ~np.isclose(others[-1], mask, rtol=1e-2) & ~np.isclose(e, mask, rtol=1e-2)
    units = [good]
    if subject.axis is not None:
        axis = subject.axis
        index = np.arange(e.shape[axis]).reshape([-1 if d == axis else 1 for d in range(e.ndim)])
        units = [good & (index == i) for i in range(e.shape[axis])]
    for place in units:
        if place.any():
            moved, *noise = (rms(x[place] - e[place]) for x in others)
            allowed = max(unit * rms(e[place]), *filter(np.isfinite, noise), 1e-45)
            yield moved / allowed if np.isfinite(moved) else np.inf
    odd = ~good
    same = np.isclose(others[0][odd], others[-1][odd], rtol=1e-2, equal_nan=True)
    yield 0.0 if same.all() else np.inf


def rms(numbers: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))
