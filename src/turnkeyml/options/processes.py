"""Options for the processes and Slurm jobs that inputs run in, and for their limits."""

from functools import partial
from typing import Annotated, TypedDict

from turnkeyml import environment
from turnkeyml.options import checks, choices
from turnkeyml.options.option import Option

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
            help="kill an input after S seconds",
            default_in_words=f"{environment.TIMEOUT_SECONDS}, or "
            f"{environment.DEFAULT_TIMEOUT_SECONDS}, with --process-isolation, --use-slurm or many "
            "inputs; otherwise no limit",
            check=checks.seconds("timeout"),
            variable=environment.TIMEOUT_SECONDS,
            metavar="S",
        ),
    ]
    memory_limit: Annotated[
        str | int | None,
        _process(
            help="kill an input if it and its child processes use more memory than this, such as "
            "8G",
            default_in_words="no limit",
            check=checks.memory_size,
            metavar="SIZE",
        ),
    ]
    resume: Annotated[
        bool,
        _process(
            help="continue an earlier run of the same command; skip inputs that are finished",
            default=False,
        ),
    ]
    retry: Annotated[
        str | None,
        _process(
            help="resume, and repeat the inputs with this outcome",
            choices=choices.retries,
            metavar="OUTCOME",
        ),
    ]


class Jobs(TypedDict, total=False):
    jobs: Annotated[
        int,
        _process(
            help="process N inputs in parallel; each measurement still runs alone",
            default=1,
            check=checks.whole("number of jobs", 1),
            metavar="N",
        ),
    ]


class Slurm(TypedDict, total=False):
    use_slurm: Annotated[
        bool,
        _slurm(
            help="run each input as a Slurm job",
            default=False,
            default_in_words="run on this machine",
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
            help="at most N Slurm jobs in the queue",
            default=50,
            check=checks.whole("number of Slurm jobs", 1),
            metavar="N",
        ),
    ]
    slurm_python: Annotated[
        str | None,
        _slurm(
            help="the Python interpreter of the Slurm jobs",
            default_in_words="the one that runs turnkey",
            metavar="PYTHON",
        ),
    ]
