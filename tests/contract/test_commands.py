"""The commands themselves: help, version, models."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

import turnkeyml

from .promises import promise


@promise("tools", "turnkey FILE is short for turnkey benchmark FILE")
@promise("tutorial", "benchit FILE is short for benchit benchmark FILE")
def test_benchmark_is_the_default_command(reader):
    for program in ("turnkey", "benchit"):
        short = reader.types(f"{program} scripts/missing.py --iterations 3")
        long = reader.types(f"{program} benchmark scripts/missing.py --iterations 3")
        assert short == long
        assert "missing.py" in short.err


@promise("tools", "COMMAND --help shows the options of every command")
@pytest.mark.parametrize(
    "command",
    [
        "benchmark",
        "cache list",
        "cache stats",
        "cache print",
        "cache delete",
        "cache clean",
        "cache report",
        "cache location",
        "cache benchmark",
        "models location",
        "version",
    ],
)
def test_every_command_has_help(reader, command):
    ran = reader.types(f"turnkey {command} --help")
    assert ran.status == 0, ran.err
    assert ran.out.startswith(f"usage: turnkey {command}")


@promise("tools", "version prints the version of the installed package")
def test_version(reader):
    ran = reader.types("turnkey version")
    assert (ran.status, ran.out) == (0, f"{turnkeyml.__version__}\n")


@promise("tools", "version has no options")
def test_version_has_no_options(reader):
    assert reader.types("turnkey version --cache-dir x").status == 2


@promise("tools", "models location prints where the models are")
def test_models_location(reader):
    from turnkeyml.filesystem import MODELS_DIR

    ran = reader.types("turnkey models location")
    assert ran.status == 0, ran.err
    assert MODELS_DIR in ran.out


@promise("tools", "models location --quiet prints the path alone")
@promise("tools", "turnkeyml.filesystem.MODELS_DIR is the folder of the models")
def test_models_location_quiet(reader):
    from turnkeyml.filesystem import MODELS_DIR

    ran = reader.types("turnkey models location --quiet")
    assert ran.out == f"{MODELS_DIR}\n"
    assert (Path(MODELS_DIR) / "selftest" / "linear.py").is_file()


@promise("tools", "Installing the package gives the command turnkey")
@promise("tutorial", "Installing the package gives the command benchit")
@pytest.mark.parametrize("name", ["turnkey", "benchit"])
def test_the_commands_are_installed(name):
    scripts = importlib.metadata.distribution("turnkeyml").entry_points
    assert name in {script.name for script in scripts if script.group == "console_scripts"}


@promise("ours", "Help, version and the cache commands start without torch")
def test_light_commands_do_not_import_torch(reader):
    for words in (["version"], ["--help"], ["cache", "list"], ["models", "location"]):
        code = (
            f"import sys; sys.argv = ['turnkey', *{words}]; from turnkeyml.cli.entry import main\n"
            "try: main()\nfinally: print('torch' in sys.modules, 'numpy' in sys.modules)"
        )
        ran = reader.types(f'python -c "{code}"')
        assert ran.out.splitlines()[-1] == "False False", ran.err
