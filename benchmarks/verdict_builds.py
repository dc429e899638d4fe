"""The builds that benchmarks/verdicts.py sabotages, with what the original computes."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import trained_models
from movement import TIMES, UNIT, Original, Witness, movement, other_inputs
from verdict_models import Subject

import turnkeyml
from turnkeyml import structure
from turnkeyml.cache import BuildFolder, BuildState
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.runtimes import OrtSession, OrtSettings
from turnkeyml.verify import Reference, judge, load_reference

__all__ = ["LARGE", "SEED", "THREADS", "Build", "File", "make", "quiet"]

SEED = [0]
"""Of weights, inputs and changes; the rules were chosen on seed 0."""
OTHERS, OTHERS_OF_DECISIONS = 2, 6
"""How many sets of inputs are drawn to see what a frozen decision does; 1 for large models."""
LARGE = 8 << 20
"""Models whose file and inputs have more bytes are tried less often."""
THREADS = 1
"""Of ONNX Runtime and PyTorch: two that wait for each other are slow on a busy machine."""


class File:
    """An ONNX file in ONNX Runtime, which is run once on each set of inputs."""

    def __init__(self, path: Path) -> None:
        self._session = OrtSession(str(path), OrtSettings(THREADS))
        self._outputs: dict[int, dict[str, np.ndarray]] = {}

    def run(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if id(inputs) not in self._outputs:
            self._session.feed(inputs)
            self._session.run()
            self._outputs[id(inputs)] = self._session.outputs()
        return self._outputs[id(inputs)]


@dataclass(frozen=True)
class Build:
    """A finished build with the original."""

    subject: Subject
    precision: str
    path: Path
    state: BuildState
    reference: Reference
    original: Original | trained_models.Original
    arguments: Any

    @property
    def title(self) -> str:
        return f"{self.subject.name} {self.precision}"

    @property
    def computes_in(self) -> str:
        """The precision that rounding is to be expected of."""
        return "fp32" if self.state.facts["precision"] == "fp32" else "fp16"

    @property
    def size(self) -> int:
        """The bytes of the file and of its inputs."""
        data = sum(array.nbytes for array in self.reference.inputs.values())
        return self.path.stat().st_size + data

    def judge(self, file: Any) -> Verification:
        """The verdict on a file, or on what has its ``run``, as the process that measures comes
        to it."""
        assert self.state.reference is not None
        return judge(
            file.run,
            self.reference,
            self.state.facts["precision"],
            may_specialise=self.state.reference.specialised,
        )

    @functools.cached_property
    def untouched(self) -> File:
        return File(self.path)

    @functools.cached_property
    def verdict(self) -> Verification:
        """On the untouched build: the worse of its own and of the measuring process."""
        found = self.judge(self.untouched)
        own = self.state.verification
        assert own is not None
        return own if own.verdict.rank > found.verdict.rank else found

    @functools.cached_property
    def recorded(self) -> Witness:
        """On the recorded inputs; on held-out ones if the original returns nothing there."""
        seen = self._seen(self.arguments, self.reference.inputs)
        for held in self.reference.held_out:
            if any(array.size for array in seen.untouched):
                break
            seen = self._seen(self._arguments(held.inputs), held.inputs)
            seen = seen if seen.usable else seen.of_the_build()
        return seen

    def _arguments(self, inputs: dict[str, np.ndarray]) -> Any:
        """The arguments of the original for other inputs."""
        tensors = iter([torch.from_numpy(array) for array in inputs.values()])
        return structure.replace(structure.clone(self.arguments), lambda _, __: next(tensors))

    @functools.cached_property
    def others(self) -> list[Witness]:
        """What is computed on inputs that are drawn here, where the original takes them."""
        found = []
        for arguments, inputs in self._other_inputs():
            with contextlib.suppress(Exception):
                seen = self._seen(arguments, inputs)
                found += [seen] if seen.usable else []
        return found

    @property
    def is_wrong_on_others(self) -> bool:
        """Whether the untouched build is wrong on inputs that are drawn here."""
        for arguments, inputs in self._other_inputs():
            try:
                exact, rounded = self._originals(arguments)
            except Exception:  # noqa: BLE001 - the original does not take them
                continue
            try:
                outputs = list(self.untouched.run(inputs).values())
            except Exception:  # noqa: BLE001 - but the build does not
                return True
            seen = Witness(inputs, exact, rounded, rounded)
            if seen.usable and movement(self.subject, seen, outputs, self._unit) > TIMES:
                return True
        return False

    @property
    def _unit(self) -> float:
        return UNIT[self.computes_in]

    def _other_inputs(self) -> Iterator[tuple[Any, dict[str, np.ndarray]]]:
        many = OTHERS_OF_DECISIONS if self.subject.decides else OTHERS
        for number in range(many if self.size < LARGE else 1):
            arguments = other_inputs(self.subject, self.arguments, 1000 * (SEED[0] + 1) + number)
            tensors = structure.leaves(arguments).values()
            named = zip(self.reference.inputs, tensors, strict=True)
            yield arguments, {name: tensor.numpy() for name, tensor in named}

    def _originals(self, arguments: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
        with quiet():
            return self.original.exact(arguments), self.original.rounded(arguments)

    def _seen(self, arguments: Any, inputs: dict[str, np.ndarray]) -> Witness:
        outputs = list(self.untouched.run(inputs).values())
        seen = Witness(inputs, *self._originals(arguments), outputs)
        return seen.of_the_build() if self.verdict.verdict is Verdict.IN_PARTS else seen


def make(subject: Subject, precision: str, cache: Path) -> Build:
    torch.manual_seed(SEED[0])
    name = "".join(c if c.isalnum() else "_" for c in f"{subject.name}_{precision}")
    with quiet():
        model, inputs = subject.make()
        if isinstance(model, torch.nn.Module):
            model.eval()
        state = turnkeyml.build_model(
            model,
            inputs,
            build_name=name,
            cache_dir=str(cache),
            sequence=f"optimize-{precision}",
            monitor=False,
        )
    folder = BuildFolder(cache, name)
    assert state.reference is not None
    reference = load_reference(folder, state.reference)
    path = folder.path / state.artifacts["onnx"]
    live = isinstance(model, torch.nn.Module)
    original = Original(model, precision) if live else trained_models.Original(model)
    return Build(subject, precision, path, state, reference, original, inputs)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
