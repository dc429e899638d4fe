"""The program of a Slurm job: runs the input child, then kills what its script left behind.

Not every cluster is configured to do that.
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
from turnkeyml.cache import SlurmRunFolder
from turnkeyml.launch.local.processes import kill_tree
from turnkeyml.system import descendants


def main() -> None:
    """Run the assignment at a position of a run, and exit as its process exited.

    The arguments are the folder of the run and the position.
    """
    interpreter.adopt_orphans()
    assignment = SlurmRunFolder(Path(sys.argv[1])).assignment(int(sys.argv[2]))
    command = interpreter.command("turnkeyml.evaluate.child", str(assignment))
    # preexec_fn is safe here because this process has no other thread.
    child = subprocess.Popen(command, preexec_fn=_leave)  # noqa: PLW1509
    code = child.wait()
    for stray in descendants(os.getpid()):
        kill_tree(stray)
    _exit_like(code)


def _leave() -> None:
    """Leave our process group, so that a script that signals its own ends nothing but itself."""
    os.setpgid(0, 0)
    interpreter.die_with_parent()


def _exit_like(code: int) -> None:
    """Exit with a code, or die of the same signal as the child."""
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no second core dump after the child's
        with contextlib.suppress(OSError):  # SIGKILL has no handler to reset
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
