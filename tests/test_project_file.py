"""``turnkey.toml`` and ``[tool.turnkey]``: defaults of a project for the command line."""

from __future__ import annotations

import itertools
import json

import pytest

from turnkeyml import list_builds
from turnkeyml.cli import Defaults, parse
from turnkeyml.errors import UsageError
from turnkeyml.options import COMMANDS, options_of


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository in whose sub-folder somebody works."""
    folder = tmp_path / "repository" / "inner"
    folder.mkdir(parents=True)
    (folder.parent / ".git").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TURNKEY_CACHE_DIR", raising=False)
    return folder.parent


def options(*words):
    parsed = parse([*words])
    defaults = Defaults(parsed)
    defaults.apply()
    return parsed, defaults


def test_the_command_line_comes_before_variables_files_and_defaults(project, monkeypatch):
    (project / "pyproject.toml").write_text(
        '[tool.turnkey]\nthreads = 1\nonnx-opset = 17\ncache_dir = "p"\nrebuild = "always"\n'
    )
    (project / "turnkey.toml").write_text('threads = 2\nonnx-opset = 18\ncache-dir = "t"\n')
    monkeypatch.setenv("TURNKEY_ONNX_OPSET", "19")
    found, defaults = options("x.py", "--verbose", "--threads", "3")
    assert found.threads == 3
    assert not hasattr(found, "onnx_opset")
    assert found.cache_dir == str(project / "t")
    assert found.rebuild == "always"
    assert not hasattr(found, "precision")
    lines = [" ".join(line.split()) for line in defaults.lines()]
    assert lines[1:-1] == [
        "--threads 3 command line",
        "--onnx-opset 19 TURNKEY_ONNX_OPSET",
        f"--rebuild always {project}/pyproject.toml (rebuild)",
        f"--cache-dir {project}/t {project}/turnkey.toml (cache-dir)",
        "--verbose command line",
    ]
    assert lines[-1].endswith("have their built-in defaults.")


def test_a_table_is_for_one_command_or_for_those_that_begin_with_it(project):
    (project / "turnkey.toml").write_text(
        'threads = 1\n[race]\nthreads = 2\nruntime = ["ort", "torch-eager"]\n'
        '[cache]\ncache-dir = "c"\n[cache.report]\nformat = ["csv", "html"]\n'
    )
    assert options("x.py")[0].threads == 1
    race = options("race", "x.py")[0]
    assert (race.threads, race.runtime) == (2, ["ort", "torch-eager"])
    assert options("cache", "report")[0].format == ["csv", "html"]
    assert not hasattr(options("cache", "list")[0], "format")
    assert options("cache", "list")[0].cache_dir == str(project / "c")
    assert not hasattr(options("x.py")[0], "cache_dir")


def test_lists_tables_switches_and_numbers(project):
    (project / "turnkey.toml").write_text(
        'quick = true\nlabels = ["a=b", "c=d"]\nbudget = 5\nmemory-limit = "8G"\n'
        "[rt-args]\nproviders = 'cpu'\n[input-shape]\nids = [1, 128]\n"
    )
    found = options("x.py")[0]
    assert found.quick is True
    assert found.labels == ["a=b", "c=d"]
    assert found.budget == 5
    assert found.rt_args == {"providers": "cpu"}
    assert found.input_shape == {"ids": [1, 128]}


def test_what_the_command_line_excludes_is_not_taken_from_a_file(project):
    (project / "turnkey.toml").write_text('quick = true\nbudget = 5\nsequence = "onnx-fp32"\n')
    found = options("x.py", "--iterations", "5", "--precision", "fp32")[0]
    assert not {"quick", "budget", "sequence"} & set(vars(found))


def test_a_value_of_one_type_is_for_the_commands_that_take_it(project):
    (project / "turnkey.toml").write_text('format = ["csv", "html"]\n')
    assert options("cache", "report")[0].format == ["csv", "html"]
    assert not hasattr(options("compare", "a", "b")[0], "format")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("thread = 1", "unknown key 'thread'; did you mean 'threads'?"),
        ("[racce]\nthreads = 1", "unknown key 'racce'; did you mean 'race'?"),
        ("[race]\njobs = 1", "unknown key 'race.jobs'."),
        ("[cache.reprot]\nx = 1", "unknown key 'cache.reprot'; did you mean 'report'?"),
        ("input-files = 'x.py'", "unknown key 'input-files'; did you mean 'inputs'?"),
        ("max-depth = '2'", "'max-depth' must be a whole number, not '2'."),
        ("max-depth = true", "'max-depth' must be a whole number, not True."),
        ("threads = true", "must be a whole number or a text or a list of texts, not True."),
        ("quick = 1", "'quick' must be true or false, not 1."),
        ("runtime = [1]", "'runtime' must be a text or a list of texts, not [1]."),
        ("threads = 0", "threads: The number of threads must be an integer of at least 1"),
        ("rebuild = 'maybe'", "rebuild: Unknown rebuild policy 'maybe'; choose from:"),
        ("yes = true", "'yes' has no default; give --yes on the command line."),
        ("threads = ", "is not valid TOML: "),
        pytest.param(
            f"threads = {'9' * 5000}", "is not valid TOML: Exceeds the limit", id="digits"
        ),
        pytest.param("threads = " + "[" * 5000, "it is nested too deeply", id="nested"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_with_file_and_key(project, turnkey, content, sentence):
    (project / "turnkey.toml").write_text(content)
    done = turnkey("x.py", cwd=project)
    assert done.returncode == 2
    assert f"{project}/turnkey.toml" in done.stderr
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_error_about_an_option_names_the_file_that_set_it(project, turnkey):
    (project / "turnkey.toml").write_text('runtime = "abacus"\n')
    (project / "x.py").touch()
    done = turnkey("x.py", cwd=project)
    assert done.returncode == 2
    assert "Unknown runtime 'abacus'" in done.stderr
    assert done.stderr.rstrip().endswith(f"({project}/turnkey.toml sets runtime.)")


def test_nothing_above_the_repository_or_outside_of_one_is_read(project, tmp_path, monkeypatch):
    (tmp_path / "turnkey.toml").write_text("threads = 1\n")
    assert not hasattr(options("x.py")[0], "threads")
    (tmp_path / "bare" / "inner").mkdir(parents=True)
    (tmp_path / "bare" / "turnkey.toml").write_text("threads = 2\n")
    monkeypatch.chdir(tmp_path / "bare" / "inner")
    assert not hasattr(options("x.py")[0], "threads")
    monkeypatch.chdir(tmp_path / "bare")
    assert options("x.py")[0].threads == 2


def test_a_pyproject_without_a_table_of_ours_is_passed_over(project):
    (project / "pyproject.toml").write_text("[tool.turnkey]\nthreads = 4\n")
    (project / "inner" / "pyproject.toml").write_text('[project]\nname = "turnkey-scripts"\n')
    assert options("x.py")[0].threads == 4


def test_the_functions_of_python_do_not_read_it(project):
    (project / "turnkey.toml").write_text("nonsense = 1\n")
    assert list_builds(cache_dir=project / "none") == []


def test_every_command_reads_it_and_version_does_not(project, turnkey):
    (project / "turnkey.toml").write_text('cache-dir = "there"\n')
    environment = {"TURNKEY_CACHE_DIR": ""}
    done = turnkey("cache", "location", "--json", cwd=project / "inner", env=environment)
    assert json.loads(done.stdout)["cache_dir"] == str(project / "there")
    (project / "turnkey.toml").write_text("nonsense = 1\n")
    assert turnkey("version", cwd=project).returncode == 0
    assert turnkey("cache", "list", cwd=project).returncode == 2


def test_no_option_has_the_name_of_a_command():
    words = set(itertools.chain.from_iterable(command.split() for command in COMMANDS))
    names = {n for command in COMMANDS for n in options_of(*COMMANDS[command])}
    assert not names & {word.replace("-", "_") for word in words}


def test_selections_for_deletion_cannot_be_set():
    for command in ("cache delete", "cache clean"):
        free = [o.name for o in options_of(*COMMANDS[command]).values() if o.in_file]
        assert sorted(free) == ["build_names", "cache_dir"]


def test_a_file_that_is_not_text_is_one_sentence(project):
    (project / "turnkey.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"turnkey.toml is not UTF-8 text\."):
        options("x.py")
