"""Libraries are told from user code wherever they are installed, and scripts are analysed there."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import types
import venv
from pathlib import Path

import pytest
import torch

import turnkeyml
from turnkeyml.build import MOST_VALUES, Code, fingerprint, is_users_file

from .conftest import EXAMPLES

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
PACKAGES = Path(torch.__file__).parent.parent
SOURCE = Path(turnkeyml.__file__).parent.parent


def install(folder: Path, name: str = "library") -> str:
    """Install a package into a folder as pip does; the path of its code."""
    (folder / name).mkdir(parents=True)
    code = folder / name / "__init__.py"
    code.write_text("")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text(f"{name}/__init__.py,,\n{info.name}/RECORD,,\n")
    return str(code)


@pytest.mark.parametrize(
    "folder",
    {
        "environment": f"environment/lib/{PYTHON}/site-packages",
        "user_site": f".local/lib/{PYTHON}/site-packages",
        "debian": "usr/lib/python3/dist-packages",
        "overlay": f"base/lib/{PYTHON}/site-packages",
        "pythonpath": "libraries",
    }.values(),
)
def test_an_installed_package_is_a_library(tmp_path, monkeypatch, folder):
    code = install(tmp_path / folder)
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    assert not is_users_file(code)


def test_code_beside_a_script_and_editable_installs_are_the_users(tmp_path, monkeypatch):
    project = tmp_path / "project"
    library = install(project / "libraries")
    own = project / "libraries" / "own.py"
    own.write_text("")
    checkout = tmp_path / "checkout" / "src" / "editable" / "__init__.py"
    checkout.parent.mkdir(parents=True)
    checkout.write_text("")
    (checkout.parent.parent / "editable.egg-info").mkdir()
    for folder in (project / "libraries", checkout.parent.parent):
        monkeypatch.syspath_prepend(str(folder))
    assert not is_users_file(library)
    assert is_users_file(str(own))  # pip install --target put the library beside it
    assert is_users_file(str(checkout))
    assert is_users_file(str(project / "script.py"))
    assert not is_users_file(os.__file__)
    assert not is_users_file(torch.__file__)
    assert not is_users_file(turnkeyml.__file__)


def test_the_walk_through_code_ends(monkeypatch):
    tree = functools.reduce(lambda inner, _: [inner] * 30, range(fingerprint.DEPTH + 1), 1)
    words = sum(1 for _ in Code().value(tree, fingerprint.DEPTH + 2))
    assert words <= MOST_VALUES


def test_what_cannot_be_read_costs_precision_alone():
    class Hostile:
        @property
        def __dict__(self):
            raise RuntimeError("no attributes")

    method = types.MethodType(functools.partial(print, "bound"), object())
    assert list(Code().value(Hostile(), 2))
    assert list(Code().value(method, 2)) != list(
        Code().value(types.MethodType(functools.partial(print, "other"), object()), 2)
    )


def analyse(python: Path, **environment: str) -> str:
    """What turnkey lists under another interpreter."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [python, "-m", "turnkeyml", EXAMPLES / "scripts" / "hello_world.py", "--analyze-only"],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare(folder: Path, **settings: bool) -> tuple[Path, Path]:
    """The interpreter of an environment without packages, and its folder for them."""
    venv.create(folder, with_pip=False, symlinks=True, **settings)
    return folder / "bin" / "python", folder / "lib" / PYTHON / "site-packages"


def linked(path: Path, target: Path = PACKAGES) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return str(path)


def test_torch_on_the_python_path(tmp_path):
    python, _ = bare(tmp_path / "bare")
    search = os.pathsep.join([linked(tmp_path / "libraries"), str(SOURCE)])
    assert "24adc42f" in analyse(python, PYTHONPATH=search)


@pytest.mark.slow
def test_torch_in_the_site_of_the_user(tmp_path):
    python, _ = bare(tmp_path / "bare", system_site_packages=True)
    linked(tmp_path / "home" / "lib" / PYTHON / "site-packages")
    home = str(tmp_path / "home")
    assert "24adc42f" in analyse(python, PYTHONUSERBASE=home, PYTHONPATH=str(SOURCE))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["base", "dist-packages"])
def test_torch_in_another_environment_or_of_debian(tmp_path, name):
    python, packages = bare(tmp_path / "bare")
    lines = [linked(tmp_path / "usr" / name), str(SOURCE)]
    (packages / "overlay.pth").write_text("\n".join(lines))
    assert "24adc42f" in analyse(python)


@pytest.mark.slow
def test_torch_that_runs_from_its_source_code(tmp_path):
    python, packages = bare(tmp_path / "bare")
    linked(tmp_path / "checkout" / "torch", PACKAGES / "torch")
    lines = [str(tmp_path / "checkout"), str(PACKAGES), str(SOURCE)]
    (packages / "editable.pth").write_text("\n".join(lines))
    assert "24adc42f" in analyse(python)
