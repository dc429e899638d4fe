"""Run turnkey on every script and write the results to ``models/status.csv``.

    python -m corpora.status run --jobs 2         all scripts that have no row yet
    python -m corpora.status run timm/resnet50    some scripts
    python -m corpora.status run --gpu llm        with the weights on a GPU
    python -m corpora.status merge ROWS.csv       add rows that another machine wrote
    python -m corpora.status judge ROWS.csv       take nothing but their verdicts
    python -m corpora.status page                 write docs/corpus.md

Every model is analysed, those of up to 300 million parameters are built and verified, and those of
up to 100 million are measured with ``quick``. A row is valid for one version of a script: a changed
script runs again. A run can be interrupted at any time, and continues where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from corpora.__main__ import MODELS

if TYPE_CHECKING:
    from turnkeyml.nouns import InputResult, InvocationResult

__all__ = ["COLUMNS", "STATUS", "current", "read_rows", "row_of"]

STATUS = MODELS / "status.csv"

COLUMNS = (
    "script",
    "runs",
    "models",
    "parameters",
    "builds",
    "verifies",
    "verified_before",
    "judged",
    "exporter",
    "measured",
    "script_seconds",
    "build_seconds",
    "measure_seconds",
    "median_ms",
    "reason",
    "cause",
    "machine",
    "torch",
    "date",
    "text",
)
"""``text`` is the beginning of the sha256 of the script, ``cause`` comes from ``causes.csv``.
``judged`` says when and where the verdict was given by the present rules; if it is empty, it is a
verdict by the older ones. ``verified_before`` is what these had said."""

BUILT_UP_TO = 300_000_000
MEASURED_UP_TO = 100_000_000
ALONE_FROM = 1_000_000_000
"""Scripts with more parameters run one at a time, as they need much memory."""

TIMEOUT_SECONDS = 1200

Row = dict[str, str]


def read_rows(path: Path = STATUS) -> dict[str, Row]:
    """The rows of a table, by script."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["script"]: row for row in csv.DictReader(file)}


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write a sorted table atomically."""
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["script"]))
    fresh.replace(path)


def all_scripts() -> list[str]:
    """Every script of every corpus, as ``corpus/name``."""
    found = (path.relative_to(MODELS) for path in MODELS.glob("*/*.py"))
    return sorted(str(path.with_suffix("")) for path in found)


def text_of(script: str) -> str:
    """A short hash of the text of a script."""
    return hashlib.sha256((MODELS / f"{script}.py").read_bytes()).hexdigest()[:12]


def current(script: str, rows: dict[str, Row]) -> bool:
    """Whether there is a row for the current text of the script."""
    return script in rows and rows[script]["text"] == text_of(script)


def parameters_of(script: str) -> int:
    """The number of parameters in the labels of a script; 0 if there is none."""
    first = (MODELS / f"{script}.py").read_text(encoding="utf-8").partition("\n")[0]
    found = re.search(r"\bparams::(\d+)", first)
    return int(found.group(1)) if found else 0


def run(
    scripts: Sequence[str],
    jobs: int,
    cache_dir: str,
    keep: Callable[[Row], None],
    verdicts_only: bool = False,
) -> None:
    """Run turnkey on scripts; ``keep`` gets each row as soon as it is known."""
    from turnkeyml.api import benchmark_files

    def note(result: InputResult) -> None:
        keep(row_of(result))

    for selected, options in _rounds(scripts, jobs, verdicts_only):
        files = [str(MODELS / f"{script}.py") for script in selected]
        if files:
            benchmark_files(
                files,
                cache_dir=cache_dir,
                lean_cache=True,
                rebuild="always",
                sequence="optimize-fp16",  # as every row of the table so far
                process_isolation=True,
                timeout=TIMEOUT_SECONDS,
                on_result=note,
                **options,
            )


def _rounds(
    scripts: Sequence[str], jobs: int, verdicts_only: bool
) -> list[tuple[list[str], dict[str, Any]]]:
    """The scripts grouped by size, each group with its options."""
    sizes = {script: parameters_of(script) for script in scripts}

    def between(low: int, high: float) -> list[str]:
        return [script for script, size in sizes.items() if low < size <= high]

    measured = {"jobs": jobs, **({"build_only": True} if verdicts_only else {"quick": True})}
    return [
        (between(-1, MEASURED_UP_TO), measured),
        (between(MEASURED_UP_TO, BUILT_UP_TO), {"jobs": jobs, "build_only": True}),
        (between(BUILT_UP_TO, ALONE_FROM), {"jobs": jobs, "analyze_only": True}),
        (between(ALONE_FROM, float("inf")), {"jobs": 1, "analyze_only": True}),
    ]


def row_of(result: InputResult) -> Row:
    """The row of the table for a result."""
    import torch

    path = Path(result.input.path)
    script = f"{path.parent.name}/{path.stem}"
    found = result.invocations
    reached = "build" in result.seconds
    built = [i for i in found if i.build_status is not None or (reached and i.failure)]
    measured = [e for i in found for e in i.evaluations]
    row = {
        "script": script,
        "runs": _word(result.script.ok and (result.failure is None or reached)),
        "models": str(len(found)),
        "parameters": str(sum(i.invocation.parameters for i in found)),
        "builds": _all(built, lambda i: i.build_status == "successful_build"),
        "verifies": _worst(i.verification.verdict for i in built if i.verification),
        "judged": _judged_here(),
        "exporter": "+".join(sorted({_exporter(i) for i in built} - {""})),
        "measured": _all(measured, lambda e: e.ok),
        "reason": _reason(result),
        "machine": _this_machine(),
        "torch": torch.__version__.partition("+")[0],
        "date": date.today().isoformat(),
        "text": text_of(script),
    }
    for phase, seconds in result.seconds.items():
        row[f"{phase}_seconds"] = f"{seconds:.1f}"
    if len(result.performances) == 1:
        row["median_ms"] = f"{result.performances[0].median_latency:.4g}"
    return row


def _this_machine() -> str:
    from turnkeyml.system import machine

    return f"{machine.cpu_name()}, {machine.usable_cores()} cores"


def _judged_here() -> str:
    import torch

    version = torch.__version__.partition("+")[0]
    return f"{date.today().isoformat()} with torch {version} on {_this_machine()}"


@contextmanager
def _on_a_gpu() -> Iterator[str]:
    """Make the GPU torch's default device in scripts; yields the name of the GPU.

    Seven billion random weights take minutes on a CPU, and a moment on a GPU.
    """
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("torch finds no GPU; run without --gpu.")
    before = os.environ.get("PYTHONPATH", "")
    with TemporaryDirectory() as folder:
        text = 'import torch\n\ntorch.set_default_device("cuda")\n'
        Path(folder, "sitecustomize.py").write_text(text, encoding="utf-8")
        os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{before}"
        try:
            yield torch.cuda.get_device_name()
        finally:
            os.environ["PYTHONPATH"] = before


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _all(items: Sequence[Any], good: Callable[[Any], bool]) -> str:
    return _word(all(map(good, items))) if items else ""


VERDICTS = (
    "mismatch",
    "not checked",
    "close",
    "specialised",
    "nondeterministic",
    "match in parts",
    "match",
)
"""What ``verifies`` may be, from the worst to the best."""


def _worst(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=VERDICTS.index, default="")


def _exporter(result: InvocationResult) -> str:
    return str(_build_stats(result).get("exporter", ""))


def _build_stats(result: InvocationResult) -> dict[str, Any]:
    from turnkeyml.cache import BuildFolder, read_stats

    if result.build_dir is None:
        return {}
    folder = Path(result.build_dir)
    build = read_stats(BuildFolder(folder.parent, folder.name)).get("build")
    return build if isinstance(build, dict) else {}


def _reason(result: InputResult) -> str:
    """Why a script failed or was not verified; empty if neither."""
    reasons = [result.failure or "", result.script.error or ""]
    for invocation in result.invocations:
        reasons.append(invocation.failure or "")
        reasons += [e.reason or "" for e in invocation.evaluations if not e.ok]
        verification = invocation.verification
        if verification is not None and verification.verdict not in ("match", "match in parts"):
            error = verification.max_relative_error
            detail = f", relative error {error:.2g}" if error is not None else ""
            history = _build_stats(invocation).get("exporter_reason", "")
            reasons.append(f"{verification.verdict}: {verification.reason}{detail} ({history})")
    if not result.invocations and not any(reasons):
        reasons.append("no model was found")
    text = " ".join("; ".join(r for r in reasons if r).split())
    text = re.sub(r" ?\((see|its output is in) [^)]*\)", "", text).replace(str(MODELS), "models")
    for folder in {str(Path(i.build_dir).parent) for i in result.invocations if i.build_dir}:
        text = text.replace(f"{folder}/", "")
    return text if len(text) <= 600 else text[:597] + "..."


def _named(names: Sequence[str]) -> list[str]:
    """The scripts with these names or wildcards; all scripts without names."""
    from fnmatch import fnmatch

    scripts = all_scripts()
    if not names:
        return scripts
    chosen = [s for s in scripts if any(fnmatch(s, n) or s.startswith(f"{n}/") for n in names)]
    if not chosen:
        raise SystemExit(f"No script matches {' or '.join(names)}.")
    return chosen


def _run(options: argparse.Namespace) -> None:
    path = Path(options.rows)
    kept = read_rows(path)
    rows = {} if options.again else {**read_rows(), **kept}
    part, parts = map(int, options.part.split("/"))
    scripts = [
        script
        for script in _named(options.scripts)[part - 1 :: parts]
        if not current(script, rows) or (options.retry and rows[script]["reason"])
    ]

    print(f"{len(scripts)} scripts", flush=True)
    with _on_a_gpu() if options.gpu else nullcontext("") as gpu:

        def keep(row: Row) -> None:
            kept[row["script"]] = {**row, "machine": gpu or row["machine"]}
            write_rows(kept.values(), path)

        run(scripts, options.jobs, options.cache_dir, keep, options.verdicts)


def _merge(options: argparse.Namespace) -> None:
    rows = read_rows()
    for path in options.tables:
        rows.update({s: r for s, r in read_rows(Path(path)).items() if current_text(s, r)})
    there = set(all_scripts())
    write_rows([row for script, row in rows.items() if script in there], STATUS)


def _judge(options: argparse.Namespace) -> None:
    """Take the verdicts of other tables; scripts that do not build there keep theirs."""
    rows = read_rows()
    for path in options.tables:
        for script, fresh in read_rows(Path(path)).items():
            if current_text(script, fresh) and fresh["verifies"]:
                rows[script] = judged_anew(rows[script], fresh)
    write_rows(rows.values(), STATUS)


def judged_anew(row: Row, fresh: Row) -> Row:
    """A row with the verdict of a fresher one, which may be from another machine."""
    judged = (
        fresh.get("judged") or f"{fresh['date']} with torch {fresh['torch']} on {fresh['machine']}"
    )
    before = row.get("verified_before") or row["verifies"]
    taken = {name: fresh[name] for name in ("verifies", "exporter", "reason")}
    return {**row, **taken, "verified_before": before, "judged": judged}


def causes() -> list[tuple[re.Pattern[str], str]]:
    """The known causes of failures, with the pattern of the reasons that each explains."""
    with (Path(__file__).parent / "causes.csv").open(encoding="utf-8", newline="") as file:
        return [(re.compile(row["reason"]), row["cause"]) for row in csv.DictReader(file)]


def _with_cause(row: Row, known: list[tuple[re.Pattern[str], str]]) -> Row:
    text = f"{row['script']}: {row['reason']}" if row["reason"] else ""
    found = [cause for pattern, cause in known if text and pattern.search(text)]
    return {**row, "cause": found[0] if found else ""}


def _page(options: argparse.Namespace) -> None:
    from corpora.page import write_page

    known = causes()
    rows = [_with_cause(row, known) for row in read_rows().values()]
    write_rows(rows, STATUS)
    print(write_page(rows, all_scripts()))


def current_text(script: str, row: Row) -> bool:
    """Whether a row is about the current text of the script."""
    return (MODELS / f"{script}.py").exists() and row["text"] == text_of(script)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m corpora.status")
    actions = parser.add_subparsers(required=True)
    action = actions.add_parser("run", help="run turnkey on scripts")
    action.add_argument("scripts", nargs="*", help="corpora, scripts or wildcards (default: all)")
    action.add_argument("--jobs", type=int, default=1)
    action.add_argument("--again", action="store_true", help="also run scripts that have a row")
    action.add_argument("--retry", action="store_true", help="also run scripts that failed")
    action.add_argument("--part", default="1/1", help="2/5: run the second fifth of the scripts")
    action.add_argument("--rows", default=str(STATUS), help="the output table")
    action.add_argument("--verdicts", action="store_true", help="build and verify, measure nothing")
    action.add_argument("--gpu", action="store_true", help="create models and inputs on the GPU")
    action.add_argument("--cache-dir", default=os.path.join("build-output", "status"))
    action.set_defaults(act=_run)
    action = actions.add_parser("merge", help="add the rows of other tables")
    action.add_argument("tables", nargs="+")
    action.set_defaults(act=_merge)
    action = actions.add_parser("judge", help="take the verdicts of other tables, nothing else")
    action.add_argument("tables", nargs="+")
    action.set_defaults(act=_judge)
    action = actions.add_parser("page", help="add the known causes, and write docs/corpus.md")
    action.set_defaults(act=_page)
    options = parser.parse_args()
    options.act(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
