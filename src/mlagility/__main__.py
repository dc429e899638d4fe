"""``python -m mlagility`` is the ``benchit`` command."""

from turnkeyml.cli.entry import benchit

if __name__ == "__main__":
    benchit()
