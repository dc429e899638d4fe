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
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from turnkeyml.build import onnx_graph
from turnkeyml.build.graph_rounding import (
    SUPPRESSION,
    interpolates,
    is_decision,
    moved_by_rounding,
    nearer,
    scores_of,
    the_same_decision,
)
from turnkeyml.build.onnx_graph import take_out
from turnkeyml.cache import widened
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import InnerResult, Outputs, Reference, compare, is_far

SAMPLED = 64
"""How many numbers are looked at to find the result that a value may be."""

SAMPLE_NEAR = 0.01
"""How far these may be off, relative to their sum, for all of the numbers to be compared."""

RESULTS_TRIED = 3
"""How many of the most similar results a value is compared with."""

FLOAT, DOUBLE, FLOAT16 = (
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.DOUBLE,
    onnx.TensorProto.FLOAT16,
)

MAX_OUTPUTS = 256
"""The most values to look at in one step: a session with thousands of outputs takes minutes."""

MAX_OUTPUT_BYTES = 1 << 30
"""The most bytes that these values may take together."""

MAX_DECISIONS = 32
"""The most decisions to look at in one step."""

MAX_STEPS = 60

NEARER = 0.5
"""How far off an output must be that is judged again, as a share of how far off it was."""

LARGE = 1 << 23
"""Outputs with more numbers are computed and judged once, when nothing more can be found on the way
to them: to judge a hundred masks of 800 x 800 takes longer than all the rest of a step."""

