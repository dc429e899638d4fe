"""The environment variables."""

from __future__ import annotations

import os
import pty
import subprocess

import onnx
import pytest
import torch

from turnkeyml import build_model

from .promises import promise

FAILING = """
from turnkeyml import Sequence, Stage

class Refuse(Stage):
    name = "refuse"

    def fire(self, bench):
        raise RuntimeError("no build today")

def get_sequence():
    return Sequence("failing", [Refuse()])
"""


@pytest.fixture(scope="module")
def failing(reader):
    """A build that fails, told with and without tracebacks."""
    path = reader.root / "failing.py"
    path.write_text(FAILING)
    line = f"turnkey scripts/hello_world.py --sequence-file {path} --build-only -d failing"
    return reader.types(line), reader.types(line, env={"TURNKEY_TRACEBACK": "False"})


@pytest.fixture(scope="module")
def terminals(reader):
    """What a terminal receives, by default and with TURNKEY_DEBUG."""
    return [_in_terminal(reader, {}), _in_terminal(reader, {"TURNKEY_DEBUG": "True"})]


def _in_terminal(reader, env: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        ["turnkey", "scripts/hello_world.py", "--build-only", "--rebuild", "always"],
        cwd=reader.cli,
        stdout=theirs,
        stderr=theirs,
        env={**reader.environment, "TERM": "xterm", "TURNKEY_CACHE_DIR": "terminal", **env},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert run.wait() == 0
    return shown.decode(errors="replace")


@promise("tools", "The traceback of a failed build is shown by default")
def test_tracebacks_are_shown_by_default(failing):
    shown, _ = failing
    assert shown.status == 1
    assert "Traceback (most recent call last)" in shown.out + shown.err


@promise("tools", "TURNKEY_TRACEBACK=False shows a simple message in the status instead")
def test_tracebacks_can_be_turned_off(failing):
    _, quiet = failing
    assert quiet.status == 1
    assert "Traceback" not in quiet.out + quiet.err
    assert "Status:" in quiet.out
    assert "no build today" in quiet.out


@promise("tools", "By default the terminal is cleared of progress for a clean status")
def test_the_terminal_is_cleared(terminals):
    assert "\x1b[2K" in terminals[0]


@promise("tools", "TURNKEY_DEBUG=True keeps everything that was printed")
def test_debug_keeps_everything(terminals):
    assert "\x1b[2K" not in terminals[1]
    assert "\x1b[1A" not in terminals[1]
    assert "export_pytorch took" in terminals[1]


@promise("tools", "TURNKEY_ONNX_OPSET sets the default opset")
def test_the_variable_sets_the_opset(cache, monkeypatch):
    monkeypatch.setenv("TURNKEY_ONNX_OPSET", "16")
    build_model(torch.nn.Linear(2, 2), (torch.rand(2),), build_name="b", cache_dir=str(cache))
    for file in cache.rglob("*.onnx"):
        assert next(o.version for o in onnx.load(file).opset_import if not o.domain) == 16


@promise("tools", "The default opset is turnkeyml.common.build.DEFAULT_ONNX_OPSET")
def test_the_default_opset(made, state):
    from turnkeyml.common.build import DEFAULT_ONNX_OPSET

    config = state(made / "max_depth_7ebbe8c4")["config"]
    assert config["onnx_opset"] == DEFAULT_ONNX_OPSET


@promise("tools", "A monitor shows the progress through the stages of a build")
def test_the_monitor_shows_the_stages(all_scripts):
    for stage in ("export_pytorch", "optimize_onnx", "set_success"):
        assert f"24adc42f: {stage} took" in all_scripts.err


@promise("tools", "TURNKEY_BUILD_MONITOR=False turns the monitor off")
def test_the_monitor_can_be_turned_off(reader, tmp_path, capfd, monkeypatch):
    env = {"TURNKEY_BUILD_MONITOR": "False"}
    ran = reader.types(f"turnkey scripts/hello_world.py --build-only -d {tmp_path}", env=env)
    assert (ran.status, ran.err) == (0, "")
    monkeypatch.setenv("TURNKEY_BUILD_MONITOR", "False")
    build_model(torch.nn.Linear(2, 2), (torch.rand(2),), build_name="b", cache_dir=str(tmp_path))
    assert capfd.readouterr() == ("", "")


@promise("ours", "A malformed variable is told in one sentence, with status 2")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TURNKEY_ONNX_OPSET", "latest"),
        ("TURNKEY_TIMEOUT_SECONDS", "1800 seconds"),
        ("TURNKEY_DEBUG", "perhaps"),
        ("TURNKEY_TRACEBACK", "2"),
        ("TURNKEY_BUILD_MONITOR", "x"),
    ],
)
def test_a_malformed_variable(reader, variable, value):
    line = "turnkey scripts/hello_world.py --process-isolation --build-only"
    ran = reader.types(line, env={variable: value})
    assert (ran.status, ran.out) == (2, "")
    assert variable in ran.err
    assert len(ran.err.strip().splitlines()) == 1
