"""``turnkey explain``."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from turnkeyml.api import explain
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.display import explanation_lines, print_errors, print_lines, terminal_width
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Explanation
from turnkeyml.options import ExplainOptions, TraceView, settle


def run(options: argparse.Namespace) -> int:
    """Explain builds or files; exit status 1 if one could not be measured."""
    chosen = settle(ExplainOptions, given(options, ExplainOptions))
    trace = settle(TraceView, given(options, TraceView))["trace"]
    if trace is not None and not Path(trace).absolute().parent.is_dir():
        raise UsageError(f"--trace {trace}: there is no folder {Path(trace).parent}.")
    with Output(options.command, wants_json(options)) as output:
        found = explain(options.targets, on_result=_show, on_step=_tell, **chosen)
        if trace is not None:
            _copy_trace(found, Path(chosen["cache_dir"]), Path(trace))
        output.set_content(cache_dir=chosen["cache_dir"], explanations=found)
    return 0


def _show(explanation: Explanation) -> None:
    print_lines("", *explanation_lines(explanation, terminal_width()), "")


def _tell(step: str) -> None:
    print_errors(f"{step} ...")


def _copy_trace(found: list[Explanation], cache_dir: Path, path: Path) -> None:
    if len(found) != 1:
        raise UsageError(
            f"--trace takes one explanation, but there are {len(found)}; select one model, runtime "
            "and precision. The traces of all are in their build folders."
        )
    shutil.copyfile(cache_dir / found[0].build_name / found[0].trace, path)
    print_lines(f"Trace saved at {path}; open it at https://ui.perfetto.dev")
