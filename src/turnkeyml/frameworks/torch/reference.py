"""Reference outputs of a PyTorch model, on its recorded arguments and in other precisions.

In a lower precision, weights and results are rounded; real half precision on a CPU is a hundred
times slower. In a wider one, a copy would take twice the memory of bfloat16 weights. Each module of
a large model needs its own weights only while it runs, so they are widened then, and narrow again
afterwards. ``Wobbling`` shows where roundings of some size may take the results.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import Parameter
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import flop_registry

from turnkeyml import structure
from turnkeyml.errors import describe
from turnkeyml.frameworks.torch.modules import lowest_precision
from turnkeyml.frameworks.torch.running import (
    EveryOperator,
    ModelState,
    eval_mode,
    preserved,
    seeded,
    uncompiled,
)
from turnkeyml.frameworks.torch.submodules import inner_results
from turnkeyml.nouns import OperationCount
from turnkeyml.runtimes import to_numpy
from turnkeyml.verify import RULES, InnerResult, Outputs, Reference, agree, reach_of

DTYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}

RUNS, FEW_RUNS = 8, 4
"""How often a model is run that does not repeat its results: usually, and if it is large."""

LARGE_BYTES, COSTLY_FLOPS = 1 << 28, 2e11
"""Models with more bytes of weights and more FLOPs than this, or more than ``PRECISE_LIMIT_BYTES``,
are run in another precision only if the looser tolerance fails; and module by module, as a copy in
fp64 takes twice the memory of the weights."""

COSTLY_BYTES_OF_SET, COSTLY_FLOPS_OF_SET = 1 << 29, 4e9
"""The same on held-out inputs, of which there are several sets."""

PRECISE_LIMIT_BYTES = 5 << 28
"""Models with more bytes of weights than this are not run in another precision, except from a half
precision to fp32."""

PRECISE_LIMIT_FLOPS = 2e12
"""Models with more FLOPs per forward pass than this are not run in fp64: it takes too long.

FLOPs are counted, not timed, so that the load of the machine does not affect a verdict."""

REACH_RUNS = 8
"""How often a model is run with larger roundings, to see where they take its results."""

REACH_NUMBERS, REACH_FLOPS, REACH_BYTES = 1 << 18, 2e7, 1 << 24
"""Models that return more numbers than this, need more FLOPs or have more bytes of weights are not
run with larger roundings."""

PRODUCTS = frozenset(
    {"addbmm", "addmm", "baddbmm", "bmm", "einsum", "linear", "matmul", "__matmul__", "mm"}
)
"""The names of torch's matrix-product functions."""

Change = Callable[[torch.Tensor], torch.Tensor]
Own = dict[str, Any]


def reference_of(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], names: list[str]
) -> Reference:
    """The outputs of a live model on its recorded arguments; ``names`` are the input names.

    The model runs twice to see whether it is deterministic, and more often if it is not.
    """
    original = _Original(model, args, kwargs)
    tensors = structure.leaves((args, kwargs))
    inputs = dict(
        to_numpy(name, tensor) for name, tensor in zip(names, tensors.values(), strict=True)
    )
    first, second = original.run(0), original.run(1)
    deterministic = agree(first, second)
    runs = FEW_RUNS if original.is_large else RUNS
    more = () if deterministic else tuple(original.run(seed) for seed in range(2, runs))
    return Reference(
        inputs,
        first,
        precision=precision_name(model),
        deterministic=deterministic,
        repeats=() if deterministic else (second, *more),
        compute=original.in_precision,
        reach=original.reach,
        costly=original.is_large and original.takes_more_than(PRECISE_LIMIT_BYTES, COSTLY_FLOPS),
        inner=original.inner,
    )


def reference_on(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: Outputs, *, costly: bool
) -> Reference:
    """The outputs of a live model on other arguments; ``inputs`` are their tensors by name."""
    original = _Original(model, args, kwargs)
    return Reference(
        inputs,
        original.run(),
        precision=precision_name(model),
        compute=original.in_precision,
        reach=original.reach,
        costly=costly,
        inner=original.inner,
    )


