"""The command line: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import turnkeyml
from tests.terminal import read_terminal

from .conftest import EXAMPLES

SCRIPTS = EXAMPLES / "scripts"


def test_version_and_help_do_not_import_torch():
    for words, wanted in (
        (["version"], []),
        (["--help"], []),
        (["benchmark", "--help"], []),
        (["race", "--help"], []),
        (["cache", "benchmark", "--help"], []),
        (["cache", "list"], []),
        (["system-info"], ["numpy"]),  # it measures the noise floor
    ):
        check = (
            "import sys\n"
            f"sys.argv = ['turnkey', *{words}]\n"
            "from turnkeyml.cli.entry import main\n"
            "try: main()\n"
            "finally: print([m for m in ('torch', 'numpy', 'rich') if m in sys.modules])"
        )
        found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
        assert found.stdout.splitlines()[-1] == str(wanted), found.stderr


def test_version(turnkey):
    result = turnkey("version")
    assert (result.returncode, result.stdout) == (0, f"{turnkeyml.__version__}\n")


def test_every_option_is_in_the_help(turnkey):
    text = turnkey("benchmark", "--help").stdout
    documented = (
        "device runtime iterations analyze-only build-only script-args max-depth onnx-opset "
        "sequence rebuild lean-cache cache-dir process-isolation timeout"
    )
    for option in documented.split():
        assert f"--{option}" in text


def test_the_documented_scripts_and_their_documented_hashes(turnkey):
    result = turnkey(*sorted(SCRIPTS.glob("*.py")), "--iterations", 5)
    assert result.returncode == 0, result.stderr
    text = result.stdout
    assert re.findall(r"Hash: +(\w+)", text) == [
        "24adc42f",
        "735ad10b",
        "7ebbe8c4",
        "ef80819e",
        "d5267eaf",
        "f93db89f",
        "c69b7dea",
    ]
    assert text.count("Successfully benchmarked on") == 7
    assert text.splitlines()[-1] == "Woohoo! The 'benchmark' command is complete."
    assert "\x1b" not in text + result.stderr


def test_the_listing_is_the_documented_one(turnkey, cache):
    result = turnkey(SCRIPTS / "multiple_invocations.py", "--analyze-only")
    text = re.sub(r"- \d+\.\d\ds", "- 0.00s", result.stdout)
    assert text.endswith(
        f"""
Models discovered during profiling:

multiple_invocations.py:
        pytorch_model
                Model Type:     Pytorch (torch.nn.Module)
                Class:          SmallModel (<class '__main__.SmallModel'>)
                Location:       {SCRIPTS / "multiple_invocations.py"}, line 29
                Parameters:     65 (260.0 B)

                With input shape 1 (executed 2x - 0.00s)
                Input Shape:    'x': (1, 12)
                Hash:           ef80819e

                With input shape 2 (executed 1x - 0.00s)
                Input Shape:    'x': (2, 12)
                Hash:           d5267eaf

