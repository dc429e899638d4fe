"""An Input, the Plan for it, both together as a Task, and what a dry run expects of one."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.nouns.contestants import Place
from turnkeyml.nouns.loads import LoadPlan
from turnkeyml.nouns.plain import to_dict

if TYPE_CHECKING:
    from turnkeyml.nouns.invocations import InvocationRecord


@dataclass(frozen=True)
class Input:
    """One file to evaluate, with the selected hashes and its labels."""

    path: str
    targets: tuple[str, ...] = ()
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    malformed_labels: tuple[str, ...] = ()
    module: str = ""
    """The dotted name of a script that runs as a module of its package; empty for a file."""

    @property
    def is_script(self) -> bool:
        """Whether it is a script that calls models, and not a model itself."""
        return self.path.lower().endswith(".py")

    @property
    def name(self) -> str:
        """The name of the file, or ``-m`` with the name of the module."""
        if self.module:
            return self.spelling
        return self.path.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def spelling(self) -> str:
        """The input as the command line takes it, without its hashes."""
        return f"-m {self.module}" if self.module else self.path

    @property
    def stem(self) -> str:
        """The name of the file without its suffix, from which build names are made."""
        if self.module:
            return self.module.rsplit(".", 1)[-1]
        return self.name.rsplit(".", 1)[0]

    def selects(self, record: InvocationRecord) -> bool:
        """Whether an invocation is selected, by its own hash or by that of its model."""
        return not self.targets or bool({record.hash, record.model_hash} & set(self.targets))

    def content(self) -> str:
        """A text that changes when the file does; models, which may be large, are not read."""
        try:
            if not self.is_script:
                return _facts(self.path)
            return _file_digest(self.path)
        except OSError:
            return ""


@dataclass(frozen=True)
class Plan:
    """What to do with every invocation of every input."""

    cache_dir: str
    device: str = ""
    runtimes: tuple[str, ...] = ()
    """The runtimes that measure; empty for every one that is available here."""
    places: tuple[Place, ...] = ()
    """Where workers measure; empty for the environment of turnkey alone."""
    iterations: int | None = None
    """The exact number of timed runs; None if ``rule`` decides."""
    rule: str = "default"
    """``default``, ``quick`` or ``rigorous``."""
    budget: float | None = None
    """Seconds to spend on the timed runs; None for the limit of ``rule``."""
    threads: int | None = None
    """None for the number of usable physical cores."""
    load: LoadPlan | None = None
    """The load to measure under; None to measure one run at a time."""
    precisions: tuple[str, ...] = ()
    """The precisions to build; empty for that of the sequence."""
    races: bool = False
    """Whether to compare the contestants with each other, even if there is only one."""
    baseline: str | None = None
    strict: bool = False
    """Whether only what is trusted may win a race."""
    sequence: str | None = None
    """The name of a sequence; None for the default of the first runtime."""
    onnx_opset: int | None = None
    rebuild: str = "if_needed"
    analyze_only: bool = False
    build_only: bool = False
    lean_cache: bool = False
    max_depth: int = 0
    script_args: tuple[str, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    """The script arguments that belong to a sweep."""
    rt_args: dict[str, Any] = field(default_factory=dict)
    input_shape: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The shapes of inputs and the sizes of dimensions of model files, by name."""
    inputs: str | None = None
    """A file with the inputs of model files."""


@dataclass(frozen=True)
class SequenceSource:
    """A custom build sequence for another process: a file, or a pickled instance."""

    file: str | None = None
    pickled: str | None = None
    main: str | None = None
    """The script that defines the classes of the instance, if a script does."""

    def content(self) -> str:
        """A text that changes when the sequence does."""
        if self.file is None:
            return hashlib.sha256((self.pickled or "").encode()).hexdigest()
        try:
            return _file_digest(self.file)
        except OSError:
            return ""


@dataclass(frozen=True)
class Task:
    """An Input at one point of a sweep, with its plan.

    The unit that is launched, resumed and retried.
    """

    input: Input
    plan: Plan
    sequence: SequenceSource | None = None
    """A custom sequence, which replaces that of the plan."""

    @functools.cached_property
    def identity(self) -> str:
        """A hash that is equal for tasks whose results depend on the same data.

        That is the input file and its content, the selected hashes, the plan without the path of
        the cache, and the content of a custom sequence and of a file of inputs.
        """
        words = [
            os.path.abspath(self.input.path),
            *([self.input.spelling] if self.input.module else []),
            *self.input.targets,
            self.input.content(),
            json.dumps(to_dict(replace(self.plan, cache_dir="")), sort_keys=True, default=repr),
            self.sequence.content() if self.sequence else "",
            _facts(self.plan.inputs) if self.plan.inputs else "",
        ]
        return hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:16]


def _facts(path: str) -> str:
    """The size and the time of a file, which change when it does; empty if it is missing."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


HASHES = "::"
"""Between a file and the hashes of its models."""

_SEPARATOR = re.compile(r"=|::")


def split_pair(word: str) -> tuple[str, str, str]:
    """The key, the separator and the value of ``key=value`` or of the older ``key::value``.

    The first separator counts, so that a value may contain both. Without one, all is the key.
    """
    found = _SEPARATOR.search(word)
    if found is None:
        return word, "", ""
    return word[: found.start()], found[0], word[found.end() :]


def split_hashes(word: str, folder: str = "") -> tuple[str, str | None]:
    """The file and the hashes of ``FILE::HASH,HASH``; None for a file alone.

    The name of a file may contain the separator too: a file that exists, also relative to
    ``folder``, wins over the reading as hashes.
    """

    def exists(path: str) -> bool:
        return os.path.exists(path) or os.path.exists(os.path.join(folder, path))

    if HASHES not in word or exists(word):
        return word, None
    path, _, hashes = word.rpartition(HASHES)
    if not exists(path):
        path, _, hashes = word.partition(HASHES)
    return path, hashes


@dataclass(frozen=True)
class CachedBuild:
    """A build that an earlier run of the input left in the cache."""

    name: str
    bytes: int
    reused: bool
    """Whether it is used again, unless the model has changed."""
    obstacle: str = ""
    """Why it is not; empty if it is."""


@dataclass(frozen=True)
class LastTime:
    """An earlier run of the same input at the same point of a sweep."""

    finished_at: str
    ok: bool
    same_options: bool
    """Whether the file and the options were the same; otherwise it is only a hint."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds that the script, the builds and the measurements took."""


@dataclass(frozen=True)
class TaskForecast:
    """What would be done with one input at one point of a sweep."""

    input: Input
    parameters: dict[str, str] = field(default_factory=dict)
    skipped: bool = False
    """Whether an earlier run has finished it, and this one is to resume it."""
    sequence: str | None = None
    """The sequence of its builds; None if nothing is built."""
    contestants: tuple[str, ...] = ()
    """The runtimes with their precisions and places; empty if nothing is measured."""
    builds: tuple[CachedBuild, ...] = ()
    last: LastTime | None = None
    """None if the cache has no record of the input."""


@dataclass(frozen=True)
class Forecast:
    """What a run would do, how long it took last time, and how much disk it has and may use."""

    tasks: tuple[TaskForecast, ...]
    cache_dir: str
    place: str
    """Where the inputs would run, in words."""
    seconds: float
    """What the inputs took last time, as far as that is known."""
    unknown: int
    """Inputs that would run and of which the cache has no record."""
    cached_bytes: int
    """The size of their builds that are in the cache."""
    free_bytes: int | None
    """On the disk of the cache; None if that cannot be found out."""
