"""Compare our handling of external weights with that of onnx-ir: time and peak memory.

    python benchmarks/external_data.py [MEGABYTES]

list    the data files of a model
copy    a model with its data into another folder
halve   the weights of a model to float16, from file to file: as many tensors, and as one tensor

Every number is the median of five processes: seconds with their range, and the peak memory
(ru_maxrss) above that of the imports, so that 0 means less than the imports took. onnx-ir halves
with a LazyTensor per weight, its own way to do so (also with two workers), and with a tensor class
of ours that writes itself in blocks, which keeps most of our code.

Results with onnx-ir 1.1.0 and 1000 MB on 2 cores: memory decides, and is reproducible to the
megabyte. With LazyTensors onnx-ir takes 38 MB for 64 tensors (76 MB with two workers) and 2,385 MB
for one tensor; our code takes nothing above its imports. With our blocks onnx-ir takes 1 MB. Times
are less certain, as other programs were running: 2.2 to 2.5 times ours for 64 tensors with
LazyTensors, 1.0 with our blocks, 1.2 to copy. Compared with our former blocks of 16 MB, LazyTensors
took 0.4 times ours for 64 tensors: our block size was tuned for this comparison, onnx-ir only by
its number of workers. We keep our own code.
"""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPEATS = 5
COLUMNS = 4096


