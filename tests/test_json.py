"""``--json``: one document on standard output that its schema describes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from turnkeyml.report import SCHEMA, document_schema, make_document, to_json

from .conftest import EXAMPLES

SCHEMA_FILE = Path(__file__).parent.parent / "docs" / "turnkey.schema.json"
BUILD = "hello_world_24adc42f"


class Runner:
    """Runs commands on one cache and keeps the two streams apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "turnkeyml", *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, "TURNKEY_CACHE_DIR": str(self.cache)},
        )


@pytest.fixture(scope="module")
def turnkey(tmp_path_factory):
    return Runner(tmp_path_factory.mktemp("json"))


@pytest.fixture(scope="module")
def benchmarked(turnkey):
    scripts = [str(EXAMPLES / "scripts" / name) for name in ("hello_world.py", "two_models.py")]
    return turnkey("benchmark", *scripts, "--iterations", "12", "--json")


def validated(text: str) -> dict:
    document = json.loads(text)
    jsonschema.validate(document, document_schema())
    return document


def test_benchmark_prints_one_document_and_nothing_else(benchmarked):
    document = validated(benchmarked.stdout)
    assert (document["schema"], document["command"], document["ok"]) == (SCHEMA, "benchmark", True)
    hello, two = document["results"]
    assert len(two["invocations"]) == 2
    (evaluation,) = hello["invocations"][0]["evaluations"]
    assert evaluation["performance"]["iterations"] == 12
    assert evaluation["conditions"]["threads"] >= 1


def test_what_scripts_and_we_print_goes_to_standard_error(benchmarked):
    assert "pytorch_outputs: tensor" in benchmarked.stderr
    assert "Woohoo!" in benchmarked.stderr


def test_race_prints_its_table_as_data(turnkey, benchmarked):
    script = str(EXAMPLES / "scripts" / "hello_world.py")
    words = ("--runtime", "ort", "torch-eager", "--iterations", "30", "--json")
    document = validated(turnkey("race", script, *words).stdout)
    race = document["results"][0]["invocations"][0]["race"]
    assert [row["label"] for row in race["rows"]] == ["ort fp32", "torch-eager fp32"]
    assert race["baseline"] == "torch-eager fp32"


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("location",),
        ("stats", BUILD),
        ("print", "two_*"),
        ("benchmark", BUILD, "--iterations", "5"),
        ("report",),
    ],
)
def test_the_cache_commands_print_documents(turnkey, benchmarked, words):
    done = turnkey("cache", *words, "--json")
    document = validated(done.stdout)
    assert document["command"] == f"cache {words[0]}"
    assert document["ok"]


def test_compare_prints_a_document(turnkey, benchmarked):
    document = validated(turnkey("compare", "cache", "cache", "--json").stdout)
    verdicts = {row["verdict"] for row in document["comparison"]["rows"]}
    assert verdicts <= {"SAME", "UNCLEAR"}


def test_system_info_prints_a_document(turnkey):
    document = validated(turnkey("system-info", "--json").stdout)
    assert document["command"] == "system-info"
    assert document["system"]["devices"][0]["runtimes"]


def test_deleting_and_cleaning_say_what_they_did(turnkey, benchmarked):
    # The last to use the cache of this module.
    (build,) = validated(turnkey("cache", "clean", "two_models_c69b7dea", "--json").stdout)[
        "builds"
    ]
    assert build == {"name": "two_models_c69b7dea", "cleaned": True}
    (build,) = validated(turnkey("cache", "delete", "two_models_c69b7dea", "--json").stdout)[
        "builds"
    ]
    assert build == {"name": "two_models_c69b7dea", "deleted": True}


@pytest.mark.parametrize(
    ("words", "command", "status"),
    [
        (("nothing.py",), "benchmark", 2),
        (("cache", "stats", "nothing"), "cache stats", 1),
        (("race", "nothing.py", "--precision", "fp7"), "race", 2),
        (("compare", "nowhere", "nothing"), "compare", None),
    ],
)
def test_an_error_is_a_document_too(turnkey, words, command, status):
    done = turnkey(*words, "--json")
    document = validated(done.stdout)
    assert (document["command"], document["ok"]) == (command, False)
    assert document["error"]
    assert done.returncode == status if status else done.returncode in (1, 2)


def test_a_failing_script_is_in_the_document(turnkey, tmp_path):
    script = tmp_path / "broken.py"
    script.write_text("print('before')\nraise RuntimeError('on purpose')\n")
    done = turnkey(str(script), "--json")
    document = validated(done.stdout)
    assert done.returncode == 1
    assert not document["ok"]
    assert "on purpose" in document["results"][0]["script"]["error"]


def test_the_schema_in_the_documents_is_the_current_one():
    assert json.loads(SCHEMA_FILE.read_text()) == document_schema(), (
        "python -m turnkeyml.report.documents > docs/turnkey.schema.json"
    )


def test_the_schema_refuses_what_is_not_a_document():
    for broken in ({}, {"schema": "turnkey/0"}, make_document("dance", ok=True)):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, document_schema())


def test_what_is_not_finite_is_null():
    assert json.loads(to_json(make_document("x", ok=True, a=[float("inf")])))["a"] == [None]
