"""Runs that share a cache, a clock that jumps, and very many models, for ``survival.py``."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml
from survival_cache import Row, Tree, check_cache, command, make_library, results_in, write_models

__all__ = ["clock", "concurrent", "many"]

LONGEST = 180.0
AT_ONCE = 4
DAY = 86_400


def concurrent(count: int, seed: int, folder: Path, table: list[Row]) -> None:
    """Four identical runs at once, while the cache is listed, reported and deleted in loops."""
    models = write_models(folder / "models", onnx_files=3, scripts=1)
    rng = random.Random(seed)
    alone = Row("concurrent: four runs")
    beside = Row("concurrent: and report, list, delete")
    table += [alone, beside]
    for turn in range(math.ceil(count / AT_ONCE)):
        cache = folder / f"cache{turn}"
        jobs = rng.choice([1, 2])
        words = ["benchmark", *models, "-d", cache, "--iterations", 5, "--jobs", jobs]
        deletes = turn % 2 == 1
        row = beside if deletes else alone
        problems, hung = _together(words, cache, deletes, rng)
        if cache.exists():
            problems += check_cache(cache)
        if not hung:
            last = Tree(words)
            if not last.wait(LONGEST) or last.status:
                problems.append(f"the run after it: {last.status}: {last.output()[-500:]}")
            last.end()
            if len({result[0] for result in results_in(cache)}) != len(models):
                problems.append(f"results of {len(models)} models are not there")
        row.add(problems, hung, AT_ONCE)
        shutil.rmtree(cache, ignore_errors=True)
        if turn % 5 == 4:
            print(f"  {(turn + 1) * AT_ONCE} of {count} runs", flush=True)


def _together(
    words: list[Any], cache: Path, deletes: bool, rng: random.Random
) -> tuple[list[str], bool]:
    """The problems of four runs at once, and whether one hangs."""
    trees = []
    for _ in range(AT_ONCE):
        trees.append(Tree(words))
        time.sleep(rng.choice([0, 0, 0.3, 1.0]))
    here = ("-d", cache)
    light: list[tuple[Any, ...]] = [
        ("cache", "list", *here),
        ("cache", "report", *here, "-o", cache.parent / "beside.csv"),
        ("cache", "delete", "--all", "--yes", *here),
    ]
    problems = []
    end = time.monotonic() + LONGEST
    while any(tree.status is None for tree in trees) and time.monotonic() < end:
        if not deletes:
            time.sleep(0.2)
            continue
        what = rng.choice(light)
        done = subprocess.run(command(*what), capture_output=True, text=True, timeout=LONGEST)
        printed = done.stdout + done.stderr
        fine = done.returncode == 0 or "is using" in printed or "is not a dir" in printed
        if "Traceback" in printed or not fine:
            problems.append(f"{' '.join(what[:2])}: {done.returncode}: {printed[-1200:]}")
    hung = [tree for tree in trees if tree.status is None]
    problems += [f"a run hangs: {tree.describe()}" for tree in hung]
    for tree in trees:
        if tree not in hung and (tree.status or "Traceback" in tree.output()):
            problems.append(f"a run ended with {tree.status}: {tree.output()[-1500:]}")
        if tree not in hung and (left := tree.leftovers()):
            problems.append(f"processes are left: {left}")
        tree.end()
    return problems, bool(hung)


def clock(count: int, seed: int, folder: Path, table: list[Row]) -> None:
    """Runs whose clock of the day jumps by up to a day, several times a second."""
    models = write_models(folder / "models", onnx_files=3, scripts=1)
    library = make_library(folder)
    cache = folder / "cache"
    row = Row("clock jumps")
    table.append(row)
    rng = random.Random(seed)
    here = ("-d", cache, "--iterations", 5)
    kinds: list[tuple[Any, ...]] = [
        ("benchmark", *models, *here, "--rebuild", "always"),
        ("benchmark", *models, *here, "--jobs", 2, "--rebuild", "always"),
        ("benchmark", *models, *here, "--process-isolation", "--timeout", 170),
        ("race", models[-1], *here, "--runtime", "ort", "torch-eager"),
        ("cache", "benchmark", "--all", *here),
    ]
    for turn in range(count):
        words = kinds[0] if turn == 0 else rng.choice(kinds)
        jump = rng.choice([5, 60, 3600, DAY])
        kept = results_in(cache) if cache.exists() else set()
        env = {"LD_PRELOAD": str(library), "CLOCK_JUMPS": str(jump)}
        with ExitStack() as stack:
            tree = Tree(words, env)
            stack.callback(tree.end)
            hung = not tree.wait(LONGEST)
            problems = [f"{words[0]} hangs: {tree.describe()}"] if hung else []
            if not hung and (tree.status or "Traceback" in tree.output()):
                problems.append(f"{words[0]}: {tree.status}: {tree.output()[-1500:]}")
            for process in range(not hung and len(tree.leftovers())):
                problems.append(f"process {process} is left")
        if lost := kept - results_in(cache):
            problems.append(f"lost {sorted(lost)[:2]}")
        problems += check_cache(cache)
        problems += [f"{words[0]}, jumps of {jump} s: {p}" for p in _odd_durations(cache)]
        row.add(problems, hung)
        print(f"  {turn + 1} of {count} runs with a clock that jumps", flush=True)


def _odd_durations(cache: Path) -> list[str]:
    """Durations in the stats that cannot be: below zero, or longer than anything took."""
    found = []
    for path in cache.glob("*/turnkey_stats.yaml"):
        stats = yaml.safe_load(path.read_text())
        for name, value in _durations(stats):
            if not 0 <= value <= LONGEST:
                found.append(f"{path.parent.name}: {name} is {value}")
    for path in (cache / ".runs").glob("*.json"):
        for name, value in json.loads(path.read_text()).get("seconds", {}).items():
            if not 0 <= value <= LONGEST:
                found.append(f"{path.name}: {name} is {value}")
    return found


def _durations(data: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numbers in nested data whose names say that they are seconds or latencies."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _durations(value, str(key))
    elif isinstance(data, list):
        for value in data:
            yield from _durations(value, name)
    elif type(data) in (int, float) and name.endswith(("seconds", "_latency")):
        yield name, float(data)


def many(models: int, inputs: int, folder: Path, table: list[Row]) -> None:
    """A script with very many models, and a run with very many inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "many.py"
    script.write_text(
        f"import torch\nfor n in range({models}):\n"
        "    torch.nn.Linear(n + 1, 2)(torch.rand(1, n + 1))\n"
    )
    cache = folder / "cache"
    listed = Row(f"many: {models} models in a script, listed")
    listed.add(*_complete(["benchmark", script, "-d", cache, "--analyze-only"], models))
    measured = Row(f"many: {models} models in a script, measured")
    words = ["benchmark", script, "-d", cache, "--iterations", 5, "--runtime", "torch-eager"]
    problems, hung = _complete(words, models)
    if not problems:
        names = {result[0] for result in results_in(cache)}
        problems += [f"{len(names)} models have results"] if len(names) != models else []
        problems += check_cache(cache)
    measured.add(problems, hung)
    table += [listed, measured]
    files = write_models(folder / "models", onnx_files=inputs, scripts=0)
    names = folder / "all.txt"
    names.write_text("".join(f"{file}\n" for file in files))
    for what in ("--dry-run", "--analyze-only"):
        row = Row(f"many: {inputs} inputs, {what}")
        row.add(*_complete(["benchmark", names, "-d", cache, what, "--jobs", 2], None))
        table.append(row)


def _complete(words: list[Any], models: int | None) -> tuple[list[str], bool]:
    """The problems of one run, and whether it hangs."""
    begin = time.monotonic()
    tree = Tree([*words, "--json"] if models else words)
    try:
        if not tree.wait(3600):
            return [f"it hangs: {tree.describe()}"], True
        printed = tree.output()
        problems = []
        if tree.status or "Traceback" in printed:
            problems.append(f"exit status {tree.status}: {printed[-800:]}")
        elif models:
            document = json.loads(printed[printed.index("{\n") if "{\n" in printed else 0 :])
            count = sum(len(r["invocations"]) for r in document["results"])
            problems += [f"{count} models were found"] if count != models else []
    except (ValueError, KeyError) as error:
        return [f"{error!r}: {printed[:300]}"], False
    finally:
        tree.end()
    print(f"  {time.monotonic() - begin:.0f} s: {' '.join(map(str, words[:1] + words[3:]))}")
    return problems, False
