"""Write ``docs/corpus.md``, the summary of ``models/status.csv``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from turnkeyml.report import markdown_table

__all__ = ["write_page"]

PAGE = Path(__file__).parent.parent / "docs" / "corpus.md"

Row = dict[str, str]

HEADER = (
    "corpus",
    "scripts",
    "evaluated",
    "run, with a model found",
    "built",
    "verified",
    "measured",
)

BEGIN = """# Corpus

The results of turnkey on the [models](../models/readme.md) that come with it. Every script is run
and its models are listed. Models of up to 300 million parameters are built (ONNX, optimised, fp16)
and verified against the original. Models of up to 100 million are measured with ONNX Runtime and
`--quick`. This page is generated from `models/status.csv`, which has one row per script: what was
found, built and verified, by which exporter, how long each phase took, and the reason of a failure.
Weights are random. Those of models too large to build were created on a GPU if there was one, which
takes seconds instead of minutes.

    turnkey models list --labels test_group=sample

The machines were {machines}. `python -m corpora.status page` writes this page.
"""


def write_page(rows: Sequence[Row], scripts: Sequence[str]) -> Path:
    """Write the summary of all rows, also of scripts that were not run; the path of the page."""
    machines = Counter(f"{row['machine']} with torch {row['torch']}" for row in rows)
    named = [f"{name} ({count:,} scripts)" for name, count in machines.most_common()]
    parts = [
        BEGIN.format(machines=" and ".join(named) or "none yet"),
        "## Summary\n",
        _table(rows, scripts),
        "\n" + _exporters(rows),
        "\n## Verdicts by the present rules\n",
        _verdicts(rows),
        "\n## Known failures\n",
        _failures(rows),
    ]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return PAGE


def _table(rows: Sequence[Row], scripts: Sequence[str]) -> str:
    corpora = sorted({script.partition("/")[0] for script in scripts})
    lines = [_line(name, [r for r in rows if _corpus(r) == name], scripts) for name in corpora]
    lines.append(_line("all", rows, scripts))
    return "\n".join(markdown_table(HEADER, lines))


def _line(name: str, rows: Sequence[Row], scripts: Sequence[str]) -> list[str]:
    count = sum(name in ("all", script.partition("/")[0]) for script in scripts)
    found = [r for r in rows if r["runs"] == "yes" and int(r["models"]) > 0]
    built = [r for r in rows if r["builds"] == "yes"]
    return [
        name,
        f"{count:,}",
        f"{len(rows):,}",
        _share(found, rows),
        _share(built, [r for r in rows if r["builds"]]),
        _share([r for r in built if _is_verified(r)], built),
        _share([r for r in rows if r["measured"] == "yes"], [r for r in rows if r["measured"]]),
    ]


def _share(part: Sequence[Row], whole: Sequence[Row]) -> str:
    if not whole:
        return ""
    return f"{len(part):,} of {len(whole):,} ({1000 * len(part) // len(whole) / 10}%)"


def _corpus(row: Row) -> str:
    return row["script"].partition("/")[0]


def _is_verified(row: Row) -> bool:
    return row["verifies"] in ("match", "match in parts")


def _exporters(rows: Sequence[Row]) -> str:
    counts = Counter(row["exporter"] for row in rows if row["exporter"])
    words = ", ".join(f"{name} for {count:,}" for name, count in counts.most_common())
    parts = sum(row["verifies"] == "match in parts" for row in rows)
    in_parts = (
        f" {parts:,} of the verified models amplify rounding errors and were verified subgraph by "
        "subgraph."
        if parts
        else ""
    )
    return f"The exporter was {words}.{in_parts}" if words else ""


JUDGED = """The rules by which a build is called a match are in [Verification](verification.md).
They became stricter on 2026-11-16: inputs that the exporter has never seen, mask values apart, the
original's own exactness as the measure, models that amplify rounding part by part. Since then
{judged:,} scripts have been built and judged again: {drawn:,} with a build that was verified, drawn
at random from every folder, and {others:,} with one that was not. Their verdicts, before and now:
"""

OLDER = """
The other {older:,} builds have verdicts by the older rules: the column `judged` of
`models/status.csv` is empty there. Other columns of a row that was judged again (medians, times)
are of the earlier run.
"""


def _verdicts(rows: Sequence[Row]) -> str:
    """How the verdicts changed of the builds that were judged again."""
    judged = [row for row in rows if row["judged"] and row["verifies"]]
    if not judged:
        return "No build has been judged by the present rules.\n"
    drawn = [row for row in judged if row["verified_before"] in ("match", "match in parts")]
    older = sum(bool(row["verifies"]) for row in rows) - len(judged)
    changes = Counter((row["verified_before"], row["verifies"]) for row in judged)
    lines = [
        [before, now, f"{count:,}", _changed(judged, before, now)]
        for (before, now), count in changes.most_common()
    ]
    table = "\n".join(markdown_table(("before", "now", "builds", "which"), lines))
    return (
        JUDGED.format(judged=len(judged), drawn=len(drawn), others=len(judged) - len(drawn))
        + "\n"
        + table
        + "\n"
        + OLDER.format(older=older)
    )


def _changed(rows: Iterable[Row], before: str, now: str) -> str:
    """The scripts whose verdict changed; those that stayed are too many."""
    if before == now:
        return ""
    found = (r["script"] for r in rows if (r["verified_before"], r["verifies"]) == (before, now))
    return ", ".join(f"`{script}`" for script in sorted(found))


def _failures(rows: Sequence[Row]) -> str:
    """The failures, grouped by phase and by cause, or by message if the cause is unknown."""
    kinds: list[tuple[str, Callable[[Row], bool]]] = [
        ("Scripts that fail, or in which no model is found", lambda r: not _is_found(r)),
        ("Models that cannot be built", lambda r: _is_found(r) and r["builds"] == "no"),
        (
            "Builds that do not match the original",
            lambda r: r["builds"] == "yes" and not _is_verified(r),
        ),
        (
            "Builds that cannot be measured",
            lambda r: _is_verified(r) and r["measured"] == "no",
        ),
    ]
    text = []
    for title, fits in kinds:
        group = [row for row in rows if fits(row)]
        text.append(f"### {title}: {len(group)}\n")
        text += _grouped(group)
    return "\n".join(text)


def _is_found(row: Row) -> bool:
    return row["runs"] == "yes" and int(row["models"]) > 0


def _grouped(rows: Iterable[Row]) -> list[str]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["cause"] or _short(row["reason"]), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    lines = []
    for cause, group in ordered:
        scripts = ", ".join(f"`{row['script']}`" for row in group)
        lines.append(f"- {cause} ({len(group)}): {scripts}")
    return [*lines, ""] if lines else ["None.\n"]


def _short(reason: str) -> str:
    text = reason.replace("<", "").replace(">", "").replace("|", "/")
    return text if len(text) <= 240 else text[:237] + "..."
