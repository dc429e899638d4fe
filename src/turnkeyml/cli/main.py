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
    sys.exit(_run(words))


def _run(words: list[str]) -> int:
    from turnkeyml.errors import TurnkeyError, UsageError

    try:
        from turnkeyml.cli.words import parse

        options = parse(words)
        return int(options.run(options))
    except UsageError as error:
        print(f"turnkey: error: {error}", file=sys.stderr)
        return 2
    except TurnkeyError as error:
        print(f"turnkey: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nturnkey: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"turnkey: error: {error.strerror or error}{where}", file=sys.stderr)
        return 1


def _reader_left() -> int:
    """Whoever read our output has gone; that is no error of ours."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1
