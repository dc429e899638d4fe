"""The zygote: imports everything once and forks a child for each input.

Importing torch takes seconds, forking takes milliseconds. The fork is safe only because nothing
but imports has happened here: no operator has run and no session has been opened.

Each input gets a session of its own, so that what a script signals is itself, and so that a signal
to our process group does not reach it. A keeper, forked from the zygote, leads the session, as a
shell does; it forks the input child and waits for it:

    zygote └ keeper └ input child

Like under a shell, a script that signals its process group or its parent ends nothing but itself.

The zygote speaks JSON lines over a socket: it receives ``{"assignment": PATH}`` and sends
``{"pid": N}``, where N is the keeper's, then ``{"pid": N, "stopped": SIGNAL}`` whenever the child
is stopped (0: it goes on), and ``{"pid": N, "exit": CODE}``; also ``"keeper": CODE`` if the keeper
was killed, and the child with it. When the socket closes, the zygote exits and kills its children.
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

from turnkeyml.errors import describe
from turnkeyml.interpreter import adopt_orphans, die_with_parent

IMPORT_SECONDS = 120
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that the terminal or a supervisor sends to our parent's process group: the zygote ends
when its parent does, after it has killed what it started."""


def main() -> None:
    """Serve a socket until it closes.

    The arguments are the file descriptor of the socket, the modules to import, a folder to remove
    at the end in case the parent was killed, and the modules to import if that has no side effects.
    """
    adopt_orphans()
    channel = socket.socket(fileno=int(sys.argv[1]))
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    try:
        for module in sys.argv[2].split(","):
            import_module(module)
    except Exception as error:  # noqa: BLE001 - sent to the parent, which tells the user
        _send(channel, {"error": describe(error)})
        return
    if sys.argv[4]:
        _import_if_harmless(sys.argv[4].split(","))
    gc.collect()
    gc.freeze()
    _serve(channel)


def _import_if_harmless(specs: list[str]) -> None:
    """Import packages that scripts share; restart without them if that had side effects.

    That is an error, a new thread (which a fork would not copy) or a timeout. Output is discarded,
    as it belongs to the scripts.
    """
    threads = len(os.listdir("/proc/self/task"))
    signal.signal(signal.SIGALRM, _time_out)
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
        _restart_without_optional()


def _time_out(number: int, frame: object) -> None:
    raise TimeoutError


def _restart_without_optional() -> None:
    os.execv(sys.executable, [*sys.orig_argv[:-1], ""])


def _serve(channel: socket.socket) -> None:
    keepers: dict[int, int] = {}  # by the descriptors of the pipes that they write to
    requests = channel.makefile("r", encoding="utf-8")
    while True:
        ready, _, _ = select.select([channel.fileno(), *keepers], [], [])
        for handle in set(ready) & set(keepers):
            _forward(channel, handle, keepers)
        if channel.fileno() in ready:
            try:
                line = requests.readline()
            except ConnectionError:
                line = ""  # the parent has gone without reading our last message
            if not line:
                _kill(list(keepers.values()))
                _kill_strays(set())
                shutil.rmtree(sys.argv[3], ignore_errors=True)
                os._exit(0)  # a normal exit would spend time on unloading torch
            readable, writable = os.pipe()
            pid = _fork()
            if pid == 0:
                for handle in (readable, *keepers):
                    os.close(handle)
                requests.close()
                channel.close()
                _keep(json.loads(line)["assignment"], writable)
            os.close(writable)
            keepers[readable] = pid
            _send(channel, {"pid": pid})


def _forward(channel: socket.socket, handle: int, keepers: dict[int, int]) -> None:
    """Send what a keeper says of its child; if it has gone, that and what became of both."""
    pid = keepers[handle]
    words = os.read(handle, 4096).decode().split()
    for word, number in zip(words[::2], words[1::2], strict=True):
        if word == "stopped":
            _send(channel, {"pid": pid, "stopped": int(number)})
            continue
        del keepers[handle]
        os.waitpid(pid, 0)
        os.close(handle)
        _kill_strays(set(keepers.values()))
        _send(channel, {"pid": pid, "exit": int(number)})
    if not words:
        del keepers[handle]
        os.close(handle)
        _, status = os.waitpid(pid, 0)
        _kill_strays(set(keepers.values()))  # such as its child, if that still lives
        code = os.waitstatus_to_exitcode(status)
        _send(channel, {"pid": pid, "exit": -signal.SIGKILL, "keeper": code})


def _keep(assignment: str, told: int) -> None:
    """Lead a session, run the input child in it, and say what becomes of that. Does not return."""
    os.setsid()
    die_with_parent()
    child = _fork()
    if child == 0:
        os.close(told)
        os.setpgid(0, 0)
        _run(assignment)
    while True:
        _, status = os.waitpid(child, os.WUNTRACED | os.WCONTINUED)
        if os.WIFSTOPPED(status):
            os.write(told, f"stopped {os.WSTOPSIG(status)}\n".encode())
        elif os.WIFCONTINUED(status):
            os.write(told, b"stopped 0\n")
        else:
            os.write(told, f"exit {os.waitstatus_to_exitcode(status)}\n".encode())
            os._exit(0)


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its threads are idle, see above
        return os.fork()


def _run(assignment: str) -> None:
    """Run an assignment in the child, then exit as Python exits a script: with exit handlers."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_DFL)
    adopt_orphans()
    die_with_parent()
    _prefer_oom_kill()
    _reseed()
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["turnkey", assignment]
        import_module("turnkeyml.evaluate.child").main()
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException:  # noqa: BLE001 - a bug in turnkey: shown; the parent sees the exit code
        import traceback

        with contextlib.suppress(Exception):
            traceback.print_exc(file=sys.__stderr__)  # the script may have replaced sys.stderr
    try:
        import_module("turnkeyml.discover.script").finish_like_python(code)
    finally:
        os._exit(code)  # whatever happens, this process must not go on as a second zygote


def _reseed() -> None:
    """Give each child its own numpy random state: a fork copies that of the zygote."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _prefer_oom_kill() -> None:
    """Let the system kill this child rather than the parent when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def _kill(pids: list[int]) -> None:
    from turnkeyml.launch.local.processes import kill_tree

    for pid in pids:
        kill_tree(pid)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _kill_strays(ours: set[int]) -> None:
    """Kill the processes that a script left behind: as orphans they became children of ours."""
    from turnkeyml.system import descendants

    strays = [pid for pid in descendants(os.getpid()) if os.getpid() == _parent(pid)]
    _kill(sorted(set(strays) - ours))


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
