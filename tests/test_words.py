"""Files and options in any order, keys and values, and names that were nearly right."""

from __future__ import annotations

import re

import pytest

from turnkeyml.cli import parse
from turnkeyml.discover import did_you_mean, find_inputs, parse_filter, read_labels, similar_names
from turnkeyml.errors import UsageError
from turnkeyml.nouns import split_pair
from turnkeyml.options import BenchmarkOptions, is_input, settle


@pytest.mark.parametrize(
    ("words", "files", "options"),
    [
        ("--runtime ort x.py", ["x.py"], {"runtime": ["ort"]}),
        ("--runtime=ort x.py", ["x.py"], {"runtime": ["ort"]}),
        (
            "--device x86 --runtime ort torch-eager x.py",
            ["x.py"],
            {"device": "x86", "runtime": ["ort", "torch-eager"]},
        ),
        ("--runtime ort -- x.py -y.py", ["x.py", "./-y.py"], {"runtime": ["ort"]}),
        ("--runtime ort timm/resnet50", ["timm/resnet50"], {"runtime": ["ort"]}),
        ("--runtime ort timm", ["timm"], {"runtime": ["ort"]}),
        ("--runtime ort models/*.py", ["models/*.py"], {"runtime": ["ort"]}),
        ("--runtime ort x.py::0123abcd", ["x.py::0123abcd"], {"runtime": ["ort"]}),
        ("--rt-args file=x.py y.onnx", ["y.onnx"], {"rt_args": ["file=x.py"]}),
        ("--rt-args file::x.py y.onnx", ["y.onnx"], {"rt_args": ["file::x.py"]}),
        ("--labels a=b.py x.py --labels c=d", ["x.py"], {"labels": ["a=b.py", "c=d"]}),
        ("--sweep inputs=a.npz,b.npz x.onnx", ["x.onnx"], {"sweep": ["inputs=a.npz,b.npz"]}),
        ("a.py --quick b.py --runtime ort c.py", ["a.py", "b.py", "c.py"], {"quick": True}),
        ("--sequence-file s.py x.py", ["x.py"], {"sequence_file": "s.py"}),
        ("--max-depth -1 x.py", ["x.py"], {"max_depth": -1}),
        ("--runtime ort -m package.module", ["-m package.module"], {"runtime": ["ort"]}),
        ("-d folder.py x.py", ["x.py"], {"cache_dir": "folder.py"}),
        ("race --precision fp32 fp16 x.py", ["x.py"], {"precision": ["fp32", "fp16"]}),
    ],
)
def test_files_may_stand_anywhere(words, files, options):
    found = vars(parse(words.split()))
    assert found["input_files"] == files
    assert options.items() <= found.items()


def test_script_arguments_stay_with_their_option():
    found = parse(["--script-args", "--a x.py", "--runtime", "ort", "y.py"])
    assert (found.script_args, found.input_files) == ("--a x.py", ["y.py"])


def test_builds_and_sides_may_stand_anywhere(tmp_path):
    found = parse(["cache", "benchmark", "--runtime", "ort", "torch-eager", "x_0123abcd"])
    assert (found.runtime, found.build_names) == (["ort", "torch-eager"], ["x_0123abcd"])
    found = parse(["compare", "--fail-on", "failed", str(tmp_path), str(tmp_path)])
    assert (found.fail_on, found.a, found.b) == (["failed"], str(tmp_path), str(tmp_path))
    found = parse(["models", "list", "--labels", "task=x", "timm"])
    assert (found.labels, found.names) == (["task=x"], ["timm"])


@pytest.mark.parametrize(
    ("word", "pair"),
    [
        ("a=b", ("a", "=", "b")),
        ("a::b", ("a", "::", "b")),
        ("a=b::c", ("a", "=", "b::c")),
        ("a::b=c", ("a", "::", "b=c")),
        ("a=b=c", ("a", "=", "b=c")),
        ("a:b", ("a:b", "", "")),
        ("=b", ("", "=", "b")),
    ],
)
def test_the_first_separator_splits_a_key_from_its_value(word, pair):
    assert split_pair(word) == pair


