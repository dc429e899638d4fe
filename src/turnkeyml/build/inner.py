"""Verifying an export by what the submodules of the original compute.

Some models amplify the smallest difference until their outputs say nothing: an export that is right
and one that is wrong are equally far from the original. Inside such a model they are not. The walk
starts at the inputs. It runs the file, looks for values in it that match a result of a submodule,
and goes on from there with the results of the original, so that no error accumulates, until it
arrives at the outputs. Every node lies between values that were compared, so that together they say
as much as the outputs of a stable model do.

Which value of the file belongs to which submodule need not be known: a pair that is wrong does not
match, or it is equal, and then it does not matter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from turnkeyml.build import onnx_files
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify.compare import compare
from turnkeyml.verify.reference import InnerResult, Outputs, Reference

__all__ = ["Walk", "walk"]

MAX_OUTPUTS = 256
"""The most values to look at in one step: a session with thousands of outputs takes minutes."""

MAX_OUTPUT_BYTES = 2 << 30
"""The most bytes that these values may take together."""

MAX_STEPS = 60

SAMPLED = 64
"""How many numbers are looked at to find the result that a value may be."""

TRIED = 3
"""How many of the most similar results a value is compared with."""


Candidates = list[tuple[str, int]]
"""Values of the file with their bytes; 0 if they are not known."""

Choice = Callable[[Candidates], Candidates]


@dataclass(frozen=True)
class Walk:
    """How far the file could be verified."""

    values: int
    """The number of values in the file that match a result of a submodule."""
    verdict: Verification
    """The verdict on the outputs, computed from the last of these results."""
    last: str = ""
    """The submodule that returned the last of them."""

    @property
    def arrived(self) -> bool:
        return self.values > 0 and self.verdict.verdict is Verdict.MATCH


def walk(path: Path, reference: Reference, precision: str, threads: int) -> Walk:
    """Verify a file submodule by submodule, on the inputs of the reference."""
    return _Walker(path, reference, precision, threads).run()


class _Walker:
    """One walk: what of the file is known to match, and what is still in front of it."""

    def __init__(self, path: Path, reference: Reference, precision: str, threads: int) -> None:
        self.path = path
        self.reference = reference
        self.precision = precision
        self.threads = threads
        self.model = onnx.shape_inference.infer_shapes(onnx_files.read_graph(path))
        self.results = _Results(reference.inner() if reference.inner else [])
        self.known: Outputs = {}
        self.last = ""
        self._outputs = [output.name for output in self.model.graph.output]
        self._types = {value.name: value for value in self.model.graph.value_info}

    def run(self) -> Walk:
        for _ in range(MAX_STEPS):
            ahead = _ahead(self.model.graph.node, set(self._outputs), set(self.known))
            verdict, found = self._step(ahead, _spread)
            if verdict.verdict is Verdict.MATCH:
                break
            if not found:
                verdict, found = self._step(ahead, _nearest)
            if not found:
                break
        return Walk(len(self.known), verdict, self.last)

    def _step(self, ahead: list[onnx.NodeProto], choose: Choice) -> tuple[Verification, bool]:
        """Look at some values ahead; the verdict on the outputs, and whether any value matches."""
        wanted = choose([*self._candidates(ahead)])
        made = self._compute(ahead, [name for name, _ in wanted])
        outputs = {name: made[name] for name in self._outputs}
        alone = Reference(self.reference.inputs, self.reference.outputs)
        verdict = compare(outputs, alone, self.precision)
        fresh = {}
        for name, _ in wanted:
            if (result := self.results.same(made[name], self.precision)) is not None:
                fresh[name] = result.array
                self.last = result.module
        self.known.update(fresh)
        return verdict, bool(fresh)

    def _candidates(self, ahead: Iterable[onnx.NodeProto]) -> Iterator[tuple[str, int]]:
        """The values ahead that may be results of submodules, with their bytes."""
        for name in itertools.chain.from_iterable(node.output for node in ahead):
            if not name or name in self.known or name in self._outputs:
                continue
            shape = _shape(self._types.get(name))
            if shape is None:
                yield name, 0
            elif shape in self.results.shapes:
                yield name, 8 * math.prod(shape)

    def _compute(self, ahead: list[onnx.NodeProto], names: list[str]) -> Outputs:
        """The outputs of the file and some inner values, computed from what is known."""
        from turnkeyml.runtimes.ort_session import run_once

        used = set(itertools.chain.from_iterable(map(_inputs, ahead)))
        given = {name: array for name, array in self.known.items() if name in used}
        own = {value.name for value in self.model.graph.input} & used
        part = onnx.ModelProto()
        part.CopyFrom(self.model)
        del part.graph.node[:], part.graph.value_info[:], part.graph.input[:], part.graph.output[:]
        part.graph.node.extend(ahead)
        inputs = [value for value in self.model.graph.input if value.name in own]
        part.graph.input.extend([*inputs, *(self._taken(*item) for item in given.items())])
        outputs = [*self._outputs, *names]
        part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
        self._keep_weights(part.graph, used)
        path = self.path.with_name(f"{self.path.stem}-inner.onnx")
        try:
            onnx.save(part, str(path))
            recorded = {n: array for n, array in self.reference.inputs.items() if n in own}
            made = run_once(str(path), {**recorded, **given}, self.threads)
        finally:
            path.unlink(missing_ok=True)
        return made

    def _taken(self, name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        """A known value as an input."""
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        return onnx.helper.make_tensor_value_info(name, kind, array.shape)

    def _keep_weights(self, graph: onnx.GraphProto, used: set[str]) -> None:
        kept = [weight for weight in graph.initializer if weight.name in used]
        del graph.initializer[:]
        graph.initializer.extend(kept)


class _Results:
    """The results of the submodules of the original, which can be looked up by their numbers."""

    def __init__(self, results: list[InnerResult]) -> None:
        self._by_shape: dict[tuple[int, ...], list[InnerResult]] = {}
        for result in results:
            self._by_shape.setdefault(result.array.shape, []).append(result)
        self._samples = {
            shape: np.stack([_sample(result.array) for result in found])
            for shape, found in self._by_shape.items()
        }

    @property
    def shapes(self) -> set[tuple[int, ...]]:
        return set(self._by_shape)

    def same(self, array: np.ndarray, precision: str) -> InnerResult | None:
        """The result that an array matches, if there is one."""
        results = self._by_shape.get(array.shape, [])
        if not results:
            return None
        sample = _sample(array)
        far = np.abs(self._samples[array.shape] - sample).sum(axis=1)
        for index in np.argsort(far)[:TRIED]:
            result = results[index]
            if result.array.dtype.kind != array.dtype.kind:
                continue
            alone = Reference({}, {"value": result.array})
            if compare({"value": array}, alone, precision).verdict is Verdict.MATCH:
                return InnerResult(result.module, result.array.astype(array.dtype))
        return None


def _sample(array: np.ndarray) -> np.ndarray:
    """Some numbers of an array, spread over it."""
    places = np.linspace(0, array.size - 1, SAMPLED).astype(int)
    numbers = np.clip(np.nan_to_num(array.reshape(-1)[places].astype(float)), -1e30, 1e30)
    return np.asarray(numbers)


def _spread(candidates: Candidates) -> Candidates:
    """As many of the candidates as may be, spread evenly over all."""
    step = max(1, -(-len(candidates) // MAX_OUTPUTS))
    while sum(size for _, size in candidates[::step]) > MAX_OUTPUT_BYTES:
        step += 1
    return candidates[::step]


def _nearest(candidates: Candidates) -> Candidates:
    """The first candidates, which are next to what is known."""
    sizes = itertools.accumulate(size for _, size in candidates)
    few = sum(1 for size in sizes if size <= MAX_OUTPUT_BYTES)
    return candidates[: min(few, MAX_OUTPUTS)]


def _ahead(
    nodes: Iterable[onnx.NodeProto], outputs: set[str], known: set[str]
) -> list[onnx.NodeProto]:
    """The nodes between what is known and the outputs, in order."""
    found, wanted = [], set(outputs)
    for node in reversed([*nodes]):
        if wanted & {*node.output}:
            found.append(node)
            wanted.update({*_inputs(node)} - known)
    return found[::-1]


def _inputs(node: onnx.NodeProto) -> list[str]:
    """The values that a node reads, including those that its nested graphs read."""
    names = list(node.input)
    for attribute in node.attribute:
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            names += [name for inner in graph.node for name in _inputs(inner)]
            names += [output.name for output in graph.output]
    return names


def _shape(value: onnx.ValueInfoProto | None) -> tuple[int, ...] | None:
    """The shape of a value if all of it is known."""
    if value is None or not value.type.tensor_type.HasField("shape"):
        return None
    dims = value.type.tensor_type.shape.dim
    fixed = all(dim.HasField("dim_value") for dim in dims)
    return tuple(dim.dim_value for dim in dims) if fixed else None
