"""Do the times of `turnkey explain` add up, and are its peaks those of hand-written loops?

    python benchmarks/explain.py [--threads N] [MODEL.onnx …]

Prints, for each model and runtime, the recorded operator times against a run without the profiler
and the latency; then each peak against a loop written here, in a process of its own: torch's and
ONNX Runtime's matrix product, and a STREAM triad in C (in numpy without a C compiler).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import bottlenecks
from turnkeyml import explain
from turnkeyml.explanation import measure_peaks
from turnkeyml.nouns import Peaks
from turnkeyml.system import machine

MODELS = ("cast_storm", "slow_operator", "memory_bound", "tiny_operators", "compute_bound")
RUNTIMES = ("ort", "openvino")
SIZE = 2048
MEGABYTES = 256

TORCH_PRODUCT = """
import sys, time, torch
n, threads, dtype = int(sys.argv[1]), int(sys.argv[2]), getattr(torch, sys.argv[3])
torch.set_num_threads(threads)
best = 1e9
for size in (n // 4, n // 2, n):
    a, b = torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)
    for _ in range(30):
        begin = time.perf_counter(); a @ b
        best = min(best, (time.perf_counter() - begin) / size**3)
print(2 / best / 1e9)
"""
ORT_PRODUCT = """
import sys, time, numpy as np, onnx, onnxruntime
from onnx import helper as h
n, threads = int(sys.argv[1]), int(sys.argv[2])
best = 1e9
for size in (n // 4, n // 2, n):
    b = onnx.numpy_helper.from_array(np.random.rand(size, size).astype(np.float32), "b")
    a, c = (h.make_tensor_value_info(name, 1, [size, size]) for name in "ac")
    graph = h.make_graph([h.make_node("MatMul", ["a", "b"], ["c"])], "g", [a], [c], [b])
    options = onnxruntime.SessionOptions(); options.intra_op_num_threads = threads
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    left = {"a": np.random.rand(size, size).astype(np.float32)}
    for _ in range(30):
        begin = time.perf_counter(); session.run(None, left)
        best = min(best, (time.perf_counter() - begin) / size**3)
print(2 / best / 1e9)
"""
TRIAD_IN_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>
int main(int argc, char **argv) {
    long n = atol(argv[1]) * 1024 * 1024 / 12;
    omp_set_num_threads(atoi(argv[2]));
    float *a = malloc(4 * n), *b = malloc(4 * n), *c = malloc(4 * n);
    #pragma omp parallel for
    for (long i = 0; i < n; i++) { a[i] = 1; b[i] = 2; c[i] = 3; }
    double best = 1e9;
    for (int k = 0; k < 60; k++) {
        double begin = omp_get_wtime();
        #pragma omp parallel for
        for (long i = 0; i < n; i++) a[i] = b[i] + 3.0f * c[i];
        double took = omp_get_wtime() - begin;
        if (took < best) best = took;
    }
    printf("%f\n", 12.0 * n / best / 1e9 + 0 * a[n / 2]);
    return 0;
}
"""
TRIAD_IN_NUMPY = """
import sys, time, numpy as np
n = int(sys.argv[1]) * 1024 * 1024 // 12
a, b, c = (np.ones(n, np.float32) for _ in range(3))
best = 1e9
for _ in range(60):
    begin = time.perf_counter(); np.multiply(c, 3, out=a); np.add(a, b, out=a)
    best = min(best, time.perf_counter() - begin)
print(20 * n / best / 1e9)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--threads", type=int, default=machine.usable_cores())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peaks = show_peaks(options.threads, Path(folder))
        models = options.models or [
            getattr(bottlenecks, name)(Path(folder) / f"{name}.onnx") for name in MODELS
        ]
        show_sums(models, options.threads, Path(folder) / "cache")
    print(f"\nmeasured at {peaks.measured_at} on {peaks.machine}, {peaks.threads} threads")


def show_sums(models: list[Path], threads: int, cache: Path) -> None:
    """Print how operator times add up: as recorded, and as parts of the latency."""
    print(f"\n{'model':20} {'runtime':9} {'recorded':>9} {'plain run':>9} {'ratio':>6}", end="")
    print(f" {'operators':>10} {'outside':>8} {'latency':>8} {'sum/latency':>11}  named")
    for model in models:
        for runtime in RUNTIMES:
            (one,) = explain(model, runtime=runtime, threads=threads, cache_dir=cache)
            whole = one.operators_ms + one.outside_ms
            named = f"{one.outside_ms / one.latency:.0%} {one.outside}; notes: {len(one.notes)}"
            print(
                f"{model.stem:20} {runtime:9} {one.profiled_operators_ms:9.4f} "
                f"{one.plain_ms:9.4f} {one.profiled_operators_ms / one.plain_ms:6.3f} "
                f"{one.operators_ms:10.4f} {one.outside_ms:8.4f} {one.latency:8.4f} "
                f"{whole / one.latency:11.3f}  {named}",
                flush=True,
            )


def show_peaks(threads: int, folder: Path) -> Peaks:
    """Print the measured peaks beside loops that were written by hand."""
    peaks = measure_peaks(machine.cpu_name(), threads)
    print(f"{'peak':34} {'explain':>9} {'by hand':>9} {'ratio':>6}")
    for problem in peaks.problems:
        print(problem)
    for name, dtype in (("fp32", "float32"), ("bf16", "bfloat16")):
        found = peaks.products.get(name, {}).get("torch")
        if found:
            row(f"matrix product {name}, torch", found, python(TORCH_PRODUCT, SIZE, threads, dtype))
    found = peaks.products["fp32"]["onnxruntime"]
    row("matrix product fp32, onnxruntime", found, python(ORT_PRODUCT, SIZE, threads))
    found = peaks.bandwidths[str(MEGABYTES * 1024 * 1024)]["triad"]
    row(f"triad, {MEGABYTES} MB", found, triad(threads, folder))
    return peaks


def row(name: str, found: float, by_hand: float) -> None:
    print(f"{name:34} {found:9.1f} {by_hand:9.1f} {found / by_hand:6.3f}", flush=True)


def python(program: str, *arguments: object) -> float:
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def triad(threads: int, folder: Path) -> float:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return python(TRIAD_IN_NUMPY, MEGABYTES)
    source, program = folder / "triad.c", folder / "triad"
    source.write_text(TRIAD_IN_C)
    flags = ["-O3", "-march=native", "-fopenmp", "-o", str(program)]
    subprocess.run([compiler, str(source), *flags], check=True)
    words = [str(program), str(MEGABYTES), str(threads)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
