"""The older words: benchit, --search-dir, --all, report."""

from __future__ import annotations

import re
import shutil

import pytest

from .conftest import blocks, builds_in
from .promises import promise


@pytest.fixture(scope="module")
def hello(reader, all_scripts):
    return reader.types("benchit scripts/hello_world.py")


@pytest.fixture(scope="module")
def everything(reader, all_scripts):
    return reader.types("benchit benchmark --all --search-dir scripts --iterations 5")


def names(listing: str) -> list[str]:
    return re.findall(r"^(\S+\.py):$", listing, re.MULTILINE)


@promise("tutorial", "benchit measures the models in a script")
@promise("tutorial", "The model in the first example is pytorch_model of class SmallModel")
def test_hello_world(hello):
    assert hello.status == 0, hello.err
    assert re.search(r"\n        pytorch_model \(executed 1x", hello.out)
    assert "Class:          SmallModel" in hello.out
    assert hello.out.count("Mean Latency:") == 1


@promise("tutorial", "Every model in a script is found and measured")
@promise("tools", "Analysis finds several models in one script")
@promise("models", "A script may have several models, and all are measured")
@promise("tools", "Each model has a hash of its own, and analysis displays it")
def test_every_model_of_a_script(all_scripts):
    text = all_scripts.out.split("two_models.py:")[1]
    assert re.findall(r"\n        (\w+) \(executed 1x", text) == [
        "pytorch_model",
        "another_pytorch_model",
    ]
    assert text.count("Mean Latency:") == 2
    assert len(set(re.findall(r"Hash: +(\w{8})", text))) == 2


@promise("tutorial", "The hash of a model after :: selects it, as the older guide prints it")
@promise("discovery", "The hashes that the text of the guide names select models too")
def test_the_documented_model_hash_selects(reader):
    ran = reader.types("benchit benchmark scripts/two_models.py::215ca1e3 --iterations 5 -d old")
    assert ran.status == 0, ran.out + ran.err
    parts = blocks(ran.out)
    assert "Status:" not in parts["f93db89f"]
    assert "Mean Latency:" in parts["c69b7dea"]


@promise("tutorial", "--search-dir says in which folder the script is")
@promise("tutorial", "-s is short for --search-dir")
def test_search_dir(reader):
    place = f"{reader.cli / 'scripts' / 'hello_world.py'}, line 29"
    for option in ("--search-dir", "-s"):
        found = reader.types(f"benchit benchmark hello_world.py {option} scripts --analyze-only")
        assert found.status == 0, found.err
        assert names(found.out) == ["hello_world.py"]
        assert f"Location:       {place}" in found.out


@promise("tutorial", "--all measures all scripts of the --search-dir")
def test_all_scripts_of_a_folder(everything):
    assert everything.status == 0, everything.err
    assert {"hello_world.py", "two_models.py", "max_depth.py"} <= set(names(everything.out))
    assert everything.out.count("Mean Latency:") == 6


@promise("tutorial", "benchit cache list, stats and delete work on the cache of benchit")
def test_the_cache_commands(all_scripts, reader, filled_cache):
    assert "hello_world_24adc42f" in reader.types("benchit cache list").out
    shown = reader.types("benchit cache stats hello_world_24adc42f").out
    assert "build_status: successful_build" in shown
    ran = reader.types(f"benchit cache delete max_depth_7ebbe8c4 --cache-dir {filled_cache}")
    assert ran.status == 0, ran.err
    listed = reader.types(f"benchit cache list --cache-dir {filled_cache}").out
    assert "max_depth" not in listed


@promise("tutorial", "cache commands take {script}_{model hash}, as the older guide names builds")
def test_builds_by_the_hash_of_their_model(all_scripts, reader, filled_cache):
    shown = reader.types("benchit cache stats two_models_215ca1e3")
    assert shown.status == 0, shown.err
    assert "state of build two_models_c69b7dea in" in shown.out
    ran = reader.types(f"benchit cache delete max_depth_80b93950 --cache-dir {filled_cache}")
    assert ran.status == 0, ran.err
    assert [name for name in builds_in(filled_cache) if "max_depth" in name] == []
    other = reader.types("benchit cache stats two_models_80b93950")
    assert other.status == 1
    assert "did you mean two_models_c69b7dea or two_models_f93db89f?" in other.err


@promise("ours", "The help of benchit shows what benchit takes besides the options of turnkey")
def test_the_help_of_benchit(reader):
    assert re.search(r"\n    report +same as cache report\n", reader.types("benchit --help").out)
    shown = reader.types("benchit benchmark --help").out
    assert re.search(r"\n  -s DIR, --search-dir DIR\n", shown)
    assert re.search(r"\n  --all +every script", shown)
    assert "fp16 unless --sequence" in shown
    of_turnkey = reader.types("turnkey --help; turnkey benchmark --help").out
    assert not re.search(r"same as cache report|--search-dir|--all\b", of_turnkey)
    wrong = reader.types("benchit benchmark hello_world.py --search-dir")
    assert wrong.err == (
        "benchit: error: argument -s/--search-dir: expected one argument. "
        "See 'benchit benchmark --help'.\n"
    )


@promise("ours", "benchit is the same program as turnkey")
def test_the_same_program(reader):
    for line in ("version", "cache list", "cache location"):
        assert reader.types(f"benchit {line}") == reader.types(f"turnkey {line}")


@promise("models", "A model of a corpus is measured by its name and --search-dir")
@promise("tools", "The self test models are where the guide has them")
def test_one_model_of_a_corpus(reader):
    line = "benchit benchmark linear.py --search-dir selftest --iterations 5"
    ran = reader.types(line, folder=reader.models)
    assert ran.status == 0, ran.err
    assert ran.out.count("Mean Latency:") == 1


@promise("models", "A whole corpus is measured with --all, into a cache of its own")
@promise("models", "report --cache-dir makes a table of that cache alone")
def test_a_whole_corpus_and_its_report(reader):
    words = "--search-dir selftest --cache-dir selftest_results --iterations 5"
    ran = reader.types(f"benchit benchmark --all {words}", folder=reader.models)
    assert ran.status == 0, ran.err
    assert {"linear.py", "twolayer.py"} <= set(names(ran.out))
    folder = reader.root / "report_of_selftest"
    folder.mkdir()
    reported = reader.types(
        f"benchit report --cache-dir {reader.models / 'selftest_results'}", folder=folder
    )
    assert reported.status == 0, reported.err
    (report,) = folder.glob("*.csv")
    assert "linear_" in report.read_text()
    assert "hello_world" not in report.read_text()


@promise("models", "report makes a CSV table of everything in the cache")
def test_report(all_scripts, reader):
    folder = reader.root / "report_of_all"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    ran = reader.types("benchit report", folder=folder)
    assert ran.status == 0, ran.err
    (report,) = folder.glob("*.csv")
    assert "two_models_c69b7dea" in report.read_text()
