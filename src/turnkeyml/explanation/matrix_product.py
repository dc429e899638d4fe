"""The child process that measures matrix products with one library, precision by precision.

A precision may end the process: some CPUs say that they can bf16, and die of it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

__all__ = ["ACCELERATED", "LIBRARIES", "best_seconds", "main"]

SIZES = (512, 1024, 2048)
"""Rows and columns of square matrices; the fastest of them counts."""
SIZES_ON_ACCELERATOR = (2048, 4096, 8192)
SECONDS = 0.3
"""For how long each size is repeated."""
LEAST_RUNS = 10
"""Runs in a row none of which is clearly faster than those before."""
CLEARLY = 0.98
MOST_TIMES = 10
"""Times as long as it should take, after which the best must do."""
MOST_SECONDS = 1.0
"""A product that takes longer than this is run once, and larger ones are left out."""

Product = Callable[[], None]


def main() -> None:
    """Print one line of JSON per precision: its name, and billions of operations per second."""
    library, threads, device, *precisions = sys.argv[1:]
    for precision in precisions:
        sizes = SIZES if device == "cpu" else SIZES_ON_ACCELERATOR
        products = LIBRARIES[library][1](precision, int(threads), device, sizes)
        print(json.dumps([precision, _best(products)]), flush=True)


def best_seconds(run: Product, seconds: float = SECONDS) -> float:
    """The shortest time of a run.

    It goes on for so many seconds at least, and until no run has been faster for a while: other
    programs may have had the processors.
    """
    run()
    best, begin, since = float("inf"), time.perf_counter(), 0
    while True:
        start = time.perf_counter()
        run()
        now = time.perf_counter()
        if now - start < best * CLEARLY:
            since = 0
        best, since = min(best, now - start), since + 1
        spent = now - begin
        if best > MOST_SECONDS or spent > MOST_TIMES * seconds:
            return best
        if spent > seconds and since > LEAST_RUNS:
            return best


def _best(products: Iterable[tuple[int, Product]]) -> float:
    best = 0.0
    for size, product in products:
        seconds = best_seconds(product)
        best = max(best, 2 * size**3 / seconds / 1e9)
        if seconds > MOST_SECONDS:
            break
    return best


def _with_torch(
    precision: str, threads: int, device: str, sizes: Iterable[int]
) -> Iterable[tuple[int, Product]]:
    import torch

    torch.set_num_threads(threads)
    dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    for size in sizes:
        a, b = (torch.randn(size, size, device=device).to(dtypes[precision]) for _ in range(2))
        out = torch.empty_like(a)
        yield size, _waiting(torch, device, partial(torch.mm, a, b, out=out))


def _waiting(torch: Any, device: str, run: Callable[[], Any]) -> Product:
    def product() -> None:
        run()
        if device != "cpu":
            torch.cuda.synchronize()

    return product


def _with_onnxruntime(
    precision: str, threads: int, device: str, sizes: Iterable[int]
) -> Iterable[tuple[int, Product]]:
    import numpy as np
    import onnxruntime

    left: Any
    right: Any

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    generator = np.random.default_rng(0)
    for size in sizes:
        left, right = (generator.random((size, size), dtype=np.float32) for _ in range(2))
        if precision == "int8":
            left, right = (left * 127).astype(np.uint8), (right * 127).astype(np.int8)
        model = _onnx_product(left, right)
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        binding.bind_ortvalue_input("a", onnxruntime.OrtValue.ortvalue_from_numpy(left))
        binding.bind_output("c")
        yield size, partial(session.run_with_iobinding, binding)


def _onnx_product(left: Any, right: Any) -> bytes:
    """A model of one product whose right side is a weight, as in a linear layer."""
    from onnx import TensorProto, helper, numpy_helper

    is_float = str(left.dtype) == "float32"
    node = helper.make_node("MatMul" if is_float else "MatMulInteger", ["a", "b"], ["c"])
    kinds = (
        (TensorProto.FLOAT, TensorProto.FLOAT)
        if is_float
        else (TensorProto.UINT8, TensorProto.INT32)
    )
    sides = [
        helper.make_tensor_value_info(name, kind, list(left.shape))
        for name, kind in zip("ac", kinds, strict=True)
    ]
    weight = numpy_helper.from_array(right, "b")
    graph = helper.make_graph([node], "product", sides[:1], sides[1:], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


LIBRARIES: dict[str, tuple[tuple[str, ...], Callable[..., Iterable[tuple[int, Product]]]]] = {
    "onnxruntime": (("fp32", "int8"), _with_onnxruntime),
    "torch": (("fp32", "bf16", "fp16"), _with_torch),
}
"""The libraries with the precisions that they multiply in."""
ACCELERATED = ("torch",)
"""Those that also do so on an accelerator."""


if __name__ == "__main__":
    main()
