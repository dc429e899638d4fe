"""The ``turnkey`` command. Imports are late, so that light commands start quickly."""

from __future__ import annotations

import sys

from turnkeyml.display import finish_streams, open_standard_streams, print_errors

TYPE_CHECKING = False  # importing typing would cost time
if TYPE_CHECKING:
    import argparse
    from typing import NoReturn

INTERRUPTED = 130
EVALUATING = ("benchmark", "race", "tune", "explain")
"""Commands that build and measure the models in files."""

_warned: set[str] = set()
"""The sentences about plugins that were printed."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with 0, 1 (failed), 2 (usage error) or 130 (interrupted)."""
    _run_program(arguments, "turnkey")


def benchit() -> None:
    """Run the ``benchit`` command, which also takes the arguments of turnkey's predecessor."""
    _run_program(None, "benchit")


def _run_program(arguments: list[str] | None, program: str) -> NoReturn:
    _answer_shell()
    if arguments is None:
        _use_utf8()
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _end_on_signals()
    try:
        status = _run(sys.argv[1:] if arguments is None else arguments, program)
    except SystemExit as stop:  # of argparse, after --help and --version
        status = int(stop.code or 0)
    try:
        status = finish_streams(program, status)
    except BrokenPipeError:
        status = _reader_left()
    sys.exit(status)


def _use_utf8() -> None:
    """Start again in the UTF-8 mode of Python where file names are not read as UTF-8.

    ONNX Runtime and the exporters take paths as UTF-8 alone. This is so with ``LC_ALL=C`` and
    ``PYTHONUTF8=0``, and in an older locale such as ISO 8859-1.
    """
    import os

    encoding = sys.getfilesystemencoding().replace("-", "").lower()
    if encoding != "utf8" and sys.platform != "win32" and sys.orig_argv:
        own = sys.orig_argv
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *own[1:]])


def _answer_shell() -> None:
    """Exit with the words that can follow, if a shell runs us to complete a command line."""
    import os

    if "_ARGCOMPLETE" in os.environ:
        from turnkeyml.cli.completion import complete

        complete()


def _end_on_signals() -> None:
    """Clean up on the first SIGINT or SIGTERM, exit at once on the second.

    Child processes end by themselves when this process is gone.
    """
    import os
    import signal

    asked: list[int] = []

    def end(number: int, frame: object) -> None:
        if asked:
            os._exit(INTERRUPTED)
        asked.append(number)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, end)


def _run(words: list[str], program: str) -> int:
    from turnkeyml.errors import TurnkeyError, UsageError

    try:
        from turnkeyml.cli.parser import parse

        if program == "benchit":
            from turnkeyml.cli.benchit import translate

            words = translate(words)
        parsed = parse(words, program)
        _warn_of_plugins(program, parsed.command)
        return _run_with_defaults(parsed)
    except TurnkeyError as error:
        _warn_of_plugins(program)
        _tell_error(program, words, str(error))
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print_errors("", f"{program}: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        _tell_error(program, words, f"{error.strerror or error}{where}")
        return 1


def _tell_error(program: str, words: list[str], sentence: str) -> None:
    print_errors(f"{program}: error: {sentence}")
    if "--json" in words:
        from turnkeyml.cli.output import print_error

        print_error(words, sentence)


def _run_with_defaults(parsed: argparse.Namespace) -> int:
    """Run a command with the defaults of the project in which it is run."""
    from turnkeyml.cli.parser import WITHOUT_OPTIONS, run
    from turnkeyml.errors import TurnkeyError

    if parsed.command in WITHOUT_OPTIONS:
        return run(parsed)
    from turnkeyml.cli.defaults import Defaults

    defaults = Defaults(parsed)
    defaults.apply()
    if getattr(parsed, "verbose", False):
        print_errors(*defaults.lines())
    try:
        return run(parsed)
    except TurnkeyError as error:
        error.args = (defaults.explain(str(error)), *error.args[1:])
        raise


def _warn_of_plugins(program: str, command: str = "") -> None:
    """Say what is wrong with plugins, if they were needed; the command that lists them does, too.

    Commands that evaluate inputs always look for them: whoever has installed one may expect it to
    take part. Each sentence is printed once.
    """
    if command in EVALUATING:
        from turnkeyml.runtimes import all_devices

        all_devices()
    plugins = sys.modules.get("turnkeyml.runtimes.plugins")
    if plugins is None or command == "plugins":
        return
    for problem in plugins.problems():
        if problem not in _warned:
            _warned.add(problem)
            print_errors(f"{program}: warning: {problem}")


def _reader_left() -> int:
    """Exit quietly after the reader of a pipe has closed it, as ``head`` does."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1
