"""Which files can be named, and how."""

from __future__ import annotations

import re
import shutil

import pytest

from .conftest import blocks, builds_in
from .promises import promise


@pytest.fixture(scope="module")
def filtered(reader):
    return reader.types("turnkey benchmark scripts/two_models.py::c69b7dea --iterations 5 -d one")


@pytest.fixture(scope="module")
def several_hashes(reader):
    return reader.types(
        "turnkey scripts/two_models.py::f93db89f,c69b7dea "
        "scripts/multiple_invocations.py::d5267eaf --build-only -d some"
    )


@pytest.fixture(scope="module")
def listed(reader):
    """A list with a comment, a plain name, a wildcard and another list."""
    folder = reader.root / "lists"
    (folder / "below").mkdir(parents=True)
    for script in (reader.cli / "scripts").glob("*.py"):
        shutil.copy(script, folder if script.stem != "max_depth" else folder / "below")
    (folder / "selected_models.txt").write_text(
        "# the models of today\nhello_world.py\n\nmultiple_*.py\nbelow/more.txt\n"
    )
    (folder / "below" / "more.txt").write_text("max_depth.py\n")
    return reader.types(f"turnkey {folder}/selected_models.txt --analyze-only")


@pytest.fixture(scope="module")
def onnx(reader):
    shutil.copy(reader.cli / "onnx" / "sample.onnx", reader.cli / "onnx" / "another.onnx")
    return reader.types(
        "turnkey *.onnx --max-depth 1 --quick -d ../of_onnx", folder=reader.cli / "onnx"
    )


def names(listing: str) -> list[str]:
    return re.findall(r"^(\S+\.(?:py|onnx)):$", listing, re.MULTILINE)


@promise("tools", "A script can be named by itself, or several of them")
def test_one_script_or_several(reader):
    line = "turnkey models/selftest/linear.py models/selftest/twolayer.py --analyze-only"
    ran = reader.types(line, folder=reader.root)
    assert ran.status == 0, ran.err
    assert names(ran.out) == ["linear.py", "twolayer.py"]


@promise("tools", "Wildcards find the scripts of every folder")
def test_wildcards_across_folders(reader):
    ran = reader.types("turnkey models/*/*.py --analyze-only", folder=reader.root)
    assert {"linear.py", "twolayer.py"} <= set(names(ran.out))


@promise("discovery", "Wildcards name every script in a folder")
@promise("ours", "Wildcards are expanded by turnkey too, where no shell has done it")
def test_quoted_wildcards(reader):
    ran = reader.types("turnkey '*.py' --analyze-only", folder=reader.cli / "scripts")
    assert names(ran.out) == [
        "hello_world.py",
        "max_depth.py",
        "multiple_invocations.py",
        "two_models.py",
    ]


@promise("tools", "A text file lists the inputs, a line each")
@promise("discovery", "A text file can stand in the place of the scripts that it lists")
def test_a_text_file_lists_inputs(listed):
    assert listed.status == 0, listed.err
    assert "hello_world.py" in names(listed.out)


@promise("discovery", "A text file may have wildcards")
def test_a_text_file_may_have_wildcards(listed):
    assert "multiple_invocations.py" in names(listed.out)


@promise("discovery", "A text file may name other text files")
def test_a_text_file_may_name_text_files(listed):
    assert names(listed.out)[-1] == "max_depth.py"


@promise("tools", "An ONNX file can be named, and is measured")
@promise("tools", "A model is a module that a script has made, or an ONNX file")
def test_an_onnx_file_is_measured(onnx):
    assert onnx.status == 0, onnx.out + onnx.err
    assert onnx.out.count("Mean Latency:") == 2


@promise("tools", "Wildcards find ONNX files")
def test_wildcards_find_onnx_files(onnx):
    assert names(onnx.out) == ["another.onnx", "sample.onnx"]


@promise("tools", "An ONNX file is measured as it is, without further build stages")
def test_an_onnx_file_is_measured_as_it_is(onnx, reader):
    original = (reader.cli / "onnx" / "sample.onnx").read_bytes()
    (folder,) = (reader.cli / "of_onnx").glob("sample_*")
    (file,) = (folder / "onnx").iterdir()
    assert file.read_bytes() == original


@promise("tools", "--max-depth has no meaning for what is not a PyTorch model")
def test_max_depth_does_not_disturb_onnx_files(onnx):
    assert onnx.out.count("Hash:") == 2


@promise("discovery", "With a hash every model is listed and only that one is built and measured")
@promise("tools", "FILE.py::HASH measures only the model of that hash")
def test_a_hash_selects_a_model(filtered, reader):
    assert filtered.status == 0, filtered.err
    parts = blocks(filtered.out)
    assert list(parts) == ["f93db89f", "c69b7dea"]
    assert "Status:" not in parts["f93db89f"]
    assert "Successfully benchmarked on" in parts["c69b7dea"]
    assert builds_in(reader.cli / "one") == ["two_models_c69b7dea"]


@promise("tools", "Several hashes, separated by commas, select several models")
def test_several_hashes_select_several_models(several_hashes, reader):
    assert several_hashes.status == 0, several_hashes.err
    assert builds_in(reader.cli / "some") == [
        "multiple_invocations_d5267eaf",
        "two_models_c69b7dea",
        "two_models_f93db89f",
    ]


@promise("tools", "Hashes and wildcards exclude each other")
def test_hashes_and_wildcards_exclude_each_other(reader):
    ran = reader.types("turnkey 'scripts/*.py::c69b7dea'")
    assert (ran.status, ran.out) == (2, "")
    assert "wildcard" in ran.err


@promise("ours", "A hash that no model has is an error that lists the hashes there are")
def test_an_unknown_hash_lists_the_known_ones(reader):
    ran = reader.types("turnkey scripts/two_models.py::00000000 --analyze-only")
    assert ran.status == 1
    assert re.search(r"00000000; there are: f93db89f, c69b7dea", ran.out)


@promise("ours", "What is wrong in a list of inputs is told with the list and the line")
@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("missing.py", "File not found: 'missing.py'."),
        ("hello_world.py::", "hello_world.py::: the hash after '::' is missing."),
    ],
)
def test_what_is_wrong_in_a_list(reader, entry, why):
    (reader.root / "inner.txt").write_text(f"# two lines\n{entry}\n")
    (reader.root / "outer.txt").write_text("inner.txt\n")
    ran = reader.types("turnkey outer.txt", folder=reader.root)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"turnkey: error: outer.txt, line 1: inner.txt, line 2: {why}\n"


@promise("ours", "What is no input is told in one sentence, with status 2, before anything runs")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("scripts/missing.py", "missing.py"),
        ("'scripts/z*.py'", "z*.py"),
        ("scripts", "directory"),
        ("../../home", "directory"),
        ("scripts/hello_world.py 'two words.md'", "two words.md"),
        ("around.txt", "around.txt"),
    ],
)
def test_what_is_no_input_is_told_before_anything_runs(reader, words, told):
    (reader.cli / "around.txt").write_text("around.txt\n")
    (reader.cli / "two words.md").write_text("nothing\n")
    ran = reader.types(f"turnkey benchmark {words}")
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
    assert len(ran.err.strip().splitlines()) == 1


@promise("ours", "A mistyped command is answered with the one that may have been meant")
def test_a_mistyped_command_gets_a_suggestion(reader):
    ran = reader.types("turnkey cahce list")
    assert ran.status == 2
    assert "Did you mean 'cache'?" in ran.err
