"""Model scripts: their template, their parameters."""

from __future__ import annotations

import ast
import sys

import pytest

from .conftest import ROOT
from .promises import promise

SELFTEST = sorted((ROOT / "models" / "selftest").glob("*.py"))

EXAMPLE = '''# labels: test_group::mlagility name::example author::nobody
"""
Written for this test.
"""

from mlagility.parser import parse
import torch

torch.manual_seed(0)

# Parsing command-line arguments
batch_size, num_channels, width, height = parse(
    ["batch_size", "num_channels", "width", "height"]
)


# Model and input configurations
model = torch.nn.Conv2d(num_channels, 2, 3)
model.eval()
inputs = {"input": torch.ones([batch_size, num_channels, width, height])}


# Call model
print("shape", tuple(model(**inputs).shape))
'''


@pytest.fixture(scope="module")
def example(reader):
    folder = reader.root / "corpus"
    folder.mkdir()
    (folder / "example.py").write_text(EXAMPLE)
    (folder / "text.py").write_text(
        "from mlagility.parser import parse\n"
        'print("got", parse(["batch_size", "max_seq_length"]))\n'
    )
    return folder


@pytest.fixture
def parsed(monkeypatch):
    """What parse() returns for a command line."""

    def parse_words(names: list[str], *words: str) -> list[object]:
        from mlagility.parser import parse

        monkeypatch.setattr(sys, "argv", ["script.py", *words])
        return list(parse(names))

    return parse_words


@promise("models", "There is a corpus named selftest with small models")
def test_the_selftest_corpus():
    assert {"linear.py", "twolayer.py"} <= {path.name for path in SELFTEST}


@promise("models", "Each model script says in a docstring where the model is from")
@promise("models", "Each model script has labels in its first line")
@pytest.mark.parametrize("path", SELFTEST, ids=lambda path: path.name)
def test_the_template_of_a_model_script(path):
    text = path.read_text()
    assert text.startswith("# labels: ")
    assert ast.get_docstring(ast.parse(text))


@promise("models", "Each model script runs by itself under python")
@pytest.mark.parametrize("path", SELFTEST, ids=lambda path: path.name)
def test_a_model_script_runs_by_itself(reader, path):
    ran = reader.types(f"python {path}", folder=reader.home)
    assert (ran.status, ran.err) == (0, "")


@promise("models", "The example of a model script is found, with its labels and parameters")
@promise("models", "--script-args gives a script its parameters")
@promise("models", "A model is measured with inputs of the shape that its script uses")
def test_the_example_with_parameters(reader, example):
    words = '--script-args="--batch_size 8 --width 32 --height 16" --build-only'
    ran = reader.types(f"benchit example.py --search-dir {example} {words} -d {example}/cache")
    assert ran.status == 0, ran.err
    assert "shape (8, 2, 30, 14)" in ran.out
    assert "(8, 3, 32, 16)" in ran.out


@promise("models", "The same parameters work outside of benchit")
def test_parameters_under_plain_python(reader, example):
    ran = reader.types("python text.py --batch_size 8", folder=example)
    assert ran.out == "got [8, 128]\n"


@promise("models", "parse() returns the parameters that the command line sets")
def test_parse_returns_what_was_set(parsed):
    words = ("--batch_size", "8", "--max_seq_length", "128")
    assert parsed(["batch_size", "max_seq_length"], *words) == [8, 128]


@promise("models", "The standard parameters have the documented defaults and types")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", 1),
        ("max_seq_length", 128),
        ("max_audio_seq_length", 25600),
        ("height", 224),
        ("num_channels", 3),
        ("width", 224),
        ("k", 8),
        ("alpha", 2.2),
        ("out_channels", 16),
        ("num_layers", 8),
        ("in_channels", 1433),
    ],
)
def test_the_standard_parameters(parsed, name, value):
    found, _ = parsed([name, "pretrained"])
    assert found == value
    assert isinstance(found, type(value))
    changed, _ = parsed([name, "pretrained"], f"--{name}", "5")
    assert changed == 5
    assert isinstance(changed, type(value))


@promise("ours", "pretrained is a standard parameter, and turnkeyml.parser is the newer name")
def test_pretrained(monkeypatch):
    from turnkeyml.parser import parse

    monkeypatch.setattr(sys, "argv", ["script.py"])
    assert parse(["pretrained", "batch_size"]) == [False, 1]
    monkeypatch.setattr(sys, "argv", ["script.py", "--pretrained"])
    assert list(parse(["pretrained", "batch_size"])) == [True, 1]


@promise("ours", "An argument that is not among the parameters of a script is a clear error")
def test_an_unknown_argument(reader, example):
    ran = reader.types("python text.py --batchsize 8", folder=example)
    assert ran.status == 2
    assert "--batchsize" in ran.err
    assert "Traceback" not in ran.err
