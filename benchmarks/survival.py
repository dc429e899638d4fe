"""Attack turnkey with kills, failing disks, parallel runs, damaged files and a clock that jumps.

    python benchmarks/survival.py [--only kills faults concurrent fuzz clock many] [--seed N] …

Everything happens in a temporary folder. The table has one row per test: what was tried, what
survived, what was lost (a result, a file, a process that stays, a traceback in place of a
sentence) and what hung. The exit status is 1 if anything was lost or hung.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[1:1] = [str(Path(__file__).parent.parent)]

from survival_cache import Row  # noqa: E402
from survival_faults import faults  # noqa: E402
from survival_kills import kills  # noqa: E402
from survival_runs import clock, concurrent, many  # noqa: E402

from tests import fuzzing  # noqa: E402

PARTS = ("kills", "faults", "concurrent", "fuzz", "clock", "many")


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--concurrent", type=int, default=200, help="runs, four at a time")
    parser.add_argument("--files", type=int, default=10**6, help="fuzzed files of all kinds")
    parser.add_argument("--clocks", type=int, default=20, help="runs with a clock that jumps")
    parser.add_argument("--models", type=int, default=200, help="models in one script")
    parser.add_argument("--inputs", type=int, default=10_000, help="inputs of one run")
    parser.add_argument("--kind", help="only this command, of kills and faults")
    parser.add_argument("--target", nargs="+", choices=sorted(fuzzing.TARGETS), metavar="FILE")
    return parser.parse_args()


def fuzz(count: int, seed: int, folder: Path, table: list[Row], names: list[str] | None) -> None:
    """Read mutations of every kind of file; adds one row per kind."""
    fuzzing.warm_up()
    memory = Path("/dev/shm")  # where there is one, files need no disk
    targets = [t for t in fuzzing.TARGETS.values() if names is None or t.name in names]
    total = sum(target.weight for target in targets)
    for target in targets:
        share = max(1, count * target.weight // total)
        bad = hung = 0
        begin = time.monotonic()
        place = memory if memory.is_dir() else folder
        with tempfile.TemporaryDirectory(dir=place) as temporary:
            for found in fuzzing.fuzz(target.name, seed, share, Path(temporary)):
                if found.what:
                    print(f"  ! {target.name}, number {found.number}: {found.what}", flush=True)
                bad += 1
                hung += found.what == fuzzing.HANGS
        table.append(Row(f"fuzz: {target.name}", share, share - bad, bad - hung, hung))
        print(f"  {target.name}: {share} files in {time.monotonic() - begin:.0f} s", flush=True)


def print_table(rows: list[Row]) -> None:
    """One line per test, and one for all."""
    whole = Row("together")
    for row in rows:
        whole.tried += row.tried
        whole.survived += row.survived
        whole.lost += row.lost
        whole.hung += row.hung
    width = max(len(row.test) for row in [*rows, whole])
    print(f"\n{'test':{width}} {'tried':>9} {'survived':>9} {'lost':>6} {'hung':>6}")
    for row in [*rows, whole]:
        print(f"{row.test:{width}} {row.tried:9} {row.survived:9} {row.lost:6} {row.hung:6}")


def main() -> None:
    options = parse()
    # A shell ignores interrupts for what it puts into the background, and so would the trees.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"seed {options.seed}", flush=True)
    table: list[Row] = []
    seed = options.seed
    parts: dict[str, Callable[[Path], None]] = {
        "kills": lambda folder: kills(options.kills, seed, folder, table, options.kind),
        "faults": lambda folder: faults(options.faults, seed, folder, table, options.kind),
        "concurrent": lambda folder: concurrent(options.concurrent, seed, folder, table),
        "fuzz": lambda folder: fuzz(options.files, seed, folder, table, options.target),
        "clock": lambda folder: clock(options.clocks, seed, folder, table),
        "many": lambda folder: many(options.models, options.inputs, folder, table),
    }
    with tempfile.TemporaryDirectory(prefix="turnkey-survival-") as temporary:
        try:
            for name in options.only:
                print(f"{name} …", flush=True)
                folder = Path(temporary) / name
                folder.mkdir()
                parts[name](folder)
        finally:  # also of what was done before an interrupt
            print_table(table)
    sys.exit(any(row.lost or row.hung for row in table))


if __name__ == "__main__":
    main()
