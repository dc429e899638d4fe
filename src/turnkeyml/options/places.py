"""Options of the processes and places that tasks run in: hosts, interpreters, Slurm, isolation."""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict

from turnkeyml import environment
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Place
from turnkeyml.options import checks, choices
from turnkeyml.options.option import Option

THIS_MACHINE = "here"
"""Stands for turnkey's own machine among others."""


def interpreters(value: Any) -> tuple[Place, ...]:
    """Named interpreters, from ``NAME=PATH`` or ``PATH``, one or several, or a mapping.

    The paths stay as they are: they may be those of another machine.
    """
    found = _several(value, _interpreter)
    _require_different([place.name for place in found], "interpreters", "--python NAME=PATH")
    return found


def hosts(value: Any) -> tuple[Place, ...]:
    """Named machines, from ``[NAME=]USER@MACHINE``, one or several, or a mapping."""
    found = _several(value, _host)
    names = [place.host_name for place in found]
    _require_different(names, "hosts", "--host NAME=USER@MACHINE")
    return found


def places_of(options: Mapping[str, Any]) -> tuple[Place, ...]:
    """Where to measure: each interpreter on each machine; empty for turnkey's own environment."""
    pythons: Sequence[Place] = options.get("python") or ()
    machines: Sequence[Place] = options.get("host") or ()
    if not machines:
        machines = (Place(),) if pythons else ()
    return tuple(_at(machine, place) for machine in machines for place in pythons or (Place(),))


def _at(machine: Place, interpreter: Place) -> Place:
    """An interpreter on a machine; only paths on this one can be completed."""
    python = interpreter.python
    if python and not machine.host:
        python = _resolved(python)
    return replace(machine, name=interpreter.name, python=python)


def _several(value: Any, make: Callable[[str], Place]) -> tuple[Place, ...]:
    words: Iterable[Any] = ()
    if isinstance(value, Mapping):
        words = [f"{name}={os.fspath(word)}" for name, word in value.items()]
    elif isinstance(value, (str, os.PathLike)):
        words = (value,)
    elif value is not None:
        words = value
    return tuple(one if isinstance(one, Place) else make(os.fspath(one)) for one in words)


def _require_different(names: list[str], what: str, example: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"Two {what} have the name {name}; give each a name of its own, as {example}."
            )


def _interpreter(word: str) -> Place:
    name, separator, file = word.partition("=")
    if not separator or os.sep in name:  # the = is part of the path
        name, separator, file = "", "", word
    if not file or (separator and not name):
        raise UsageError(f"--python must be NAME=PATH or PATH, not {word!r}.")
    name = name or _as_name(_name_of(_resolved(file)), "python")
    return Place(_checked(name, "an interpreter"), file)


def _host(word: str) -> Place:
    name, separator, machine = word.partition("=")
    if not separator:
        name, machine = "", word
    if not machine or (separator and not name):
        raise UsageError(f"--host must be NAME=USER@MACHINE or USER@MACHINE, not {word!r}.")
    if machine.startswith("-") or re.search(r"[\s\0]", machine):
        raise UsageError(f"{machine!r} is not a machine that ssh could connect to.")
    if machine == THIS_MACHINE:
        return Place(host_name=_checked(name, "a host") if name else "")
    name = name or _as_name(_machine_name(machine), "host")
    return Place(host=machine, host_name=_checked(name, "a host"))


def _machine_name(machine: str) -> str:
    """The name without the user, and without the port of ssh://user@machine:port."""
    is_address = machine.startswith("ssh://")
    name = machine.removeprefix("ssh://").rpartition("@")[2]
    return re.sub(r":\d+/?$", "", name) if is_address else name


def _as_name(text: str, otherwise: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.")[:40] or otherwise


def _checked(name: str, what: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,39}", name):
        raise UsageError(
            f"The name of {what} has up to 40 letters, digits and . _ + -, not {name!r}."
        )
    return name


def _resolved(file: str) -> str:
    """The path of an interpreter on this machine, from any folder."""
    file = os.path.expanduser(file)
    if os.path.basename(file) == file and not os.path.exists(file):
        file = shutil.which(file) or file
    return os.path.abspath(file)  # a symbolic link tells Python its environment: do not follow it


def _name_of(file: str) -> str:
    """The name of a virtual environment or, for an interpreter that is in none, of its file."""
    above = os.path.dirname(os.path.dirname(file))
    if not os.path.exists(os.path.join(above, "pyvenv.cfg")):
        return os.path.basename(file)
    own = os.path.basename(above).lstrip(".")
    return os.path.basename(os.path.dirname(above)) if own in ("venv", "env") else own


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
