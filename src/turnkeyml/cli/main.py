"""The ``turnkey`` command. Nothing heavy is imported before it is known what to do."""

from __future__ import annotations

import sys

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with 0, 1 (failed), 2 (wrong usage) or 130 (interrupted)."""
    words = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _end_on_signals()
    sys.exit(_run(words, "turnkey"))


def benchit() -> None:
    """The same program, which understands the words of its predecessor as well."""
    _end_on_signals()
    sys.exit(_run(sys.argv[1:], "benchit"))


def _end_on_signals() -> None:
    """The first request to end is carried out in order, the second at once.

    What has been started ends by itself when we are gone.
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
        from turnkeyml.cli.words import parse, run

        if program == "benchit":
            from turnkeyml.cli.benchit import translate

            words = translate(words)
        return run(parse(words, program))
    except TurnkeyError as error:
        print(f"{program}: error: {error}", file=sys.stderr)
        if "--json" in words:
            from turnkeyml.cli.output import print_error

            print_error(words, str(error))
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print(f"\n{program}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"{program}: error: {error.strerror or error}{where}", file=sys.stderr)
        return 1


def _reader_left() -> int:
    """Whoever read our output has gone; that is no error of ours."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1