def count_operations(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> OperationCount | None:
    """What one forward pass does; None for large models, and for those that cannot be watched."""
    original = _Original(model, args, kwargs)
    if original.weight_bytes > COSTLY_BYTES_OF_SET:
        return None
    try:
        return OperationCount(original.operations, original.weight_bytes_read)
    except Exception as error:  # noqa: BLE001 - some models cannot be watched; the log says so
        print(f"The FLOPs of the original cannot be counted: {describe(error)}", flush=True)
        return None


def precision_name(model: Any) -> str:
    """The precision of a model, such as ``fp32``: the narrowest dtype among its weights."""
    names = {dtype: name for name, dtype in DTYPES.items()}
    return names.get(lowest_precision(model), "fp32")


class _Original:
    """A model with its arguments, which can run in any precision."""

    def __init__(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._model = model
        self._arguments = (args, kwargs)
        self.precision = precision_name(model)
        self._state = ModelState(model)
        """That of now: what is asked for later must not depend on the calls in between."""

    def run(self, seed: int = 0) -> Outputs:
        """The outputs in the precision of the model. Chance depends on the seed alone, so that
        verdicts on random models can be repeated; and every run starts from the same state."""
        with preserved(self._model, self._state), seeded(seed):
            return self._call(self._model)

    def inner(self) -> list[InnerResult]:
        """The results of the submodules."""
        with preserved(self._model, self._state), seeded(0):  # before there are hooks in it
            return inner_results(lambda: self._call(self._model), self._model)

    @property
    def weight_bytes(self) -> int:
        return sum(p.numel() * p.element_size() for p in self._model.parameters())

    @property
    def is_large(self) -> bool:
        return self.weight_bytes > LARGE_BYTES

    def takes_more_than(self, weight_bytes: int, operations: float) -> bool:
        """Whether it has more weights or takes more FLOPs; true if these cannot be counted."""
        if self.weight_bytes > weight_bytes:
            return True
        try:
            return self.operations > operations
        except Exception as error:  # noqa: BLE001 - some models cannot be watched; the log says so
            print(f"The FLOPs of the original cannot be counted: {describe(error)}", flush=True)
            return True

    @functools.cached_property
    def _counter(self) -> _Flops:
        with preserved(self._model), seeded(0), _Flops() as counter:
            self._call(self._model)
        return counter

    @property
    def operations(self) -> float:
        """The FLOPs of one forward pass."""
        return self._counter.total

    @property
    def weight_bytes_read(self) -> int:
        """Of the weights that are factors of products and convolutions, each counted once."""
        known = {p.data_ptr(): p.nbytes for p in self._model.parameters()}
        return sum(size for address, size in known.items() if address in self._counter.addresses)

    def in_precision(self, precision: str) -> Outputs | None:
        """The outputs in another precision; None if that is too expensive or fails."""
        with preserved(self._model, self._state):
            return self._in_precision(precision)

    def _in_precision(self, precision: str) -> Outputs | None:
        dtype = DTYPES[precision]
        weights = self.weight_bytes
        widens = dtype == torch.float32 and lowest_precision(self._model).itemsize < dtype.itemsize
        if weights > PRECISE_LIMIT_BYTES and not widens:
            print(f"Not run in {precision}: it has {weights:,} bytes of weights", flush=True)
            return None
        if dtype == torch.float64 and self.operations > PRECISE_LIMIT_FLOPS:
            print(f"Not run in {precision}: it takes {self.operations:.2g} FLOPs", flush=True)
            return None
        try:
            if dtype.itemsize < lowest_precision(self._model).itemsize:
                with seeded(0), rounding(dtype) as rounded:
                    return self._call(rounded(copy.deepcopy(self._model)))
            return self._widened(dtype)
        except Exception as error:  # noqa: BLE001 - many models hard-code a dtype; the log says so
            print(f"The original does not run in {precision}: {describe(error)}", flush=True)
            return None

    def _widened(self, dtype: torch.dtype) -> Outputs:
        """The outputs in a wider precision: of a large model module by module, so that no copy of
        all weights is needed, unless a module uses weights of another one."""
        if self.is_large:
            try:
                with seeded(0), widened_in_turn(self._model, dtype):
                    return self._call(self._model, _to(dtype))
            except Exception as error:
                if self.weight_bytes > PRECISE_LIMIT_BYTES:
                    raise
                print(f"Copied, as it does not run module by module: {describe(error)}", flush=True)
        with seeded(0):
            return self._call(copy.deepcopy(self._model).to(dtype), _to(dtype))

    def reach(self, precision: str) -> Outputs | None:
        """The least and the largest of each number, with the roundings of a precision times its
        factor; None if that is too expensive or fails."""
        with preserved(self._model, self._state):
            return self._reach(precision)

    def _reach(self, precision: str) -> Outputs | None:
        rules = RULES[precision]
        try:
            if self.weight_bytes > REACH_BYTES or self.operations > REACH_FLOPS:
                return None
            known = self.in_precision(precision) if precision != self.precision else self.run()
            if known is None or sum(array.size for array in known.values()) > REACH_NUMBERS:
                return None
            runs = self._wobbled(DTYPES[precision], rules.factor * rules.unit)
        except Exception as error:  # noqa: BLE001 - nothing is known then; the log says so
            print(f"The original does not run with larger roundings: {describe(error)}", flush=True)
            return None
        return reach_of([known, *runs])

    def _wobbled(self, dtype: torch.dtype, share: float) -> list[Outputs]:
        """The outputs with inputs, and the results of all operators, off by a share; some times."""
        model, runs = copy.deepcopy(self._model), []
        with contextlib.ExitStack() as stack:
            if dtype.itemsize < lowest_precision(self._model).itemsize:
                model = stack.enter_context(rounding(dtype))(model)
            for seed in range(REACH_RUNS):
                with preserved(model), seeded(0), Wobbling(share, seed) as wobbling:
                    runs.append(self._call(model, wobbling.wobbled))
        return runs

    def _call(self, module: Any, change: Change | None = None) -> Outputs:
        """The outputs of a module; ``change`` is done to its floating-point inputs."""

        def convert(_: str, tensor: Any) -> Any:
            floats = torch.is_tensor(tensor) and tensor.is_floating_point()
            return change(tensor) if floats and change else tensor

        args, kwargs = structure.clone(self._arguments)
        if change is not None:
            args, kwargs = structure.replace((args, kwargs), structure.once(convert))
        with torch.no_grad(), eval_mode(module), uncompiled():
            result = module(*args, **kwargs)
        return dict(to_numpy(n, t) for n, t in structure.leaves(result, "output").items())


def _to(dtype: torch.dtype) -> Change:
    """What casts a tensor."""
    return lambda tensor: tensor.to(dtype)


class _Flops(EveryOperator):
    """Counts FLOPs by torch's own formulas.

    torch's own counter also follows the submodules, and fails in models that need gradients.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = 0.0
        self.addresses: set[int] = set()
        """Where the factors are."""

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
        if (formula := flop_registry.get(function._overloadpacket)) is not None:
            self.total += formula(*args, **kwargs, out_val=result)
            self.addresses |= {a.data_ptr() for a in args if type(a) in (torch.Tensor, Parameter)}
        return result


@contextlib.contextmanager
def rounding(dtype: torch.dtype) -> Iterator[Callable[[Any], Any]]:
    """Yields a function that makes a model emulate a lower precision.

    The function rounds the weights and adds hooks that round the outputs of submodules. Within the
    block, the results of matrix products are rounded too. Accelerators compute like this: 16-bit
    values, 32-bit accumulation. Real half precision on a CPU is a hundred times slower.
    """

    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(dtype).to(tensor.dtype)

    def prepare(model: Any) -> Any:
        with torch.no_grad():
            for tensor in filter(_is_float, [*model.parameters(), *model.buffers()]):
                tensor.copy_(rounded(tensor))
        return _with_hooks(model, rounded)

    with _products(rounded):
        yield prepare


def _with_hooks(model: Any, change: Change) -> Any:
    """A model whose submodules return changed results."""
    for module in model.modules():
        module.register_forward_hook(lambda _module, _inputs, outputs: _changed(outputs, change))
    return model


@contextlib.contextmanager
def _products(change: Change) -> Iterator[None]:
    """Within the block matrix products have changed results."""

    class Products(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = function(*args, **(kwargs or {}))
            named = getattr(function, "__name__", "") in PRODUCTS
            return _changed(result, change) if named else result

    with Products():
        yield


class Wobbling(EveryOperator):
    """Within the block, the result of every operator is off by up to a share of itself, at random.

    So would roundings of that size have it. Whole numbers stay, as every precision holds them.
    """

    def __init__(self, share: float, seed: int) -> None:
        super().__init__()
        self._share = share
        self._random = torch.Generator().manual_seed(seed)

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
        returns = function._schema.returns
        if any(returned.alias_info is not None for returned in returns):  # a view, or in place
            return result
        return _changed(result, self.wobbled)

    def wobbled(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor that is off as much."""
        error = torch.rand(tensor.shape, generator=self._random, dtype=tensor.dtype) * 2 - 1
        changed = tensor * (1 + self._share * error)
        return torch.where(tensor == tensor.round(), tensor, changed)


def _changed(value: Any, change: Change) -> Any:
    """A value with all floating-point tensors in it changed."""
    if torch.is_tensor(value):
        return change(value) if _is_float(value) else value
    if type(value) in (list, tuple):
        return type(value)(_changed(item, change) for item in value)
    if isinstance(value, dict):
        changed = copy.copy(value)
        for key, item in value.items():
            changed[key] = _changed(item, change)
        return changed
    return value


@contextlib.contextmanager
def widened_in_turn(model: torch.nn.Module, dtype: torch.dtype) -> Iterator[None]:
    """Within the block every module computes in a wider dtype, with its own weights in it.

    A module that uses the weights of another one without calling it may fail.
    """
    modules = list(model.modules())
    known = [(m, dict(m._parameters), dict(m._buffers)) for m in modules]
    hooks = []
    for module in modules:
        if any(map(_is_float, (*module._parameters.values(), *module._buffers.values()))):
            before, after = _hooks(dtype)
            hooks += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
        for module, parameters, buffers in known:
            module._parameters.update(parameters)
            module._buffers.update(buffers)


def _hooks(dtype: torch.dtype) -> tuple[Any, Any]:
    """The functions that widen the weights of a module before a call, and restore them after it."""
    entered: list[tuple[Own, Own]] = []

    def before(module: torch.nn.Module, _inputs: Any) -> None:
        entered.append((dict(module._parameters), dict(module._buffers)))
        for own in (module._parameters, module._buffers):
            for name, tensor in own.items():
                if _is_float(tensor):
                    own[name] = _widened(tensor, dtype)  # type: ignore[assignment]

    def after(module: torch.nn.Module, _inputs: Any, _outputs: Any) -> None:
        parameters, buffers = entered.pop()
        module._parameters.update(parameters)
        module._buffers.update(buffers)

    return before, after


def _widened(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    wide = tensor.detach().to(dtype)
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(wide, requires_grad=False)
    return wide


def _is_float(value: Any) -> bool:
    return torch.is_tensor(value) and value.is_floating_point()
