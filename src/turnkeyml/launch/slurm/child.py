"""What a Slurm job runs: the input child, and somebody who cleans up after it.

Not every cluster is set up to end what a script has left behind.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache.layout import SlurmRunFolder
from turnkeyml.launch.local.processes import kill_tree
from turnkeyml.system.process_tree import descendants

__all__ = ["main"]


def main() -> None:
    """Do the assignment at a position of a run's folder, and end as its process ended.

    The folder and the position are the arguments.
    """
    interpreter.adopt_orphans()
    assignment = SlurmRunFolder(Path(sys.argv[1])).assignment(int(sys.argv[2]))
    command = interpreter.command("turnkeyml.evaluate.child", str(assignment))
    # This process has no other thread, so that the function is safe.
    child = subprocess.Popen(command, preexec_fn=interpreter.die_with_parent)  # noqa: PLW1509
    code = child.wait()
    for stray in descendants(os.getpid()):
        kill_tree(stray)
    _end_as(code)


def _end_as(code: int) -> None:
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the child has left one if it was to
        with contextlib.suppress(OSError):  # there is nothing to set for SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
