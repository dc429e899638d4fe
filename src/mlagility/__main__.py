"""``python -m mlagility`` is the ``benchit`` command."""

from turnkeyml.cli.main import benchit

if __name__ == "__main__":
    benchit()
