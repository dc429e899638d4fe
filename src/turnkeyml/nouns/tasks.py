"""What is to be done: an Input, the Plan for it, and both together as a Task."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.nouns.plain import to_dict

if TYPE_CHECKING:
    from turnkeyml.nouns.invocations import InvocationRecord

__all__ = ["Input", "Plan", "SequenceSource", "Task"]


@dataclass(frozen=True)
class Input:
    """One file to evaluate, with the hashes it is restricted to and its labels."""

    path: str
    targets: tuple[str, ...] = ()
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    malformed_labels: tuple[str, ...] = ()

    @property
    def is_script(self) -> bool:
        """Whether it is run to find models, and is not itself a model."""
        return self.path.lower().endswith(".py")

    @property
    def name(self) -> str:
        """The file's name, as it is listed."""
        return self.path.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """The file's name without its suffix, as builds are named after it."""
        return self.name.rsplit(".", 1)[0]

    def selects(self, record: InvocationRecord) -> bool:
        """Whether an invocation is wanted: by its own hash or by that of its model."""
        return not self.targets or bool({record.hash, record.model_hash} & set(self.targets))

    def content(self) -> str:
        """Text that changes when the file does; large files are not read for that."""
        try:
            if not self.is_script:
                facts = os.stat(self.path)
                return f"{facts.st_size} {facts.st_mtime_ns}"
            return _file_digest(self.path)
        except OSError:
            return ""


@dataclass(frozen=True)
class Plan:
    """What is to be done with every invocation of every input."""

    cache_dir: str
    device: str = ""
    runtimes: tuple[str, ...] = ()
    """The runtimes that measure; empty for every one that is available here."""
    iterations: int | None = None
    """Exactly so many timed runs; None for as many as ``rule`` finds necessary."""
    rule: str = "default"
    """``default``, ``quick`` or ``rigorous``."""
    threads: int | None = None
    """None for the physical cores that we may use."""
    precisions: tuple[str, ...] = ()
    """What runtimes that measure a build compute in; empty for what the build computes in."""
    races: bool = False
    """Whether the contestants are to be compared with each other, however few there are."""
    baseline: str | None = None
    sequence: str | None = None
    """The name of a sequence; None for the default one of the first runtime."""
    onnx_opset: int | None = None
    rebuild: str = "if_needed"
    analyze_only: bool = False
    build_only: bool = False
    lean_cache: bool = False
    max_depth: int = 0
    script_args: tuple[str, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    """Those of the script arguments that belong to a sweep."""
    rt_args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SequenceSource:
    """A build sequence on its way to another process: a file, or a pickled instance."""

    file: str | None = None
    pickled: str | None = None
    main: str | None = None
    """The script in which the classes of the instance are defined, if it is one."""

    def content(self) -> str:
        """Text that changes when the sequence does."""
        if self.file is None:
            return hashlib.sha256((self.pickled or "").encode()).hexdigest()
        try:
            return _file_digest(self.file)
        except OSError:
            return ""


@dataclass(frozen=True)
class Task:
    """An Input at one point of a sweep, with what is to be done to it.

    The unit that is launched, resumed and retried.
    """

    input: Input
    plan: Plan
    sequence: SequenceSource | None = None
    """The sequence that takes the place of the plan's, if the user has one of his own."""

    @functools.cached_property
    def identity(self) -> str:
        """The same for two tasks if all that their results depend on is the same.

        That is the input file and its content, the wanted hashes, the plan without the place of
        the cache, and the content of a sequence of the user's own.
        """
        words = [
            os.path.abspath(self.input.path),
            *self.input.targets,
            self.input.content(),
            json.dumps(to_dict(replace(self.plan, cache_dir="")), sort_keys=True, default=repr),
            self.sequence.content() if self.sequence else "",
        ]
        return hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:16]


def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
