"""The models that come with turnkeyml: as they are committed, and how they are named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from corpora.__main__ import CORPORA, MODELS, stale
from corpora.status import COLUMNS, VERDICTS, read_rows
from turnkeyml.cli import parse as parse_words
from turnkeyml.discover import find_inputs, read_labels
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Verdict
from turnkeyml.parser import PARAMETERS

SCRIPTS = sorted(MODELS.glob("*/*.py"))
TASK = re.compile(r"[a-z0-9_]+(,[a-z0-9_]+)*")


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_scripts_are_what_the_generator_makes(corpus):
    assert stale(corpus) == [], "run 'python -m corpora generate'"


def test_every_folder_is_a_corpus_that_something_makes():
    assert {path.parent.name for path in SCRIPTS} == {*CORPORA, "selftest"}


def test_the_status_has_a_rank_for_every_verdict():
    assert set(VERDICTS) == {*Verdict}


def test_there_are_more_than_a_thousand():
    assert len(SCRIPTS) >= 1300


def faults(path: Path) -> list[str]:
    """What a script lacks of what every script has."""
    labels = read_labels(str(path))
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    wrong = [f"label {word}" for word in labels.malformed]
    for key in ("name", "author", "task", "license", "test_group"):
        if not labels.values.get(key):
            wrong.append(f"no label {key}")
    if labels.values.get("name") != (path.stem,):
        wrong.append("the label name is not the file's")
    if labels.values.get("test_group", ("",))[0] != path.parent.name:
        wrong.append("the first test group is not the corpus")
    if not TASK.fullmatch(",".join(labels.values.get("task", ()))):
        wrong.append("a task is not in snake_case")
    if len((ast.get_docstring(tree) or "").splitlines()) < 1:
        wrong.append("no docstring")
    if "torch.manual_seed(0)" not in calls:
        wrong.append("no seed")
    if not any(call.endswith(".eval()") for call in calls):
        wrong.append("not in eval mode")
    if not any(call.startswith("parse(") for call in calls):
        wrong.append("no parameters")
    if any(isinstance(node, ast.Try) for node in ast.walk(tree)):
        wrong.append("a try")
    if re.search(r"cuda|\.to\(\"cpu", text.partition('"""')[2].partition('"""')[2]):
        wrong.append("names a device")
    return wrong


def test_every_script_has_what_every_script_has():
    wrong = {f"{p.parent.name}/{p.stem}": found for p in SCRIPTS if (found := faults(p))}
    assert wrong == {}


def test_every_parameter_is_used():
    """A parameter that changes nothing would mislead whoever sets it."""
    wrong = []
    for path in SCRIPTS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_read(n)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "parse":
                asked = ast.literal_eval(node.args[0])
                wrong += [
                    f"{path}: {name}" for name in asked if name not in {*used} & {*PARAMETERS}
                ]
    assert wrong == []


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("selftest/linear", ["linear.py"]),
        ("selftest/linear.py", ["linear.py"]),
        ("selftest/l*", ["linear.py"]),
        ("selftest", ["linear.py", "twolayer.py"]),
        ("self*/linear", ["linear.py"]),
        ("timm/resnet50", ["resnet50.py"]),
    ],
)
def test_models_are_found_by_name_from_anywhere(tmp_path, monkeypatch, name, found):
    monkeypatch.chdir(tmp_path)
    assert [Path(item.path).name for item in find_inputs([name])] == found


def test_a_file_of_ones_own_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("selftest").mkdir()
    Path("selftest/linear.py").write_text("1")
    assert find_inputs(["selftest/linear.py"])[0].path == "selftest/linear.py"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("selftest/liner", "Did you mean 'selftest/linear'?"),
        ("timn/resnet50", "Did you mean 'timm/resnet50'?"),
        ("timm/no_such*", "No .py, .onnx or .txt file matches"),
        ("nowhere/at_all", "File not found: 'nowhere/at_all'."),
    ],
)
def test_a_wrong_name_gets_a_hint(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_inputs([name])
    assert words in str(caught.value)


def turnkey(*words):
    command = [sys.executable, "-m", "turnkeyml", *words]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_list_of_models():
    ran = turnkey("models", "list", "selftest")
    assert ran.returncode == 0
    lines = ran.stdout.splitlines()
    assert lines[0].split() == ["model", "task", "author", "license", "params", "test_group"]
    expected = ["selftest/linear", "regression", "selftest", "mit", "110", "selftest,sample"]
    assert lines[1].split() == expected
    assert lines[-1] == "2 models"


def test_the_list_by_label():
    ran = turnkey("models", "list", "--quiet", "--labels", "author::selftest", "name::twolayer")
    assert ran.stdout == "selftest/twolayer\n"
    ran = turnkey("models", "list", "--labels", "task::none")
    assert (ran.returncode, ran.stderr) == (
        2,
        "turnkey: error: No model has the labels task::none.\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--labels", "name::twolayer", "models/selftest/*.py", "--analyze-only"],
        ["benchmark", "--labels", "name::twolayer", "author::selftest", "selftest/*"],
        ["models/selftest/*.py", "--labels", "name::twolayer", "--analyze-only"],
    ],
)
def test_labels_may_come_before_the_files(words):
    options = parse_words(words)
    assert options.input_files in (["models/selftest/*.py"], ["selftest/*"])
    assert "name::twolayer" in options.labels


def test_a_corpus_needs_no_command():
    assert turnkey("selftest", "--analyze-only").stdout.count("Hash:") == 2
    ran = turnkey("selftst")
    assert ran.returncode == 2
    assert "Did you mean 'selftest'?" in ran.stderr


def test_the_table_of_what_became_of_them_is_about_these_scripts():
    rows = read_rows()
    assert set(rows) <= {f"{path.parent.name}/{path.stem}" for path in SCRIPTS}
    assert all(tuple(row) == COLUMNS for row in rows.values())
    for row in rows.values():
        good = (
            row["runs"] == "yes"
            and row["builds"] != "no"
            and row["verifies"] in ("", "match", "match in parts")
        )
        assert good or row["reason"], row["script"]
