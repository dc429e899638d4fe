"""Where inputs run, within which limits."""

from functools import partial
from typing import Annotated, TypedDict

from turnkeyml import environment
from turnkeyml.options import checks, choices
from turnkeyml.options.option import Option

__all__ = [
    "Jobs",
    "Processes",
    "Slurm",
]

_process = partial(Option, group="processes")
_slurm = partial(Option, group="Slurm")


class Processes(TypedDict, total=False):
    process_isolation: Annotated[
        bool,
        _process(
            help="kill an input after the timeout",
            default=False,
            default_in_words="no limit",
            excludes="isolation",
        ),
    ]
    timeout: Annotated[
        float | None,
        _process(
            help="seconds that an input may take",
            default_in_words=f"{environment.TIMEOUT_SECONDS}, or "
            f"{environment.DEFAULT_TIMEOUT_SECONDS}, where there is a limit",
            check=checks.seconds,
            metavar="S",
        ),
    ]
    memory_limit: Annotated[
        str | int | None,
        _process(
            help="memory that an input and what it starts may use, such as 8G",
            default_in_words="no limit",
            check=checks.memory_size,
            metavar="SIZE",
        ),
    ]
    resume: Annotated[
        bool,
        _process(
            help="continue an earlier run of the same command: what is finished is not done again",
            default=False,
        ),
    ]
    retry: Annotated[
        str | None,
        _process(
            help="resume and repeat the inputs with this outcome",
            choices=choices.retries,
            metavar="OUTCOME",
        ),
    ]


class Jobs(TypedDict, total=False):
    jobs: Annotated[
        int,
        _process(
            help="find and build N inputs at a time; measurements have the machine to themselves",
            default=1,
            check=checks.whole("number of jobs", 1),
            metavar="N",
        ),
    ]


class Slurm(TypedDict, total=False):
    use_slurm: Annotated[
        bool,
        _slurm(
            help="run each input as a Slurm job of its own",
            default=False,
            default_in_words="run here",
            excludes="isolation",
        ),
    ]
    slurm_args: Annotated[
        str | None,
        _slurm(
            help='options for sbatch, such as "partition=gpu gres=gpu:1 mem=16G"', metavar="ARGS"
        ),
    ]
    slurm_max_jobs: Annotated[
        int,
        _slurm(
            help="the most jobs in the queue at a time",
            default=50,
            check=checks.whole("number of Slurm jobs", 1),
            metavar="N",
        ),
    ]
    slurm_python: Annotated[
        str | None,
        _slurm(
            help="the interpreter of the jobs",
            default_in_words="the one that runs turnkey",
            metavar="PYTHON",
        ),
    ]
