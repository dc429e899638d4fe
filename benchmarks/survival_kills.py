"""Kills and stops of random processes at random moments, for ``survival.py``."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil
from survival_cache import Row, Tree, check_cache, results_in, write_models

__all__ = ["kills"]

LONGEST = 240.0
"""Seconds after which a tree that nobody attacks any more hangs."""
MOST = 80
"""Attacks on one tree, after which it may end."""
SIGNALS = [signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGINT, signal.SIGSTOP]
WEIGHTS = {"parent": 0.012, "zygote": 0.015, "child": 0.5, "worker": 0.5}
"""How often a process of a role is chosen; with the first two, the whole tree ends."""
EXITS = {0, 1, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT}


@dataclass(frozen=True)
class Kind:
    """A command to attack."""

    name: str
    words: tuple[object, ...]
    again: tuple[object, ...]
    """The command after it; whatever was killed, this completes."""
    deletes: bool = False
    pause: float = 0.15
    """Mean seconds between two attacks."""
    weight: int = 1
    forks: bool = True
    """Whether it has a zygote and input children between its first process and the workers."""


def kills(count: int, seed: int, folder: Path, table: list[Row], only: str | None = None) -> None:
    """Attack trees until there were so many kills; adds one row per kind of command."""
    models = write_models(folder / "models", onnx_files=20, scripts=2)
    pristine = folder / "pristine"
    first = Tree(["benchmark", *models, "-d", pristine, "--iterations", 5])
    if not first.wait(600) or first.status:
        raise SystemExit(f"The cache could not be made:\n{first.output()}")
    rng = random.Random(seed)
    rows: dict[str, Row] = {}
    roles: Counter[str] = Counter()
    turn = 0
    while sum(row.tried for row in rows.values()) < count:
        cache = folder / f"cache{turn}"
        if turn % 3:
            shutil.copytree(pristine, cache, symlinks=True)
        kinds = [k for k in _kinds(models, cache) if only in (None, k.name)]
        kind = rng.choices(kinds, [k.weight for k in kinds])[0]
        if kind.name not in rows:
            rows[kind.name] = Row(f"kill: {kind.name}")
            table.append(rows[kind.name])
        row = rows[kind.name]
        attack(kind, cache, rng, row, roles)
        shutil.rmtree(cache, ignore_errors=True)
        turn += 1
        done = sum(r.tried for r in rows.values())
        print(f"  {done} of {count} kills after {kind.name}", flush=True)
    print(f"  roles: {dict(roles)}", flush=True)


def _kinds(models: list[Path], cache: Path) -> list[Kind]:
    here = ("-d", cache)
    quick = ("--iterations", 5)
    run = ("benchmark", *models, *here, *quick)
    one = models[0]
    scripts = [m for m in models if m.suffix == ".py"]
    eager = ("benchmark", *scripts, *models[:6], *here, *quick, "--process-isolation")
    race = ("race", *models[:12], *here, *quick, "--runtime", "ort", "openvino")
    live = ("race", *scripts, *here, *quick, "--runtime", "ort", "torch-eager")
    tune = ("tune", one, *here, "--runtime", "ort", "--budget", "3s")
    explain = ("explain", one, *here)
    found = [
        Kind("run", run, (*run, "--resume"), weight=12),
        Kind("run --jobs 2", (*run, "--jobs", 2), run, weight=12),
        Kind("isolated run", eager, eager, weight=3, forks=False),
        Kind("race", race, (*race, "--resume"), weight=6),
        Kind("race of live models", live, live, weight=2),
        Kind("tune", tune, tune),
        Kind("explain", explain, explain, weight=1),
    ]
    if cache.exists():
        again = ("cache", "benchmark", "--all", *here, *quick)
        delete = ("cache", "delete", "--all", "--yes", *here)
        clean = ("cache", "clean", "--all", "--yes", *here)
        found += [
            Kind("cache benchmark", again, again, weight=6, forks=False),
            Kind("cache delete", delete, delete, deletes=True, weight=4, forks=False),
            Kind("cache clean", clean, clean, forks=False),
        ]
    return found


def attack(kind: Kind, cache: Path, rng: random.Random, row: Row, roles: Counter[str]) -> None:
    """Attack one tree until it ends, then see whether everything is there and a new run works."""
    before = results_in(cache) if cache.exists() else set()
    tree = Tree(kind.words)
    kept = set() if kind.deletes else before
    stopped: list[tuple[float, psutil.Process]] = []
    done = 0
    early = rng.random() < 0.1
    try:
        begin = time.monotonic()
        while tree.status is None and time.monotonic() - begin < LONGEST:
            time.sleep(rng.expovariate(1 / kind.pause))
            _go_on(stopped)
            if done >= MOST or tree.status is not None:
                break
            # What starts is alone for a while, and its end would be that of most trees.
            if not early and not _has_begun(kind, tree):
                continue
            if _strike(kind, tree, rng, roles, stopped):
                done += 1
                whole = done % 4 == 0 or tree.status is not None
                problems = check_cache(cache) if whole and cache.exists() else []
                lost = kept - results_in(cache)
                problems += [f"{kind.name}: lost {sorted(lost)[:2]}"] if lost else []
                row.add(problems)
                kept = kept if kind.deletes else kept | results_in(cache)
        print(f"  {kind.name}: {done} in {time.monotonic() - begin:.0f} s", flush=True)
        _end(kind, tree, stopped, row)
    finally:
        tree.end()
    if done:
        _go_again(kind, cache, kept, row)


def _has_begun(kind: Kind, tree: Tree) -> bool:
    """Whether a tree has more than the one or two processes that it starts with."""
    return not kind.forks or any(role in ("child", "worker") for role, _ in tree.processes())


def _strike(
    kind: Kind,
    tree: Tree,
    rng: random.Random,
    roles: Counter[str],
    stopped: list[tuple[float, psutil.Process]],
) -> bool:
    """Send a signal to a random process of a tree; whether there was one."""
    found = [
        (role if kind.forks or role == "parent" else "worker", process)
        for role, process in tree.processes()
    ]
    if not found:
        return False
    role, process = rng.choices(found, [WEIGHTS[role] for role, _ in found])[0]
    number = rng.choice(SIGNALS)
    try:
        process.send_signal(number)
    except psutil.Error:
        return False
    if number == signal.SIGSTOP:
        stopped.append((time.monotonic() + rng.uniform(0.1, 1.5), process))
    roles[f"{role} {number.name}"] += 1
    if role == "parent":
        print(f"  (its first process got {number.name})", flush=True)
    return True


def _go_on(stopped: list[tuple[float, psutil.Process]], at_once: bool = False) -> None:
    """Let processes go on that were stopped for long enough."""
    for entry in list(stopped):
        until, process = entry
        if at_once or time.monotonic() > until:
            stopped.remove(entry)
            try:
                process.send_signal(signal.SIGCONT)
            except psutil.Error:
                continue


def _end(kind: Kind, tree: Tree, stopped: list[tuple[float, psutil.Process]], row: Row) -> None:
    """See that a tree ends, with a status of ours, without a traceback, and leaves no process."""
    begin = time.monotonic()
    while tree.status is None and time.monotonic() - begin < LONGEST:
        _go_on(stopped)
        time.sleep(0.1)
    _go_on(stopped, at_once=True)
    if tree.status is None:
        problem = f"{kind.name} hangs: {tree.describe()}: {tree.output()[-300:]}"
        if row.tried:
            row.hung += 1
            row.survived -= 1
        row.findings.append(problem)
        print(f"  ! {problem}", flush=True)
        return
    problems = []
    if tree.status not in EXITS:
        problems.append(f"exit status {tree.status}: {tree.output()[-300:]}")
    if "Traceback" in tree.output():
        where = tree.output().index("Traceback")
        problems.append(f"a traceback: {tree.output()[where : where + 1500]}")
    if left := tree.leftovers():
        problems.append(f"processes are left: {tree.describe()} ({left})")
    _blame(row, problems, kind)


def _go_again(kind: Kind, cache: Path, kept: set[tuple[str, ...]], row: Row) -> None:
    """Run the command after it, which nobody attacks."""
    tree = Tree(kind.again)
    try:
        in_time = tree.wait(LONGEST)
        problems = []
        if not in_time:
            problems.append(f"the command after it hangs: {tree.describe()}")
        elif "--resume" in kind.again:
            if tree.status not in (0, 1):
                problems.append(f"the command after it: {tree.status}: {tree.output()[-500:]}")
        elif tree.status and not (kind.deletes and "no build" in tree.output()):
            problems.append(f"the command after it: {tree.status}: {tree.output()[-500:]}")
        if "Traceback" in tree.output():
            problems.append(f"a traceback in the command after it: {tree.output()[-1500:]}")
    finally:
        tree.end()
    if cache.exists():
        lost = kept - results_in(cache)
        problems += [f"{kind.name}: lost {sorted(lost)[:2]}"] if lost else []
        problems += check_cache(cache, here=False)
        # What a killed process left half made must not pile up.
        left = [str(p.relative_to(cache)) for p in cache.rglob(".writing-*")]
        left += [p.name for p in cache.glob(".deleted-*")]
        if left and kind.deletes:
            problems.append(f"left behind: {left[:3]}")
        elif left:
            row.findings.append(f"note: {kind.name} left {left[:3]}")
            print(f"  note: {kind.name} left {left[:3]}", flush=True)
    _blame(row, problems, kind)


def _blame(row: Row, problems: list[str], kind: Kind) -> None:
    """Count an attack that was thought to be survived as lost."""
    if not problems:
        return
    row.survived -= 1
    row.lost += 1
    for problem in problems:
        row.findings.append(problem)
        print(f"  ! {row.test}: {problem}", flush=True)
