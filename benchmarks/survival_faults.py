"""Disks that fill up or fail, at any write, for ``survival.py``."""

from __future__ import annotations

import random
import shutil
import struct
from dataclasses import dataclass
from pathlib import Path

from survival_cache import Row, Tree, check_cache, make_library, results_in, write_models

__all__ = ["faults"]

LONGEST = 180.0
KINDS = ("ENOSPC", "EIO", "short", "EIO of reads")
CAUSES = {
    "ENOSPC": ("No space left on device",),
    "EIO": ("Input/output error",),
    "short": ("Input/output error",),
    "EIO of reads": ("",),  # zipfile takes such a file for one that is no archive
}


@dataclass(frozen=True)
class Fault:
    """Which calls fail, counted from 1, and how."""

    kind: str
    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class Kind:
    """A command whose writes fail."""

    name: str
    words: tuple[object, ...]
    fresh: bool = False
    deletes: bool = False
    weight: int = 1


def faults(count: int, seed: int, folder: Path, table: list[Row], only: str | None = None) -> None:
    """Let so many writes fail, each in a run of its own; adds one row per kind of command."""
    library = make_library(folder)
    models = write_models(folder / "models", onnx_files=2, scripts=1)
    pristine = folder / "pristine"
    words = ["-d", pristine, "--iterations", 5]
    for more in (models[:2], [*models[2:], "--runtime", "ort", "torch-eager"]):
        first = Tree(["benchmark", *more, *words])
        if not first.wait(600) or first.status:
            raise SystemExit(f"The cache could not be made:\n{first.output()}")
    rng = random.Random(seed)
    cache = folder / "cache"
    kinds = [k for k in _kinds(models, cache, folder) if only in (None, k.name)]
    rows = {kind.name: Row(f"fault: {kind.name}") for kind in kinds}
    table += rows.values()
    calls: dict[str, int] = {}
    for turn in range(count):
        kind = rng.choices(kinds, [k.weight for k in kinds])[0]
        what = rng.choice(KINDS)
        key = f"{kind.name}{', reads too' if 'reads' in what else ''}"
        if key not in calls:
            _prepare(kind, pristine, cache)
            calls[key] = _run(kind, library, folder, Fault(what))[1]
            print(f"  {key}: {calls[key]} calls", flush=True)
        at = rng.randint(1, max(1, calls[key]))
        last = rng.choice([at, at, at + rng.randint(1, 20), 10**9])
        _prepare(kind, pristine, cache)
        _attack(kind, library, folder, Fault(what, at, last), rows[kind.name])
        if turn % 10 == 9:
            print(f"  {turn + 1} of {count} faults", flush=True)


def _kinds(models: list[Path], cache: Path, folder: Path) -> list[Kind]:
    here = ("-d", cache)
    quick = ("--iterations", 5)
    one = ("benchmark", models[0], *here, *quick)
    live = (*models[2:], *here, *quick, "--runtime", "ort", "torch-eager")
    return [
        Kind("first run", one, fresh=True, weight=12),
        Kind("run", (*one, *models[1:]), weight=9),
        Kind("rebuild", (*one, "--rebuild", "always"), weight=12),
        Kind("run with jobs", (*one, models[1], "--jobs", 2, "--rebuild", "always"), weight=6),
        Kind("rebuild of a script", ("benchmark", *live, "--rebuild", "always"), weight=6),
        Kind("race", ("race", *live), weight=4),
        Kind("cache benchmark", ("cache", "benchmark", "--all", *here, *quick), weight=9),
        Kind("cache clean", ("cache", "clean", "--all", "--yes", *here), weight=4),
        Kind("cache delete", ("cache", "delete", "--all", "--yes", *here), deletes=True, weight=4),
        Kind("cache list", ("cache", "list", "--sort", "age", *here), weight=3),
        Kind(
            "cache report",
            ("cache", "report", *here, "-o", cache / "r.csv", cache / "r.html"),
            weight=3,
        ),
        Kind("explain", ("explain", models[0], *here)),
        Kind("tune", ("tune", models[0], *here, "--budget", "2s", "--runtime", "ort")),
    ]


def _prepare(kind: Kind, pristine: Path, cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)
    if kind.fresh:
        cache.mkdir()
    else:
        shutil.copytree(pristine, cache)


def _run(kind: Kind, library: Path, folder: Path, fault: Fault) -> tuple[Tree, int, str]:
    """Run a command with faults: its processes, the calls that it made, and which failed."""
    state, log = folder / "state", folder / "log"
    state.write_bytes(bytes(16))
    log.unlink(missing_ok=True)
    tree = Tree(
        kind.words,
        {
            "LD_PRELOAD": str(library),
            "FAULT_FOLDER": str(folder / "cache"),
            "FAULT_STATE": str(state),
            "FAULT_LOG": str(log),
            "FAULT_KIND": fault.kind,
            "FAULT_AT": str(fault.first),
            "FAULT_LAST": str(fault.last),
            **({"FAULT_READS": "1"} if "reads" in fault.kind else {}),
        },
    )
    try:
        tree.wait(LONGEST)
    except KeyboardInterrupt:
        tree.end()
        raise
    calls = struct.unpack("qq", state.read_bytes())[0]
    return tree, calls, log.read_text() if log.exists() else ""


def _attack(kind: Kind, library: Path, folder: Path, fault: Fault, row: Row) -> None:
    cache = folder / "cache"
    kept = set() if kind.deletes else results_in(cache)
    tree, _, log = _run(kind, library, folder, fault)
    failed = log.splitlines()
    if not failed:  # the run made fewer calls this time
        tree.end()
        return
    where = failed[0].replace(str(folder), "")
    label = f"{kind.name}, {fault.kind} {fault.first}-{fault.last} ({where})"
    problems = []
    hung = tree.status is None
    try:
        printed = tree.output()
        if hung:
            problems.append(f"{label} hangs: {tree.describe()}: {printed[-500:]}")
        elif tree.status not in (0, 1):
            problems.append(f"{label}: exit status {tree.status}: {printed[-500:]}")
        if "Traceback" in printed:
            problems.append(f"{label}: traceback: {printed[printed.index('Traceback') :][:1800]}")
        elif tree.status == 1 and not any(cause in printed for cause in CAUSES[fault.kind]):
            problems.append(f"{label}: no cause is named: {printed[-700:]}")
        if not hung and (left := tree.leftovers()):
            problems.append(f"{label}: processes are left: {left}")
    finally:
        tree.end()
    if lost := kept - results_in(cache):
        problems.append(f"{label}: lost {sorted(lost)[:2]}")
    problems += [f"{label}: {p}" for p in check_cache(cache)]
    problems += [f"{label}: then {p}" for p in _usable(kind, cache, kept)]
    row.add(problems, hung=hung)


def _usable(kind: Kind, cache: Path, kept: set[tuple[str, ...]]) -> list[str]:
    """What is wrong with the same command on a disk that is well again."""
    tree = Tree(kind.words)
    try:
        if not tree.wait(LONGEST):
            return [f"it hangs: {tree.describe()}"]
        printed = tree.output()
        gone = kind.deletes and "o build" in printed
        problems = []
        if (tree.status and not gone) or "Traceback" in printed:
            problems.append(f"exit status {tree.status}: {printed[-500:]}")
    finally:
        tree.end()
    lost = kept - results_in(cache)
    return [*problems, *([f"lost {sorted(lost)[:2]}"] if lost else []), *check_cache(cache)]