Woohoo! The 'benchmark' command is complete.
"""
    )
    assert not cache.exists()


def test_sub_models_are_listed_below_their_parent(turnkey):
    text = turnkey(SCRIPTS / "max_depth.py", "--max-depth", 1, "--analyze-only").stdout
    assert "\n        pytorch_model (executed 1x" in text
    assert "\n                        fc (executed 1x" in text
    assert "\n                        fc2 (executed 1x" in text


def test_a_hash_selects_one_model(turnkey):
    text = turnkey(f"{SCRIPTS / 'two_models.py'}::c69b7dea", "--iterations", 5).stdout
    assert text.count("Hash:") == 2
    assert text.count("Status:") == 1
    assert text.index("c69b7dea") < text.index("Status:")


def test_an_unknown_hash_lists_the_known_ones(turnkey):
    result = turnkey(f"{SCRIPTS / 'two_models.py'}::00000000", "--analyze-only")
    assert result.returncode == 1
    assert "No model has the hash 00000000; there are: f93db89f, c69b7dea." in result.stdout


def test_an_onnx_file_is_measured_as_it_is(turnkey, cache):
    result = turnkey(EXAMPLES / "onnx" / "sample.onnx", "--iterations", 5)
    assert result.returncode == 0, result.stderr
    assert "Mean Latency:" in result.stdout
    (folder,) = cache.glob("sample_*")
    original = (EXAMPLES / "onnx" / "sample.onnx").read_bytes()
    assert (folder / "onnx" / "sample.onnx").read_bytes() == original
    assert (folder / "log_receive_onnx.txt").exists()


@pytest.mark.parametrize("content", [b"not a model", b""])
def test_a_file_that_is_no_onnx_is_one_sentence(turnkey, tmp_path, content):
    (tmp_path / "bad.onnx").write_bytes(content)
    result = turnkey(tmp_path / "bad.onnx")
    assert result.returncode == 1
    assert "bad.onnx is not a valid ONNX file" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.py"], "File not found: 'missing.py'."),
        (["*.nothing"], "No .py, .onnx or .txt file matches '*.nothing'."),
        ([str(SCRIPTS)], "is a directory"),
        ([__file__.replace("test_cli.py", "../README.md")], "is not a .py, .onnx or .txt file"),
        (["benchmrk", "x.py"], "Did you mean 'benchmark'?"),
        ([], "no file or command given; see 'turnkey --help'"),
        (["--runtime", "ort", "hello"], "no FILE given; name FILE before the options."),
        (["benchmark"], "no FILE given; name FILE before the options."),
        (["compare", "--fail-on", "failed", "a", "b"], "no A and B given"),
        (["compare", "a", "--fail-on", "failed", "b"], "no B given"),
        (["cache", "stats"], "no BUILD given; name BUILD before the options."),
        ([str(SCRIPTS / "hello_world.py"), "--runtime", "ortt"], "Unknown runtime 'ortt'"),
        ([str(SCRIPTS / "hello_world.py"), "--device", "abacus"], "Unknown device 'abacus'"),
        ([str(SCRIPTS / "hello_world.py"), "--sequence", "x"], "Unknown sequence 'x'"),
        ([str(SCRIPTS / "hello_world.py"), "--rebuild", "maybe"], "Unknown rebuild policy"),
        (
            [str(SCRIPTS / "hello_world.py"), "--iterations", "0"],
            "must be an integer of at least 1",
        ),
        ([str(SCRIPTS / "hello_world.py"), "--iterations", "many"], "invalid int value: 'many'"),
        (
            [str(SCRIPTS / "hello_world.py"), "--max-depth", "-1"],
            "must be an integer of at least 0",
        ),
        (
            [str(SCRIPTS / "hello_world.py"), "--onnx-opset", "0"],
            "must be an integer of at least 1",
        ),
        (
            [str(SCRIPTS / "hello_world.py"), "--timeout", "0"],
            "must be a number of seconds above 0",
        ),
        (
            [str(SCRIPTS / "hello_world.py"), "--iteratons", "5"],
            "unrecognized arguments: --iteratons 5. See 'turnkey benchmark --help'.",
        ),
        (["cache", "list", "--al"], "unrecognized arguments: --al. See 'turnkey cache list --"),
        ([str(SCRIPTS / "hello_world.txt")], f"Did you mean '{SCRIPTS / 'hello_world.py'}'?"),
        (
            [str(SCRIPTS / "hello_world.py"), "--script-args", "'open"],
            "Cannot split the script arguments",
        ),
        ([str(SCRIPTS / "hello_world.py"), "-d", __file__], "is not a directory"),
        ([str(SCRIPTS / "hello_world.py"), "--analyze-only", "--build-only"], "not allowed with"),
        (
            [str(SCRIPTS / "hello_world.py"), "--precision", "fp16", "--sequence", "onnx-fp32"],
            "argument --sequence: not allowed with argument --precision",
        ),
        ([str(SCRIPTS / "hello_world.py"), "--precision", "fp7"], "Unknown precision 'fp7'"),
        (["cache", "report", "--format", "pigeon"], "Unknown format 'pigeon'; choose from: "),
        (["compare", "a", "b", "--format", "pigeon"], "Unknown format 'pigeon'; choose from: "),
        (["compare", "a", "b", "--fail-on", "slow"], "Unknown --fail-on condition 'slow'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_status_2(turnkey, words, sentence):
    result = turnkey(*words)
    assert result.returncode == 2, result.stdout + result.stderr
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TURNKEY_ONNX_OPSET", "new"),
        ("TURNKEY_TIMEOUT_SECONDS", "an hour"),
        ("TURNKEY_DEBUG", "perhaps"),
        ("TURNKEY_TRACEBACK", "2"),
        ("TURNKEY_BUILD_MONITOR", "x"),
    ],
)
def test_a_malformed_variable_is_one_sentence_and_exit_status_2(turnkey, variable, value):
    result = turnkey(SCRIPTS / "hello_world.py", "--process-isolation", env={variable: value})
    assert result.returncode == 2
    assert variable in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_script_without_models_fails_when_one_was_to_be_measured(turnkey, script):
    path = script("print('no model here')")
    assert turnkey(path, "--analyze-only").returncode == 0
    result = turnkey(path)
    assert result.returncode == 1
    assert "No model was found" in result.stdout
    assert "Woohoo" not in result.stdout


def test_models_called_before_a_failure_are_measured_and_the_failure_is_told(turnkey, script):
    path = script("model = SmallModel(); model(torch.rand(4)); raise KeyError('gone')")
    result = turnkey(path, "--iterations", 5)
    assert result.returncode == 1
    assert "Mean Latency:" in result.stdout
    assert "The script failed: KeyError: 'gone'" in result.stdout
    assert "Traceback (most recent call last)" in result.stderr
    quiet = turnkey(path, "--iterations", 5, env={"TURNKEY_TRACEBACK": "False"})
    assert "Traceback" not in quiet.stderr + quiet.stdout


def test_one_bad_script_does_not_cost_the_others(turnkey, script):
    bad = script("import os; os.abort()", "bad.py")
    result = turnkey(bad, SCRIPTS / "hello_world.py", "--iterations", 5)
    assert result.returncode == 1
    assert "killed by signal 6 (SIGABRT)" in result.stdout
    assert "Mean Latency:" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("it failed for: bad.py.")


def test_a_script_that_kills_our_processes_costs_only_itself(turnkey, script):
    bad = script("import os; SmallModel()(torch.rand(4)); os.kill(os.getppid(), 9)", "bad.py")
    result = turnkey(bad, SCRIPTS / "hello_world.py", "--iterations", 5)
    assert result.returncode == 1
    assert "SmallModel (" in result.stdout
    assert "Mean Latency:" in result.stdout
    assert "Traceback" not in result.stderr


def test_files_beside_the_script_do_not_shadow_what_we_import(turnkey, script, tmp_path):
    for name in ("onnx", "yaml", "filelock", "onnxruntime"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not for you')")
    result = turnkey(script("SmallModel()(torch.rand(4))"), "--iterations", 5)
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_unfinished_last_line_of_the_script_is_kept(cache, script):
    text = in_terminal(cache, script("SmallModel()(torch.rand(4)); print('RESULT=42', end='')"))
    assert "RESULT=42\r\n" in text


def test_a_build_that_fails_is_told_and_the_others_go_on(turnkey, script):
    path = script(
        """
        class Stubborn(SmallModel):
            def forward(self, x):
                fake = isinstance(x, torch._subclasses.FakeTensor)
                if torch.jit.is_tracing() or torch.compiler.is_compiling() or fake:
                    raise RuntimeError("no export")
                return self.fc(x)
        stubborn = Stubborn(); stubborn(torch.rand(4))
        willing = SmallModel(); willing(torch.rand(4))
        """
    )
    result = turnkey(path, "--iterations", 5)
    assert result.returncode == 1
    assert "Status:         export_pytorch (the first stage) failed" in result.stdout
    assert result.stdout.count("Mean Latency:") == 1


def test_a_timeout_ends_the_input_and_says_where(turnkey, script):
    path = script("model = SmallModel(); model(torch.rand(4)); import time; time.sleep(600)")
    begin = time.monotonic()
    result = turnkey(path, SCRIPTS / "hello_world.py", "--timeout", 6, "--iterations", 5)
    assert time.monotonic() - begin < 60
    assert result.returncode == 1
    assert "timeout after 6 s while the script ran" in result.stdout
    assert "model (" in result.stdout
    assert "Mean Latency:" in result.stdout


def test_an_interrupt_leaves_no_process_and_exits_130(cache, script):
    path = script("import time, os; print(os.getpid(), flush=True); time.sleep(600)")
    run = subprocess.Popen(
        [sys.executable, "-m", "turnkeyml", str(path), "-d", str(cache)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    pid = int(run.stdout.readline())
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "interrupted" in errors
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_killing_the_tool_ends_its_script_too(cache, script):
    path = script("import time, os; print(os.getpid(), flush=True); time.sleep(600)")
    run = subprocess.Popen(
        [sys.executable, "-m", "turnkeyml", str(path), "-d", str(cache)],
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = int(run.stdout.readline())
    run.kill()
    run.wait()
    deadline = time.monotonic() + 20
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not os.path.exists(f"/proc/{pid}")


def test_output_of_the_script_passes_through_untouched(turnkey, script):
    path = script(
        """
        import sys, subprocess
        sys.stdout.buffer.write(b"\\xff\\xfe raw\\n"); sys.stdout.flush()
        print("to stderr", file=sys.stderr)
        subprocess.run(["echo", "from a child"])
        print("asked:", input())
        model = SmallModel(); model(torch.rand(4))
        """
    )
    result = turnkey(path, "--analyze-only", input="an answer\n")
    assert "\ufffd\ufffd raw" in result.stdout
    assert "from a child" in result.stdout
    assert "asked: an answer" in result.stdout
    assert "to stderr" in result.stderr


def test_the_monitor_can_be_turned_off(turnkey):
    words = (SCRIPTS / "hello_world.py", "--build-only")
    assert "export_pytorch took" in turnkey(*words).stderr
    silent = turnkey(*words, "--rebuild", "always", env={"TURNKEY_BUILD_MONITOR": "False"})
    assert silent.stderr == ""
    assert "Model successfully built!" in silent.stdout


def test_the_cache_is_listed_printed_and_reported(turnkey, tmp_path, cache):
    turnkey(SCRIPTS / "hello_world.py", "--runtime", "ort", "torch-eager", "--iterations", 5)
    assert "hello_world_24adc42f" in turnkey("cache", "list").stdout
    printed = turnkey("cache", "stats", "hello_world_24adc42f").stdout
    assert "  sequence:\n  - export_pytorch\n  - optimize_onnx\n  - set_success" in printed
    assert "mean_latency:" in printed
    assert turnkey("cache", "stats", "nothing").returncode == 1
    assert str(cache) in turnkey("cache", "location").stdout
    assert turnkey("cache", "report", "-r", tmp_path / "reports").returncode == 0
    (report,) = (tmp_path / "reports").glob("*.csv")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d\.csv", report.name)
    rows = list(csv.DictReader(report.open()))
    assert [r["runtime"] for r in rows] == ["ort", "torch-eager"]
    assert {r["verdict"] for r in rows} == {"match"}
    assert all(float(r["mean_latency"]) > 0 for r in rows)


@pytest.mark.slow
def test_every_runtime_measures_the_same_model(turnkey):
    words = ("--runtime", "ort", "torch-eager", "torch-compiled", "--iterations", 5)
    result = turnkey(SCRIPTS / "hello_world.py", *words)
    assert result.returncode == 0, result.stdout + result.stderr
    for runtime in ("ort", "torch-eager", "torch-compiled"):
        assert f"({runtime} v" in result.stdout


def in_terminal(cache, *words):
    """What a terminal shows."""
    command = [sys.executable, "-m", "turnkeyml", *map(str, words), "--iterations", "5"]
    code, shown = read_terminal(command, TURNKEY_CACHE_DIR=str(cache), TERM="xterm")
    assert code == 0
    return shown


def test_a_terminal_gets_a_live_view_and_a_pipe_does_not(cache):
    text = in_terminal(cache, SCRIPTS / "hello_world.py")
    assert "Running hello_world.py (1 of 1)" in text
    assert "Exporting PyTorch to ONNX" in text
    assert "Measuring with ort" in text
    assert "Mean Latency:" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


def test_system_info_is_a_table(turnkey):
    result = turnkey("system-info")
    assert result.returncode == 0, result.stderr
    assert f"turnkey      {turnkeyml.__version__}" in result.stdout
    assert re.search(r"^device +runtime +version +usable here$", result.stdout, re.MULTILINE)
    assert re.search(r"^x86 \(default\) +ort +[\d.]+ +yes$", result.stdout, re.MULTILINE)


def test_verbose_is_understood_where_measurements_are_shown(turnkey, cache):
    result = turnkey(SCRIPTS / "hello_world.py", "--iterations", 5, "--verbose")
    assert result.returncode == 0, result.stderr
    again = turnkey("cache", "benchmark", "--all", "--iterations", 5, "--verbose")
    assert again.returncode == 0, again.stderr
    assert turnkey("compare", cache, cache, "--verbose").returncode == 0