Dims = list[int | None]
"""The dimensions of a value; None for those that the file does not say."""

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
        return self.verdict.verdict is Verdict.MATCH


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
        self.model = onnx_graph.with_shapes(onnx_graph.read_graph(path))
        self._conditions = take_out(self.model.graph, lambda node: node.op_type == SUPPRESSION)
        """What must hold for the model to be the file: its branches with a decision are taken."""
        self.results = Results(reference.inner() if reference.inner else [])
        self.weights = {w.name: numpy_helper.to_array(w) for w in _small(self.model.graph)}
        self.known: Outputs = {}
        self._decided_by: set[int] = set()
        """The results that are decisions of a node, by identity."""
        self._own: set[str] = set()
        """The lists of boxes of the file that nothing of the original stands for."""
        self._failed: dict[str, tuple[float, Verification]] = {}
        """How far from the original an output was when it was judged, and the verdict."""
        self._matching: list[Verification] = []
        """The verdicts on outputs that match by themselves."""
        self.last = ""
        names = [output.name for output in self.model.graph.output]
        self.expected = dict(zip(names, widened(reference.outputs), strict=True))
        self._types = {value.name: value for value in self.model.graph.value_info}

    def run(self) -> Walk:
        verdict = self._on_the_way() or self._last_look(self._ahead_of_us())
        return Walk(len(self.known), verdict, self.last)

    def _on_the_way(self) -> Verification | None:
        """Go on until all outputs match, with the verdict on them; None if they do not."""
        for _ in range(MAX_STEPS):
            ahead = self._ahead_of_us()
            found = self._step(ahead, _spread) or self._step(ahead, _nearest)
            if isinstance(found, Verification):
                return found
            if not self._missing:  # each of them matches by itself
                return max(self._matching, key=lambda one: one.max_relative_error or 0.0)
            if not found:
                break
        return None

    def _ahead_of_us(self) -> list[onnx.NodeProto]:
        needed = [*self._missing, *self._conditions]
        return _ahead(self.model.graph.node, needed, set(self.known))

    @property
    def _missing(self) -> list[str]:
        """The outputs that have not been found to match."""
        return [name for name in self.expected if name not in self.known]

    def _step(self, ahead: list[onnx.NodeProto], choose: Choice) -> Verification | bool:
        """Look at some values ahead: whether any of them matches, or that all outputs do."""
        wanted = choose([*self._candidates(ahead)])
        decisions = [*self._next_decisions(ahead)][:MAX_DECISIONS]
        names = [*(name for name, _ in wanted), *_values_of(decisions), *self._conditions]
        missing = self._missing
        judged = [name for name in missing if self.expected[name].size <= LARGE]
        made = self._compute(ahead, [*judged, *names])
        self._check_conditions(made)
        verdict, alone = self._judged(made, judged)
        if verdict.verdict is Verdict.MATCH and judged == missing:
            return verdict
        fresh = {}
        for name, _ in wanted:
            if (result := self.results.same(made[name], self.precision)) is not None:
                fresh[name] = result.array
                self.last = result.module
        for node in decisions:
            fresh.update(self._decided(node, made))
        for name, one in alone.items():
            if one.verdict is Verdict.MATCH:
                self._matching.append(one)
                fresh[name] = self.expected[name].astype(made[name].dtype)
        self.known.update(fresh)
        return bool(fresh)

    def _last_look(self, ahead: list[onnx.NodeProto]) -> Verification:
        """The verdict on the outputs when nothing more can be found on the way to them."""
        names = self._missing
        made = self._compute(ahead, names)
        self._failed.clear()
        verdict, _ = self._judged(made, names)
        if verdict.verdict is not Verdict.CLOSE or not interpolates(ahead):
            return verdict
        moved = moved_by_rounding(
            ahead, lambda nodes: self._compute(nodes, names), made, self.precision
        )
        for name in (name for name in names if name in moved):
            expected = self.expected[name]
            made[name] = nearer(made[name], expected, moved[name], self.precision)
        self._failed.clear()
        found, _ = self._judged(made, names)
        if found.verdict is not Verdict.MATCH:
            return verdict
        reason = f"{found.reason}, where interpolations may round coordinates otherwise"
        return replace(verdict, verdict=found.verdict, cause=found.cause, reason=reason)

    def _check_conditions(self, made: Outputs) -> None:
        values = {**self.known, **made}
        for name, needed in self._conditions.items():
            if bool(values[name].item()) is not needed:
                raise ValueError(f"the condition {name} changes, and the file takes another branch")

    def _next_decisions(self, ahead: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
        """The decisions ahead that do not depend on another one."""
        depends: set[str] = set()
        for node in ahead:
            later, decides = bool(depends & {*_inputs(node)}), self._decides(node)
            if decides and not later:
                yield node
            if later or (decides and node.output[0] not in self._own):
                depends.update(node.output)

    def _decides(self, node: onnx.NodeProto) -> bool:
        """Whether a node makes a decision by floating-point scores."""
        if not is_decision(node) or node.op_type == SUPPRESSION:
            return node.op_type == SUPPRESSION
        return any(self._is_float(name) for name in scores_of(node) if name in self._types)

    def _is_float(self, name: str) -> bool:
        kind = self._types[name].type.tensor_type.elem_type
        return kind in (FLOAT, DOUBLE, FLOAT16)

    def _decided(self, node: onnx.NodeProto, made: Outputs) -> Outputs:
        """What the original decides at a node, if the scores allow it; empty if not.

        The file makes its decisions in the order of the original, so that of several results that
        the scores allow it is the first that has not been used.
        """
        values = {**self.reference.inputs, **self.weights, **self.known, **made}
        if not all(name in values for name in (*scores_of(node), *filter(None, node.output))):
            return {}
        results = (
            self.results.lists()
            if node.op_type == SUPPRESSION
            else self.results.of_shape(values[node.output[-1]].shape)
        )
        ordered = sorted(results, key=lambda result: id(result) in self._decided_by)
        found = the_same_decision(node, values, ordered, self.precision)
        if found is None:
            self._own.update(node.output if node.op_type == SUPPRESSION else ())
            return {}
        result, outputs = found
        self._decided_by.add(id(result))
        return outputs

    def _judged(
        self, made: Outputs, names: list[str]
    ) -> tuple[Verification, dict[str, Verification]]:
        """The verdict on some outputs together, and on each of them.

        Large outputs take long to judge, so that none is judged twice: the scores among them are
        of use only to what they decided, if that alone differs.
        """
        alone = {name: self._verdict_alone(made, name) for name in names}
        if not alone:
            return Verification(Verdict.NOT_CHECKED, Cause.NO_OUTPUT, "judged at the end"), alone
        wrong = [name for name, one in alone.items() if one.verdict is not Verdict.MATCH]
        if wrong and not any(self.expected[name].dtype.kind in "fc" for name in wrong):
            return self._verdict(made, names), alone
        worst = max(alone.values(), key=lambda one: (one.verdict.rank, one.max_relative_error or 0))
        return worst, alone

    def _verdict_alone(self, made: Outputs, name: str) -> Verification:
        """On one output. What has failed is judged again if it is much nearer than it was."""
        array, golden = made[name], self.expected[name]
        if is_far(array, golden):
            return Verification(Verdict.MISMATCH, Cause.BEYOND_TOLERANCE, "of another direction")
        distance = _distance(array, golden)
        before, verdict = self._failed.get(name, (math.inf, None))
        if verdict is None or distance == 0 or distance < before * NEARER:
            verdict = self._verdict(made, [name])
            self._failed[name] = distance, verdict
        return verdict

    def _verdict(self, made: Outputs, names: list[str]) -> Verification:
        """On some outputs, by the rules for all of them."""
        reference = self.reference

        def these(known: Outputs | None) -> Outputs | None:
            outputs = known and dict(zip(self.expected, known.values(), strict=True))
            return outputs and {name: outputs[name] for name in names}

        some = Reference(
            {},
            {name: self.expected[name] for name in names},
            precision=reference.precision,
            compute=lambda precision: these(reference.in_precision(precision)),
            reach=lambda precision: these(reference.reach(precision)),
            costly=reference.costly,
        )
        return compare({name: made[name] for name in names}, some, self.precision)

    def _candidates(self, ahead: Iterable[onnx.NodeProto]) -> Iterator[tuple[str, int]]:
        """The values ahead that may be results of submodules, with their bytes.

        Integers and booleans are equal to what the original has or they are not. Going on from
        those that are would change nothing, so only floats count as a step.
        """
        rest = (node for node in ahead if not self._decides(node))
        for name in itertools.chain.from_iterable(node.output for node in rest):
            if not name or name in self.known or name in self.expected:
                continue
            if name in self._types and not self._is_float(name):
                continue
            dims = _dims(self._types.get(name))
            if dims is None:
                yield name, 0
            elif shapes := self.results.shapes_like(dims):
                yield name, 8 * max(map(math.prod, shapes))

    def _compute(self, ahead: list[onnx.NodeProto], names: list[str]) -> Outputs:
        """Some values of the file, computed from what is known."""
        from turnkeyml.runtimes import run_once

        if not names:
            return {}
        used = set(itertools.chain.from_iterable(map(_inputs, ahead)))
        given = {name: array for name, array in self.known.items() if name in used}
        own = {value.name for value in self.model.graph.input} & used
        part = onnx.ModelProto()
        part.CopyFrom(self.model)
        del part.graph.node[:], part.graph.value_info[:], part.graph.input[:], part.graph.output[:]
        part.graph.node.extend(ahead)
        for node in part.graph.node:  # one result of a node may be known, and another one not
            for index, name in enumerate(node.output):
                if name in self.known:
                    node.output[index] = f"{name}_made"
        inputs = [value for value in self.model.graph.input if value.name in own]
        part.graph.input.extend([*inputs, *(self._taken(*item) for item in given.items())])
        made = set(itertools.chain.from_iterable(node.output for node in ahead)) - {*self.known}
        outputs = dict.fromkeys(name for name in names if name in made or name in self.expected)
        part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
        self._keep_weights(part.graph, used)
        path = self.path.with_name(f"{self.path.stem}-inner.onnx")
        try:
            onnx.save(part, str(path))
            recorded = {n: array for n, array in self.reference.inputs.items() if n in own}
            return run_once(str(path), {**recorded, **given}, self.threads)
        finally:
            path.unlink(missing_ok=True)

    def _taken(self, name: str, array: np.ndarray) -> onnx.ValueInfoProto:
        """A known value as an input."""
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        return onnx.helper.make_tensor_value_info(name, kind, array.shape)

    def _keep_weights(self, graph: onnx.GraphProto, used: set[str]) -> None:
        kept = [weight for weight in graph.initializer if weight.name in used]
        del graph.initializer[:]
        graph.initializer.extend(kept)


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


def _distance(array: np.ndarray, golden: np.ndarray) -> float:
    """The norm of the difference; 0 if there is none, or not to be told."""
    if array.shape != golden.shape or not array.dtype.kind == golden.dtype.kind == "f":
        return 0.0
    return float(np.nan_to_num(np.linalg.norm((array - golden).ravel())))


def _ahead(
    nodes: Iterable[onnx.NodeProto], outputs: Iterable[str], known: set[str]
) -> list[onnx.NodeProto]:
    """The nodes between what is known and the outputs, in order."""
    found, wanted = [], set(outputs)
    for node in reversed([*nodes]):
        if wanted & {*node.output}:
            found.append(node)
            wanted.update({*_inputs(node)} - known)
    return found[::-1]


def _values_of(decisions: Iterable[onnx.NodeProto]) -> list[str]:
    """The scores and the outputs of some decisions."""
    return [name for node in decisions for name in (*scores_of(node), *node.output) if name]


def _small(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    """The constants of a graph that may be a threshold."""
    return [
        weight
        for weight in graph.initializer
        if math.prod(weight.dims) == 1 and weight.data_location != onnx.TensorProto.EXTERNAL
    ]


def _inputs(node: onnx.NodeProto) -> list[str]:
    """The values that a node reads, including those that its nested graphs read."""
    names = list(node.input)
    for attribute in node.attribute:
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            names += [name for inner in graph.node for name in _inputs(inner)]
            names += [output.name for output in graph.output]
    return names


def _dims(value: onnx.ValueInfoProto | None) -> Dims | None:
    """The dimensions of a value as far as they are known; None if not even their number is."""
    if value is None or not value.type.tensor_type.HasField("shape"):
        return None
    dims = value.type.tensor_type.shape.dim
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]


class Results:
    """The results of the submodules of the original, which can be looked up by their numbers."""

    def __init__(self, results: list[InnerResult]) -> None:
        self._by_shape: dict[tuple[int, ...], list[InnerResult]] = {}
        for result in results:
            self._by_shape.setdefault(result.array.shape, []).append(result)
        self._samples = {
            shape: np.stack([_sample(result.array) for result in found])
            for shape, found in self._by_shape.items()
        }

    def of_shape(self, shape: tuple[int, ...]) -> list[InnerResult]:
        return self._by_shape.get(shape, [])

    def lists(self) -> list[InnerResult]:
        """The lists of integers, such as which boxes are kept."""
        found = itertools.chain.from_iterable(self._by_shape.values())
        return [r for r in found if r.array.ndim == 1 and r.array.dtype.kind == "i"]

    def shapes_like(self, dims: Dims) -> list[tuple[int, ...]]:
        """The shapes of results of which some dimensions are given."""
        return [
            shape
            for shape in self._by_shape
            if len(shape) == len(dims)
            and all(dim in (None, n) for dim, n in zip(dims, shape, strict=True))
        ]

    def same(self, array: np.ndarray, precision: str) -> InnerResult | None:
        """The result that an array of floats matches, if there is one."""
        results = self._by_shape.get(array.shape, [])
        if not results or array.dtype.kind != "f":
            return None
        sample = _sample(array)
        far = np.abs(self._samples[array.shape] - sample).sum(axis=1)
        near = SAMPLE_NEAR * np.abs(sample).sum()
        for index in [i for i in np.argsort(far)[:RESULTS_TRIED] if far[i] <= near]:
            result = results[index]
            if _is_same(array, result.array, precision):
                return InnerResult(result.module, result.array.astype(array.dtype))
        return None


def _is_same(array: np.ndarray, result: np.ndarray, precision: str) -> bool:
    if result.dtype.kind != "f":
        return False
    found = compare({"value": array}, Reference({}, {"value": result}), precision)
    return found.verdict is Verdict.MATCH


def _sample(array: np.ndarray) -> np.ndarray:
    """Some numbers of an array, spread over it."""
    places = np.linspace(0, array.size - 1, SAMPLED).astype(int)
    numbers = np.clip(np.nan_to_num(array.reshape(-1)[places].astype(float)), -1e30, 1e30)
    return np.asarray(numbers)
