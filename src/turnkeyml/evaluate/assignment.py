"""What the launching process and the process of a task both know. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.nouns import Task

WAIT_MARGIN_SECONDS = 60.0
"""The time after which a process ends its wait by itself that its run should have ended."""


@dataclass(frozen=True)
class Assignment:
    """A Task for an input child, with the files that the child writes to."""

    task: Task
    events: str
    """The file for its events."""
    turns: str | None = None
    """The lock file that keeps concurrent inputs from measuring at the same time."""
    wait_seconds: float | None = None
    """The limit of each of its waits for a build; None for the default."""
    output: str | None = None
    """The file for everything that the input prints; None for our own standard output."""
    threads: int | None = None
    """The thread limit of the frameworks outside of measurements; None for their default."""
