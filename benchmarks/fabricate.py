"""Large caches for benchmarks and tests: copies of real builds under other names.

Nothing in them is a result: the numbers are those of the builds that were copied.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from pathlib import Path

from turnkeyml.cache import BuildFolder, build_folders, evaluations_in, read_stats

__all__ = ["fabricate"]


def fabricate(source: Path, target: Path, evaluations: int) -> int:
    """Copy the builds of a cache again and again until there are enough evaluations; how many."""
    folders = build_folders(source)
    counts = {folder.name: len(evaluations_in(read_stats(folder))) for folder in folders}
    if not any(counts.values()):
        raise SystemExit(f"{source} has no evaluations to copy.")
    made = 0
    for number, folder in enumerate(itertools.cycle(folders)):
        if made >= evaluations:
            break
        _copy(folder, target, number)
        made += counts[folder.name]
    return made


def _copy(folder: BuildFolder, target: Path, number: int) -> None:
    """A build under another name; files that do not have the name in them are linked."""
    stem, _, digest = folder.name.rpartition("_")
    other = "a" + hashlib.sha256(f"{digest}{number}".encode()).hexdigest()[:7]  # no number in YAML
    name = f"{stem}_{number}_{other}"
    for path in _small_files(folder.path):
        copy = target / name / str(path.relative_to(folder.path)).replace(folder.name, name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".yaml":
            text = path.read_text(encoding="utf-8")
            copy.write_text(text.replace(folder.name, name).replace(digest, other), "utf-8")
        else:
            os.link(path, copy)


def _small_files(folder: Path) -> list[Path]:
    """What a report reads: not the models, nor the inputs and outputs."""
    kept = [*folder.glob("*.yaml"), *folder.glob("log_*.txt"), *folder.glob("*.jsonl")]
    return [*kept, *folder.glob("*_benchmark/*/log.txt"), *folder.glob("*_benchmark/*/*.npz")]