def make_model(folder: Path, megabytes: int, tensors: int) -> Path:
    """The path of a new model with this many weights, of this size together."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper

    folder.mkdir()
    rows = megabytes * 1_000_000 // (4 * COLUMNS * tensors)
    block = np.random.default_rng(0).standard_normal((256, COLUMNS)).astype(np.float32).tobytes()
    weights, nodes = [], []
    with (folder / "model.data").open("wb") as data:
        for number in range(tensors):
            weight = TensorProto(name=f"w{number}", dims=[rows, COLUMNS], data_type=1)
            weight.data_location = TensorProto.EXTERNAL
            begin, length = data.tell(), 4 * rows * COLUMNS
            entries = {"location": "model.data", "offset": str(begin), "length": str(length)}
            for key, value in entries.items():
                weight.external_data.add(key=key, value=value)
            for start in range(0, length, len(block)):
                data.write(block[: length - start])
            weights.append(weight)
            nodes.append(helper.make_node("Gemm", ["x", f"w{number}"], [f"y{number}"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows])]
    outputs = [
        helper.make_tensor_value_info(f"y{n}", TensorProto.FLOAT, [1, COLUMNS])
        for n in range(tensors)
    ]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    return folder / "model.onnx"


def list_ours() -> Callable[[Path, Path], Any]:
    from turnkeyml.build import data_files

    return lambda source, _: data_files(source)


def list_onnx_ir() -> Callable[[Path, Path], Any]:
    import onnx_ir

    def work(source: Path, _: Path) -> set[str]:
        model = onnx_ir.load(source)
        tensors = (value.const_value for value in model.graph.initializers.values())
        return {t.path for t in tensors if isinstance(t, onnx_ir.ExternalTensor)}

    return work


def copy_ours() -> Callable[[Path, Path], Any]:
    from turnkeyml.build import copy_model

    return copy_model


def copy_onnx_ir() -> Callable[[Path, Path], Any]:
    import onnx_ir

    return lambda source, target: onnx_ir.save(
        onnx_ir.load(source), target, external_data="model.data"
    )


def halve_ours() -> Callable[[Path, Path], Any]:
    import onnx

    from turnkeyml.build import onnx_weights, read_graph

    def work(source: Path, target: Path) -> None:
        model = read_graph(source)
        locations = onnx_weights.detach(model)
        for tensor in model.graph.initializer:
            tensor.data_type = onnx.TensorProto.FLOAT16
        onnx_weights.reattach(model, locations, source.parent, target.with_name("model.data"))
        onnx.save(model, str(target))

    return work


def halve_onnx_ir(**settings: Any) -> Callable[[Path, Path], Any]:
    import onnx_ir

    from turnkeyml.build import to_float16

    def lazily(tensor: Any) -> Any:
        def evaluate() -> Any:
            flat = to_float16(tensor.numpy().reshape(-1))
            half = onnx_ir.Tensor(flat.reshape(tensor.shape.numpy()))
            tensor.release()
            return half

        return onnx_ir.LazyTensor(
            evaluate, dtype=onnx_ir.DataType.FLOAT16, shape=tensor.shape, name=tensor.name
        )

    return lambda source, target: _save_with(lazily, source, target, **settings)


def halve_onnx_ir_2_workers() -> Callable[[Path, Path], Any]:
    return halve_onnx_ir(max_workers=2)


def halve_onnx_ir_in_blocks() -> Callable[[Path, Path], Any]:
    import onnx_ir

    from turnkeyml.build.onnx_weights import _copy, _halved

    class Halved(onnx_ir.LazyTensor):
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor
            kind = onnx_ir.DataType.FLOAT16
            super().__init__(lambda: None, dtype=kind, shape=tensor.shape, name=tensor.name)

        def tofile(self, file: Any) -> None:
            with open(self.tensor.path, "rb") as weights:
                weights.seek(self.tensor.offset)
                _copy(weights, file, self.tensor.length, _halved)

    return lambda source, target: _save_with(Halved, source, target)


def _save_with(changed: Callable[[Any], Any], source: Path, target: Path, **settings: Any) -> None:
    import onnx_ir

    model = onnx_ir.load(source)
    for value in model.graph.initializers.values():
        value.const_value = changed(value.const_value)
        value.dtype = onnx_ir.DataType.FLOAT16
    onnx_ir.save(model, target, external_data="model.data", **settings)


def measure(task: str, source: str, target: str) -> None:
    """Run a task in this process, and print its time and memory as JSON."""
    begin = time.perf_counter()
    work = globals()[task]()
    imports = time.perf_counter() - begin
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    work(Path(source), Path(target))
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"imports": imports, "seconds": seconds, "megabytes": (peak - before) / 1024}))


def run(task: str, source: Path, folder: Path) -> dict[str, float]:
    target = folder / "made"
    target.mkdir()
    try:
        command = [sys.executable, __file__, "--task", task, str(source), str(target / "m.onnx")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout))
    finally:
        shutil.rmtree(target)


def compare(what: str, source: Path, folder: Path, ours: str, others: list[str]) -> None:
    """Run our task and the others in turns, and print medians and ratios."""
    seen: dict[str, list[dict[str, float]]] = {task: [] for task in (ours, *others)}
    for _ in range(REPEATS):
        for task, results in seen.items():
            results.append(run(task, source, folder))
    medians = {
        task: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for task, results in seen.items()
    }
    own = medians[ours]
    for task, found in medians.items():
        times = sorted(result["seconds"] for result in seen[task])
        print(
            f"{what:18} {task:24} {found['seconds']:7.3f} s ({times[0]:.3f} to {times[-1]:.3f})"
            f" {found['megabytes']:8.1f} MB   imports {found['imports']:.2f} s"
            f"   {found['seconds'] / own['seconds']:.2f} times ours",
            flush=True,
        )


def main(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many = make_model(folder / "many", megabytes, 64)
        one = make_model(folder / "one", megabytes, 1)
        compare("list, 64 tensors", many, folder, "list_ours", ["list_onnx_ir"])
        compare("copy, 64 tensors", many, folder, "copy_ours", ["copy_onnx_ir"])
        halving = ["halve_onnx_ir", "halve_onnx_ir_2_workers", "halve_onnx_ir_in_blocks"]
        compare("halve, 64 tensors", many, folder, "halve_ours", halving)
        compare("halve, 1 tensor", one, folder, "halve_ours", halving)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--task"]:
        measure(*sys.argv[2:])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 1000)