def test_both_separators_mean_the_same(tmp_path):
    arguments = settle(BenchmarkOptions, {"rt_args": ["a=1", "b::[x, y]", "c", "d=e::f"]})
    assert arguments["rt_args"] == {"a": "1", "b": ["x", "y"], "c": True, "d": "e::f"}
    assert parse_filter(["task=a,b", "task::c", "n=1"]) == {"task": ("a", "b", "c"), "n": ("1",)}
    for line in ("# labels: name=x group=a,b", "# labels: name::x group::a,b"):
        (tmp_path / "x.py").write_text(line)
        labels = read_labels(str(tmp_path / "x.py"))
        assert (labels.values, labels.malformed) == ({"name": ("x",), "group": ("a", "b")}, ())


@pytest.mark.parametrize("word", ["plain", "=x", "key=", "key::"])
def test_a_label_without_key_or_value_is_one_sentence(word):
    with pytest.raises(UsageError, match=r"A label must be key=value or key=value1,value2, not"):
        parse_filter([word])


@pytest.mark.parametrize(
    ("name", "models"),
    [
        ("resnet50", ["timm/resnet50", "torch_hub/resnet50"]),
        ("resnet5o", ["timm/resnet50", "torch_hub/resnet50"]),
        ("ResNet50", ["timm/resnet50", "torch_hub/resnet50"]),
        ("tmm/resnet50", ["timm/resnet50"]),
        ("tim", ["timm"]),
        ("qqqqqq", []),
    ],
)
def test_a_name_is_answered_with_shipped_models_that_can_be_typed(name, models):
    assert similar_names(name) == models
    for model in models:
        assert find_inputs([model])


@pytest.mark.parametrize(
    "words", ["resnet50", "benchmark resnet50", "race resnet50", "resnet50.py"]
)
def test_a_model_without_its_corpus_is_one_sentence(turnkey, words, tmp_path):
    done = turnkey(*words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith("Did you mean 'timm/resnet50' or 'torch_hub/resnet50'?\n")
    assert len(done.stderr.splitlines()) == 1


def test_files_of_the_folder_are_named_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "resnet50.py").touch()
    assert did_you_mean("resnet50") == " Did you mean 'resnet50.py'?"
    assert did_you_mean("resnet50.onnx") == " Did you mean 'resnet50.py'?"
    assert did_you_mean("resnt50.py") == " Did you mean 'resnet50.py'?"
    with pytest.raises(UsageError, match=re.escape("For shipped models, write '*/resnet1*'.")):
        find_inputs(["resnet1*"])


@pytest.mark.parametrize("base", ["", "folder/"])
def test_a_file_whose_name_has_the_separator_of_hashes_can_be_named(base, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("a::b.py", "a.py"):
        (tmp_path / base / name).write_text("")
    (tmp_path / base / "all.txt").write_text("a::b.py\na::b.py::0123abcd\na.py::0123abcd\n")

    def named(*words):
        return [(item.name, item.targets) for item in find_inputs(words)]

    expected = [("a::b.py", ()), ("a::b.py", ("0123abcd",)), ("a.py", ("0123abcd",))]
    words = [f"{base}a::b.py", f"{base}a::b.py::0123abcd", f"{base}a.py::0123abcd"]
    assert named(*words) == expected
    assert named(f"{base}all.txt") == expected
    assert named(f"./{base}a::b.py") == [("a::b.py", ())]
    assert all(map(is_input, words))
    assert [parse([word]).command for word in words] == ["benchmark"] * 3
    with pytest.raises(UsageError, match="the hash after '::' is missing"):
        find_inputs([f"{base}a.py::"])
    with pytest.raises(UsageError, match="File not found"):
        find_inputs([f"{base}c::d.py"])


def test_sentences_about_names_from_lists_have_no_control_characters(tmp_path):
    names = tmp_path / "models.txt"
    for entry in ("a\x01\x00.py::", "a*\x01\x00.py::24adc42f"):
        names.write_text(entry + "\n")
        with pytest.raises(UsageError) as error:
            find_inputs([str(names)])
        assert str(error.value).isprintable()
