"""``turnkey tune``."""

from __future__ import annotations

import argparse

from turnkeyml.api import tune
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import TuneProgress, closing_line, print_lines, result_lines
from turnkeyml.options import TuneOptions


def run(options: argparse.Namespace) -> int:
    """Tune a model; exit status 1 if nothing that was tried is right."""
    with Output(options.command, wants_json(options)) as output:
        with TuneProgress() as progress:
            result = tune(options.target, on_progress=progress.tell, **given(options, TuneOptions))
        ok = result.winner is not None
        output.set_content(ok=ok, tuning=result)
        print_lines(*result_lines(result))
        if ok:
            print_lines(closing_line(options.command))
    return 0 if ok else 1
