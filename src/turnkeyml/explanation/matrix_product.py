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

BURST = 10
"""Runs on an accelerator that follow each other without waiting, so that starting them is free."""

Product = Callable[[], Any]
Clock = Callable[[], float]
"""Gives the shortest seconds of a product."""


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


def burst_seconds(
    torch: Any, run: Product, seconds: float = SECONDS, as_graph: bool = False
) -> float:
    """The shortest time of a run on a GPU by its own clock, of runs that follow each other.

    ``as_graph`` starts them as one CUDA graph, as the host is slower than short kernels.
    """
    run()
    torch.cuda.synchronize()
    burst = _captured(torch, run) if as_graph else lambda: [run() for _ in range(BURST)]
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    best, until = float("inf"), time.perf_counter() + seconds
    while True:
        begin.record()
        burst()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) / 1e3 / BURST)
        if time.perf_counter() > until:
            return best


def _captured(torch: Any, run: Product) -> Product:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(BURST):
            run()
    return graph.replay  # type: ignore[no-any-return]


def _best(products: Iterable[tuple[int, Clock]]) -> float:
    best = 0.0
    for size, clock in products:
        seconds = clock()
        best = max(best, 2 * size**3 / seconds / 1e9)
        if seconds > MOST_SECONDS:
            break
    return best


def _with_torch(
    precision: str, threads: int, device: str, sizes: Iterable[int]
) -> Iterable[tuple[int, Clock]]:
    import torch

    torch.set_num_threads(threads)
    if device != "cpu":
        if not torch.cuda.is_available():
            sys.exit("this PyTorch cannot use the GPU")
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    dtypes = {"bf16": torch.bfloat16, "fp16": torch.float16}
    dtype = dtypes.get(precision, torch.float32)
    for size in sizes:
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        run = partial(torch.mm, a, b, out=torch.empty_like(a))
        yield (
            size,
            partial(best_seconds, run) if device == "cpu" else partial(burst_seconds, torch, run),
        )


def _with_onnxruntime(
    precision: str, threads: int, device: str, sizes: Iterable[int]
) -> Iterable[tuple[int, Clock]]:
    import numpy as np
    import onnxruntime

    left: Any
    right: Any

    if device != "cpu":
        yield from _with_cuda_provider(precision, device, sizes)
        return
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
        yield size, partial(best_seconds, partial(session.run_with_iobinding, binding))


def _with_cuda_provider(
    precision: str, device: str, sizes: Iterable[int]
) -> Iterable[tuple[int, Clock]]:
    """Products of two inputs that are on the GPU, each run waited for."""
    import numpy as np
    import onnxruntime

    from turnkeyml.runtimes import load_libraries

    load_libraries()
    provider, number = "CUDAExecutionProvider", int(device.partition(":")[2] or 0)
    given = {"device_id": str(number), "use_tf32": str(int(precision == "tf32"))}
    dtype = np.float16 if precision == "fp16" else np.float32
    for size in sizes:
        model = _onnx_product_of_inputs(size, precision)
        session = onnxruntime.InferenceSession(model, providers=[(provider, given)])
        if provider not in session.get_providers():
            sys.exit("this ONNX Runtime cannot use the GPU")
        values = np.random.default_rng(0).random((2, size, size), dtype=np.float32).astype(dtype)
        binding = session.io_binding()
        for name, value in zip("ab", values, strict=True):
            there = onnxruntime.OrtValue.ortvalue_from_numpy(value, "cuda", number)
            binding.bind_ortvalue_input(name, there)
        binding.bind_output("c", "cuda", number)
        yield size, partial(best_seconds, partial(session.run_with_iobinding, binding))


def _onnx_product_of_inputs(size: int, precision: str) -> bytes:
    from onnx import TensorProto, helper

    kind = TensorProto.FLOAT16 if precision == "fp16" else TensorProto.FLOAT
    sides = [helper.make_tensor_value_info(name, kind, [size, size]) for name in "abc"]
    node = helper.make_node("MatMul", ["a", "b"], ["c"])
    graph = helper.make_graph([node], "product", sides[:2], sides[2:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


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


LIBRARIES: dict[str, tuple[tuple[str, ...], Callable[..., Iterable[tuple[int, Clock]]]]] = {
    "onnxruntime": (("fp32", "int8"), _with_onnxruntime),
    "torch": (("fp32", "bf16", "fp16"), _with_torch),
}
"""The libraries with the precisions that they multiply in."""
ON_ACCELERATOR = {
    "torch": ("fp32", "tf32", "fp16", "bf16"),
    "onnxruntime": ("fp32", "tf32", "fp16"),
}
"""Those that also do so on a GPU, the one to ask first first."""


if __name__ == "__main__":
    main()
