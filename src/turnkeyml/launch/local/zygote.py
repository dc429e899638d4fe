"""A process that has imported everything, has run nothing, and forks a child for each input.

Importing torch takes seconds, forking takes milliseconds. The fork is safe only because nothing
but imports has happened here: no operator has run and no session has been opened.

It talks JSON lines over a socket: ``{"assignment": PATH}`` comes in; ``{"pid": N}`` and later
``{"pid": N, "exit": CODE}`` go out. When the other end goes away, so does it, with its children.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import warnings
from importlib import import_module
from pathlib import Path

from turnkeyml.interpreter import adopt_orphans, die_with_parent

__all__ = ["main"]

IMPORT_SECONDS = 120


def main() -> None:
    """Serve the socket whose number is the first argument; the second lists what to import.

    The third is a folder that goes when we go, for the case that nobody else is left to remove it.
    The fourth lists what to import if that does no harm.
    """
    adopt_orphans()
    channel = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for module in sys.argv[2].split(","):
            import_module(module)
    except Exception as error:  # noqa: BLE001 - told to whoever started us, who tells the user
        _send(channel, {"error": f"{type(error).__name__}: {error}"})
        return
    if sys.argv[4]:
        _import_if_harmless(sys.argv[4].split(","))
    gc.collect()
    gc.freeze()
    _serve(channel)


def _import_if_harmless(specs: list[str]) -> None:
    """Import packages that scripts will ask for; begin anew without them if that went wrong.

    Wrong is an error, a thread (which would not be there after a fork), and taking for ever. What
    the packages print is not for whoever watches us: each script's own import would have said it.
    """
    threads = len(os.listdir("/proc/self/task"))
    signal.signal(signal.SIGALRM, _take_too_long)
    signal.alarm(IMPORT_SECONDS)
    outputs = [os.dup(1), os.dup(2)]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    try:
        for spec in specs:
            module, _, attribute = spec.partition(":")
            getattr(import_module(module), attribute or "__name__")
        harmless = len(os.listdir("/proc/self/task")) == threads
    except BaseException:  # noqa: BLE001 - a script that imports it will meet the same error
        harmless = False
    signal.alarm(0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number, output in enumerate(outputs, start=1):
        os.dup2(output, number)
        os.close(output)
    os.close(silence)
    if not harmless:
        _begin_anew()


def _take_too_long(number: int, frame: object) -> None:
    raise TimeoutError


def _begin_anew() -> None:
    os.execv(sys.executable, [*sys.orig_argv[:-1], ""])


def _serve(channel: socket.socket) -> None:
    children: dict[int, int] = {}
    requests = channel.makefile("r", encoding="utf-8")
    while True:
        ready, _, _ = select.select([channel.fileno(), *children], [], [])
        for handle in set(ready) & set(children):
            pid = children.pop(handle)
            os.close(handle)
            _, status = os.waitpid(pid, 0)
            _end_strays(set(children.values()))
            _send(channel, {"pid": pid, "exit": os.waitstatus_to_exitcode(status)})
        if channel.fileno() in ready:
            try:
                line = requests.readline()
            except ConnectionError:
                line = ""  # the other end has gone without listening to the last word
            if not line:
                _end(list(children.values()))
                _end_strays(set())
                shutil.rmtree(sys.argv[3], ignore_errors=True)
                os._exit(0)  # taking torch apart in an orderly way takes longer than it is worth
            pid = _fork()
            if pid == 0:
                for handle in children:
                    os.close(handle)
                requests.close()
                channel.close()
                _run(json.loads(line)["assignment"])
            children[os.pidfd_open(pid)] = pid
            _send(channel, {"pid": pid})


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its threads are idle, see above
        return os.fork()


def _run(assignment: str) -> None:
    """Be the child. Ends the process as Python ends a script: with its exit handlers."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    adopt_orphans()
    die_with_parent()
    _offer_to_be_killed()
    _reseed()
    code = 1
    try:
        sys.argv = ["turnkey", assignment]
        import_module("turnkeyml.evaluate.child").main()
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001 - a bug of ours: shown, and the parent sees the code
        import traceback

        traceback.print_exc()
    import_module("turnkeyml.discover.script").finish_like_python(code)


def _reseed() -> None:
    """Two scripts must not share the random state that numpy drew when it was imported."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _offer_to_be_killed() -> None:
    """When memory runs out, let the system take an input and not the program that looks on."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def _end(pids: list[int]) -> None:
    from turnkeyml.launch.local.processes import kill_tree

    for pid in pids:
        kill_tree(pid)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _end_strays(ours: set[int]) -> None:
    """End what the script of an input has left behind; as orphans they have become ours."""
    from turnkeyml.system.process_tree import descendants

    strays = [pid for pid in descendants(os.getpid()) if os.getpid() == _parent(pid)]
    _end(sorted(set(strays) - ours))


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _send(channel: socket.socket, message: dict[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):
        channel.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
