"""Take a large model through a whole build; print peak memory and disk relative to its weights.

    python benchmarks/large.py [GIGABYTES] [turnkey's options]

The model is a decoder without attention: a table of tokens that its last layer shares, and layers
of two matrices, in fp32 unless --bf16 is given. By default it is built with optimize-fp16, so that
it goes through export, optimization, conversion, verification and measurement, and 6 GB large.

memory  the proportional set sizes (PSS) of turnkey and all its processes together, at their peak:
        all of it, and without what is mapped from files, which the system can drop at any time
disk    the blocks of the cache, every file once: at their peak and at the end

Results on 2 busy cores with 24 GiB (November 2026), relative to the weights:

weights  script  memory  disk, peak and end
1.6 GB     1.41    2.63                1.50
3.2 GB     1.22    2.34                1.50

Disk is 1 for fp32 and a half for fp16.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

WIDTH = 4096
VOCABULARY = 32_000
SCRIPT = """
import torch

class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm({width})
        self.up = torch.nn.Linear({width}, 4 * {width}, bias=False)
        self.down = torch.nn.Linear(4 * {width}, {width}, bias=False)

    def forward(self, x):
        return x + self.down(torch.nn.functional.silu(self.up(self.norm(x))))

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding({vocabulary}, {width})
        self.layers = torch.nn.ModuleList(Layer() for _ in range({layers}))
        self.head = torch.nn.Linear({width}, {vocabulary}, bias=False)
        self.head.weight = self.table.weight

    def forward(self, tokens):
        x = self.table(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)

torch.manual_seed(0)
torch.set_default_dtype(torch.{dtype})
with torch.no_grad():
    model = Model().eval()
    model(torch.randint(0, {vocabulary}, (1, 16)))
"""


class Watch(threading.Thread):
    """Looks at the memory of a process tree and at the disk that a folder takes, to their peaks."""

    def __init__(self, process: int, folder: Path) -> None:
        super().__init__(daemon=True)
        self.memory = self.anonymous = self.disk = 0
        self._process, self._folder = process, folder
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(1.0):
            memory, anonymous = tree_memory(self._process)
            self.memory = max(self.memory, memory)
            self.anonymous = max(self.anonymous, anonymous)
            self.disk = max(self.disk, disk_of(self._folder))

    def stop(self) -> None:
        self._done.set()
        self.join()


def tree_memory(process: int) -> tuple[int, int]:
    """The bytes that a process and its descendants use: all, and what is not mapped from files."""
    import psutil

    total = anonymous = 0
    try:
        found = [psutil.Process(process), *psutil.Process(process).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0, 0
    for one in found:
        try:
            lines = Path(f"/proc/{one.pid}/smaps_rollup").read_text().splitlines()[1:]
        except OSError:  # it has ended
            continue
        kilobytes = {line.split()[0]: int(line.split()[1]) for line in lines}
        total += kilobytes.get("Pss:", 0) * 1024
        anonymous += kilobytes.get("Pss_Anon:", 0) * 1024
    return total, anonymous


def disk_of(folder: Path) -> int:
    """The bytes on disk of all files in a folder, each once, however many names it has."""
    files: dict[int, int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(place, name))
            except FileNotFoundError:
                continue
            files[found.st_ino] = found.st_blocks * 512
    return sum(files.values())


def watched(command: list[str], folder: Path) -> tuple[Watch, float, int]:
    """The peaks of a command, its seconds and its exit status."""
    begin = time.monotonic()
    process = subprocess.Popen(command)
    watch = Watch(process.pid, folder)
    watch.start()
    status = process.wait()
    watch.stop()
    return watch, time.monotonic() - begin, status


def main(gigabytes: float, options: list[str]) -> int:
    dtype, size = ("bfloat16", 2) if "--bf16" in options else ("float32", 4)
    options = [option for option in options if option != "--bf16"]
    table, layer = VOCABULARY * WIDTH * size, 8 * WIDTH * WIDTH * size
    layers = max(1, round((gigabytes * 1e9 - table) / layer))
    weights = table + layers * layer
    with tempfile.TemporaryDirectory(dir=os.environ.get("LARGE_DIR")) as name:
        folder = Path(name)
        script, cache = folder / "large.py", folder / "cache"
        script.write_text(
            SCRIPT.format(width=WIDTH, vocabulary=VOCABULARY, layers=layers, dtype=dtype)
        )
        bare, bare_seconds, _ = watched([sys.executable, str(script)], cache)
        chosen = options or ["--sequence", "optimize-fp16", "--quick"]
        command = [sys.executable, "-m", "turnkeyml", str(script), "--cache-dir", str(cache)]
        whole, seconds, status = watched([*command, *chosen], cache)
        print(f"weights     {weights / 1e9:6.2f} GB ({dtype}), options: {' '.join(chosen)}")
        print(f"script      {bare.memory / weights:6.2f} times the weights, {bare_seconds:.0f} s")
        print(f"memory      {whole.memory / weights:6.2f} times the weights, {seconds:.0f} s")
        print(f"  not files {whole.anonymous / weights:6.2f}")
        print(f"disk, peak  {whole.disk / weights:6.2f}")
        print(f"disk, end   {disk_of(cache) / weights:6.2f}")
        shutil.rmtree(cache)
    return status


if __name__ == "__main__":
    arguments = sys.argv[1:]
    amount = float(arguments.pop(0)) if arguments and arguments[0][0].isdigit() else 6.0
    sys.exit(main(amount, arguments))
