"""``turnkey cache benchmark``."""

from __future__ import annotations

import argparse

from turnkeyml.api import remeasure
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, tell_damages, wants_json
from turnkeyml.display import build_lines, mismatch_line, print_errors, print_lines
from turnkeyml.nouns import Evaluation, Verdict
from turnkeyml.options import RemeasureOptions, Verbose, settle


def run(options: argparse.Namespace) -> int:
    """Measure existing builds again; exit status 1 if a measurement failed or is a mismatch."""
    chosen = settle(RemeasureOptions, given(options, RemeasureOptions))
    verbose = settle(Verbose, given(options, Verbose))["verbose"]

    def show(name: str, evaluations: list[Evaluation]) -> None:
        print_lines(*build_lines(name, evaluations, verbose=verbose))

    def warn(name: str, warning: str) -> None:
        print_errors(f"Warning: {name}: {warning}")

    with Output(options.command, wants_json(options)) as output:
        names = getattr(options, "build_names", ())
        tell_damages(names, chosen, chosen["all"])
        found = remeasure(names, on_result=show, on_warning=warn, **chosen)
        mismatches = [n for n, those in found.items() if any(map(_is_mismatch, those))]
        ok = not mismatches and all(e.ok for those in found.values() for e in those)
        if mismatches:
            told = mismatch_line(mismatches)
            print_lines(f"{told[0].upper()}{told[1:]}.")
        builds = [{"name": name, "evaluations": found[name]} for name in found]
        output.set_content(ok=ok, cache_dir=chosen["cache_dir"], builds=builds)
    return 0 if ok else 1


def _is_mismatch(evaluation: Evaluation) -> bool:
    return evaluation.verdict is Verdict.MISMATCH
