"""``python -m turnkeyml`` is the ``turnkey`` command."""

from turnkeyml.cli import main

if __name__ == "__main__":
    main()
