"""The same work with what people use instead: ResNet-18, batch 1, on the CPU.

    python benchmarks/peers.py [--folder DIR]

Installs each tool that PyPI has into an environment of its own, runs it on the network of `make
demo` alone and then beside a program that keeps one processor busy, and prints what it reported,
how long the command took, and what it said about the other program. trtexec needs an NVIDIA GPU and
onnxruntime_perf_test is not on PyPI: neither is run. Use a quiet machine.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "examples" / "cli" / "networks" / "resnet18.py"
FOLDER_SCRIPT = ROOT / "benchmarks" / "scripts" / "resnet18.py"
"""The same network from transformers: the only kind that optimum-benchmark takes."""
THREADS = len(os.sched_getaffinity(0))
TORCH = "torch==2.13.0"
WARNING = re.compile(
    r".*\b(other programs|busy|noisy?|unstable|unreliable|vary|variance|interference)\b.*",
    re.IGNORECASE,
)
"""A line about a disturbed measurement."""
OPTIMUM_PACKAGES = (
    TORCH,
    "optimum-benchmark==0.6.0",
    "optimum==1.27.0",
    "transformers==4.53.3",
)
LAUNCHERS = ("inline", "process")
OPTIMUM = """
defaults:
  [benchmark, {{scenario: inference}}, {{launcher: {launcher}}}, {{backend: pytorch}}, _self_]
name: resnet18
scenario:
  iterations: 0
  duration: 5
  input_shapes: {{batch_size: 1, num_channels: 3, height: 224, width: 224}}
backend: {{device: cpu, model: {model}, task: image-classification, library: transformers}}
hydra: {{run: {{dir: {runs}/{launcher}}}}}
"""


@dataclass(frozen=True)
class Peer:
    """A way to measure the network, and how to read the median from what it prints."""

    name: str
    engine: str
    command: str
    median: str
    """A regular expression with the median; empty for a tool that does not measure."""
    unit: float = 1.0
    """Milliseconds per unit of the printed median."""
    environment: str = ""
    packages: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What one command printed."""

    seconds: float
    latency: float | None
    warnings: list[str] = field(default_factory=list)


def peers(folder: Path) -> list[Peer]:
    """Ours and theirs, in pairs that use the same engine."""
    ours = f"{sys.executable} -m turnkeyml {SCRIPT} -d {folder}/cache --rebuild never --runtime"
    build = next((folder / "cache").glob("resnet18_*"))
    model = max((build / "onnx").glob("*.onnx"), key=lambda path: path.stat().st_mtime_ns)
    median = r"Median:\s+([\d.]+)"
    loop = f"{sys.executable} {ROOT}/benchmarks/scripts/loop.py {build}"
    app = f"-m {model} -d CPU -hint none -nstreams 1 -nthreads {THREADS} -api sync -t 5"
    older = f"-d {folder}/older-cache -i {SCRIPT} discover export-pytorch optimize-ort"
    return [
        Peer("turnkey", "ONNX Runtime", f"{ours} ort", median),
        Peer("hand-written loop, 100 runs", "ONNX Runtime", loop, r"([\d.]+)"),
        Peer("turnkey", "OpenVINO", f"{ours} openvino", median),
        *(
            Peer(
                f"benchmark_app 2026.4.1{words}",
                "OpenVINO",
                f"{folder}/openvino/bin/benchmark_app {app}{words}",
                median,
                environment="openvino",
                packages=("openvino==2026.4.1",),
            )
            for words in (" -infer_precision f32", "")
        ),
        Peer("turnkey", "PyTorch", f"{ours} torch-eager", median),
        *(
            Peer(
                f"optimum-benchmark 0.6.0, launcher {launcher}",
                "PyTorch",
                f"{folder}/optimum/bin/optimum-benchmark --config-dir {folder} "
                f"--config-name {launcher}",
                r"(?s)\+ forward:.*?p50: ([\d.]+)",
                unit=1e3,
                environment="optimum",
                packages=OPTIMUM_PACKAGES,
            )
            for launcher in LAUNCHERS
        ),
        Peer(
            "turnkeyml 6.2.5 (builds only)",
            "ONNX Runtime",
            f"{folder}/older/bin/turnkey {older}",
            "",
            environment="older",
            packages=(TORCH, "turnkeyml==6.2.5", "setuptools<80", "onnxscript==0.7.2"),
        ),
    ]


def prepare(folder: Path) -> list[Peer]:
    """Build the network, and install what is not installed yet."""
    folder.mkdir(parents=True, exist_ok=True)
    cache = ["-d", str(folder / "cache"), "--build-only"]
    _run([sys.executable, "-m", "turnkeyml", str(SCRIPT), *cache])
    chosen = peers(folder)
    for peer in chosen:
        home = folder / peer.environment
        if peer.packages and not home.exists():
            _run([sys.executable, "-m", "venv", str(home)])
            for packages in _groups(peer.packages):
                _run([str(home / "bin" / "pip"), "install", "--quiet", *packages])
    save = f"import runpy; runpy.run_path('{FOLDER_SCRIPT}')['model'].save_pretrained('model')"
    _run([str(folder / "optimum" / "bin" / "python"), "-c", save], cwd=folder)
    for launcher in LAUNCHERS:
        text = OPTIMUM.format(model=folder / "model", runs=folder / "runs", launcher=launcher)
        (folder / f"{launcher}.yaml").write_text(text)
    return chosen


def _groups(packages: tuple[str, ...]) -> Iterator[list[str]]:
    """onnxscript afterwards: the older turnkeyml asks for a numpy that it does not work with."""
    yield [name for name in packages if not name.startswith("onnxscript")]
    yield from ([name] for name in packages if name.startswith("onnxscript"))


def _run(command: list[str], cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)


def measure(peer: Peer, folder: Path) -> Outcome:
    """Run a peer in a folder, where some leave files; what it reported and warned of."""
    begin = time.perf_counter()
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OVERRIDE_BENCHMARKS": "1"}
    done = subprocess.run(
        shlex.split(peer.command), capture_output=True, text=True, env=environment, cwd=folder
    )
    seconds = time.perf_counter() - begin
    printed = done.stdout + done.stderr
    if done.returncode:
        raise SystemExit(f"{peer.command} failed:\n{printed[-3000:]}")
    found = re.search(peer.median, printed) if peer.median else None
    warnings = [" ".join(match.group().split()) for match in WARNING.finditer(printed)]
    return Outcome(seconds, float(found.group(1)) * peer.unit if found else None, warnings)


@contextmanager
def busy() -> Iterator[None]:
    """Another program that keeps one processor busy."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def main(folder: Path) -> None:
    chosen = prepare(folder)
    alone = [measure(peer, folder) for peer in chosen]
    with busy():
        disturbed = [measure(peer, folder) for peer in chosen]
    print(f"\n{datetime.date.today()}, {THREADS} threads, ResNet-18, batch 1, fp32\n")
    print("| tool | engine | median (ms) | command took | beside a busy program | it warned |")
    print("|---|---|---:|---:|---:|---|")
    for peer, first, second in zip(chosen, alone, disturbed, strict=True):
        said = second.warnings[0][:100] if second.warnings else "no"
        cells = [peer.name, peer.engine, _ms(first), f"{first.seconds:.1f} s", _ms(second), said]
        print(f"| {' | '.join(cells)} |")


def _ms(outcome: Outcome) -> str:
    return "-" if outcome.latency is None else f"{outcome.latency:.2f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build-output" / "peers")
    main(parser.parse_args().folder.resolve())
