"""Libraries that many scripts share are imported once, and nothing else changes."""

from __future__ import annotations

import os
import sys

import pytest

from turnkeyml import benchmark_files
from turnkeyml.launch import LEAST_SCRIPTS, shared_imports

MODEL = """
import torch
model = torch.nn.Linear(2, 2).eval()
model(torch.rand(1, 2))
"""


def write(folder, text, count=LEAST_SCRIPTS):
    paths = [folder / f"script_{i}.py" for i in range(count)]
    for path in paths:
        path.write_text(text)
    return [str(path) for path in paths]


def test_what_all_import_first_is_shared(tmp_path):
    paths = write(tmp_path, '"""Text."""\nimport yaml\nfrom rich.table import Row, Table\n1\n')
    assert shared_imports(paths) == ["yaml", "rich.table:Table"]


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.environ['A'] = 'b'\nimport yaml\n",
        "def f():\n    import yaml\n",
        "import json, torch\n",
        "import there_is_no_such_package\n",
        "from . import yaml\n",
        "this is no Python\n",
    ],
)
def test_what_is_not_shared(tmp_path, text):
    assert shared_imports(write(tmp_path, text)) == []


@pytest.mark.parametrize("library", ["keras", "tensorflow", "jax"])
def test_what_a_framework_leaves_to_the_scripts_is_not_shared(tmp_path, library, monkeypatch):
    monkeypatch.setattr("turnkeyml.launch.local.backend._is_installed", lambda package: True)
    assert shared_imports(write(tmp_path, f"import {library}\n")) == []
    assert shared_imports(write(tmp_path, "import yaml\n")) == ["yaml"]


def test_one_script_that_imports_it_later_is_enough(tmp_path):
    paths = write(tmp_path, "import yaml\n", LEAST_SCRIPTS + 1)
    (tmp_path / "script_3.py").write_text("import sys\nsys.path.insert(0, 'x')\nimport yaml\n")
    assert shared_imports(paths) == []


def test_a_file_of_that_name_beside_a_script(tmp_path):
    paths = write(tmp_path, "import yaml\n")
    (tmp_path / "yaml.py").write_text("")
    assert shared_imports(paths) == []


def test_few_scripts_share_nothing(tmp_path):
    assert shared_imports(write(tmp_path, "import yaml\n", LEAST_SCRIPTS - 1)) == []


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A package that writes down in which process it is imported."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    start = f"import os\nopen({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n')\n"

    def make(more=""):
        (folder / "shared_library.py").write_text(start + more)

    return make


def run(tmp_path):
    results = benchmark_files(
        write(tmp_path, "import shared_library\n" + MODEL, LEAST_SCRIPTS + 1),
        analyze_only=True,
        cache_dir=str(tmp_path / "cache"),
        jobs=2,
    )
    assert [result.ok for result in results] == [True] * len(results)
    return (tmp_path / "pids").read_text().split()


def test_a_shared_library_is_imported_once(tmp_path, library):
    library("print('imported')\n")
    assert len(run(tmp_path)) == 1


THREAD = """
import threading, time
threading.Thread(target=lambda: time.sleep(60), daemon=True).start()
"""
ONLY_THE_SECOND_TIME = """
marker = __file__ + ".seen"
if not os.path.exists(marker):
    open(marker, "w").close()
    raise OSError("not yet")
"""


@pytest.mark.parametrize("harm", [THREAD, ONLY_THE_SECOND_TIME], ids=["thread", "error"])
def test_a_library_that_does_harm_is_left_to_the_scripts(tmp_path, library, harm):
    library(harm)
    scripts = LEAST_SCRIPTS + 1
    assert len(set(run(tmp_path))) == 1 + scripts
