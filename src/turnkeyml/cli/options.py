"""The options of the commands that measure. Imports nothing but argparse."""

from __future__ import annotations

import argparse

__all__ = [
    "CACHE_DIR_HELP",
    "add_benchmark_options",
    "add_json",
    "add_measuring",
    "add_race_options",
]

CACHE_DIR_HELP = "where builds are kept (default: TURNKEY_CACHE_DIR, or ~/.cache/turnkey)"
RUNTIMES_HELP = "one or more of ort, torch-eager, torch-compiled"

Group = argparse._ArgumentGroup | argparse.ArgumentParser


def add_benchmark_options(parser: argparse.ArgumentParser) -> None:
    """Everything that ``benchmark`` understands."""
    _add_files(parser)
    what = parser.add_argument_group("what to do")
    only = what.add_mutually_exclusive_group()
    only.add_argument(
        "--analyze-only", action="store_true", help="list the models (default: build them too)"
    )
    only.add_argument("--build-only", action="store_true", help="build (default: measure too)")
    _add_selection(what)
    measure = parser.add_argument_group("how to measure")
    _add_device(measure)
    add_measuring(measure, "(default: ort); several take turns")
    build = parser.add_argument_group("how to build")
    which = build.add_mutually_exclusive_group()
    which.add_argument(
        "--sequence",
        help="optimize-fp16, optimize-fp32 or onnx-fp32 "
        "(default: optimize-fp16; .onnx files are measured as they are)",
    )
    which.add_argument(
        "--sequence-file",
        metavar="FILE",
        help="a Python file whose get_sequence() returns the sequence (default: none)",
    )
    _add_building(build)
    _add_cache(parser.add_argument_group("the cache"))
    processes = parser.add_argument_group("processes")
    _add_processes(processes)
    processes.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="find and build N inputs at a time; measurements have the machine to themselves "
        "(default: 1)",
    )
    _add_slurm(parser.add_argument_group("Slurm"))
    add_json(parser)


def add_race_options(parser: argparse.ArgumentParser) -> None:
    """Everything that ``race`` understands."""
    _add_files(parser)
    _add_selection(parser.add_argument_group("what to do"))
    who = parser.add_argument_group("who takes part")
    who.add_argument(
        "--precision",
        nargs="+",
        default=["fp32"],
        metavar="P",
        help="fp32, fp16 or both, for the runtimes that measure a build; PyTorch runs the model "
        "as the script made it (default: fp32)",
    )
    who.add_argument(
        "--baseline",
        metavar="NAME",
        help="what the others are compared with: a runtime, or one with a precision such as "
        "ort-fp16 (default: torch-eager, or the first)",
    )
    measure = parser.add_argument_group("how to measure")
    _add_device(measure)
    add_measuring(measure, "(default: every one that is available here)")
    _add_building(parser.add_argument_group("how to build"))
    _add_cache(parser.add_argument_group("the cache"))
    _add_processes(parser.add_argument_group("processes"))
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """For programs that read what a command found."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON document, and everything else to standard error (default: text)",
    )


def add_measuring(group: Group, default: str) -> None:
    """With what, how long and with how many threads."""
    group.add_argument("--runtime", nargs="+", metavar="RUNTIME", help=f"{RUNTIMES_HELP} {default}")
    length = group.add_mutually_exclusive_group()
    length.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="exactly N timed runs (default: at least 100, until the median is known to 1%%)",
    )
    length.add_argument("--quick", action="store_true", help="a first look: 5%% will do")
    length.add_argument(
        "--rigorous", action="store_true", help="five fresh processes, enough runs for a p99"
    )
    group.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads of every runtime (default: the physical cores that we may use)",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input_files",
        nargs="+",
        metavar="FILE",
        help="scripts (.py), models (.onnx) or lists of them (.txt), or models that come with "
        "turnkey (timm/resnet50, timm); wildcards are expanded; FILE.py::HASH,… restricts to some "
        "of the models in a script",
    )


def _add_selection(group: Group) -> None:
    group.add_argument(
        "--labels",
        nargs="+",
        default=[],
        metavar="LABEL",
        help="only scripts with these labels: key::value, or key::a,b for either value "
        "(default: all)",
    )
    group.add_argument(
        "--max-depth",
        type=int,
        default=0,
        metavar="N",
        help="also list, build and measure sub-models down to this depth (default: 0)",
    )
    group.add_argument(
        "--script-args",
        metavar="ARGS",
        help="arguments for the scripts, quoted as in a shell (default: none)",
    )
    group.add_argument(
        "--sweep",
        nargs="+",
        default=[],
        metavar="NAME=VALUES",
        help="run the scripts with each value of an argument: batch_size=1,2,4,8 or 1..4 or "
        "1..64*2 or 0..100+20; several make every combination (default: none)",
    )


def _add_device(group: Group) -> None:
    group.add_argument("--device", default="x86", help="kind of hardware: x86 (default: x86)")
    group.add_argument(
        "--rt-args",
        nargs="+",
        default=[],
        metavar="ARG",
        help="arguments for the runtime: key::value, key::[a,b] or flag (default: none)",
    )


def _add_building(group: Group) -> None:
    group.add_argument(
        "--onnx-opset",
        type=int,
        metavar="N",
        help="opset of exported ONNX files (default: TURNKEY_ONNX_OPSET, or 18)",
    )
    group.add_argument(
        "--rebuild",
        default="if_needed",
        metavar="POLICY",
        help="if_needed, always or never (default: if_needed)",
    )


def _add_cache(group: Group) -> None:
    group.add_argument("-d", "--cache-dir", help=CACHE_DIR_HELP)
    group.add_argument(
        "--lean-cache",
        action="store_true",
        help="keep only logs, state and stats (default: keep everything)",
    )


def _add_slurm(group: Group) -> None:
    group.add_argument(
        "--use-slurm",
        action="store_true",
        help="run each input as a Slurm job of its own (default: run here)",
    )
    group.add_argument(
        "--slurm-args",
        metavar="ARGS",
        help='options for sbatch, such as "partition=gpu gres=gpu:1 mem=16G" (default: none)',
    )
    group.add_argument(
        "--slurm-max-jobs",
        type=int,
        default=50,
        metavar="N",
        help="the most jobs in the queue at a time (default: 50)",
    )
    group.add_argument(
        "--slurm-python",
        metavar="PYTHON",
        help="the interpreter of the jobs (default: the one that runs turnkey)",
    )


def _add_processes(group: Group) -> None:
    group.add_argument(
        "--process-isolation",
        action="store_true",
        help="end an input that takes longer than the timeout (default: no limit)",
    )
    group.add_argument(
        "--timeout",
        type=float,
        metavar="S",
        help="seconds an input may take (default: TURNKEY_TIMEOUT_SECONDS, or 3600)",
    )
    group.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="memory that an input and what it starts may use, such as 8G (default: no limit)",
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with an earlier run of the same command: what is finished is not done again",
    )
    group.add_argument(
        "--retry",
        metavar="failed",
        help="with 'failed', resume and do again what had failed (default: leave it)",
    )
