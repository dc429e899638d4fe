"""Shell completion, asked in the way in which real shells ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fabricated import fabricate
from turnkeyml.cli import COMMANDS as WORDS
from turnkeyml.options import COMMANDS, options_of
from turnkeyml.runtimes import all_runtimes, local_devices

BIN = str(Path(sys.executable).parent)
SEPARATOR = "\x0b"
ASK = """
eval "$(turnkey completion bash)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMPREPLY=()
_python_argcomplete turnkey
printf '%s\\n' "${COMPREPLY[@]}"
"""


def shell(name):
    """Skips where a shell is not installed, unless it has to be."""
    missing = shutil.which(name) is None and not os.environ.get("TURNKEY_REQUIRE_SHELLS")
    return pytest.mark.skipif(missing, reason=f"{name} is not installed")


@pytest.fixture
def environment(tmp_path, cache, monkeypatch):
    """A working folder with a script, a cache with a build, and turnkey on the path."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "mine.py").touch()
    (tmp_path / "scripts" / "notes.md").touch()
    fabricate(cache, "mine_0123abcd")
    monkeypatch.chdir(tmp_path)
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TURNKEY_CACHE_DIR": str(cache)}


def answer(line, environment):
    """What turnkey tells a shell, without a shell."""
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1"}
    asked |= {"_ARGCOMPLETE_IFS": SEPARATOR, "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    done = subprocess.run(
        ["bash", "-c", "turnkey 8>&1 9>/dev/null 1>/dev/null"],
        env={**environment, **asked},
        capture_output=True,
        text=True,
    )
    return done.stdout.split(SEPARATOR)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("turnkey sys", ["system-info"]),
        ("turnkey cache loc", ["location"]),
        ("turnkey cache stats mi", ["mine_0123abcd"]),
        ("turnkey scripts/", ["scripts/mine.py"]),
        ("turnkey race scripts/m", ["scripts/mine.py"]),
        ("turnkey --runtime ort scripts/m", ["scripts/mine.py"]),
        ("turnkey torch_hub/resnet5", ["torch_hub/resnet50"]),
        ("turnkey x.py --preci", ["--precision"]),
        ("turnkey x.py --rebuild n", ["never"]),
        ("turnkey x.py --sequence onnx", ["onnx-fp32"]),
        ("turnkey models list selft", ["selftest", "selftest/"]),
        ("turnkey completion z", ["zsh"]),
        ("turnkey x.py --sequence-file scripts/n", ["scripts/notes.md"]),
        ("turnkey nothing/like/this", []),
    ],
)
def test_bash_completes(environment, line, words):
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", line], env=environment, capture_output=True, text=True
    )
    assert [word.rstrip() for word in done.stdout.splitlines() if word] == words, done.stderr


@shell("fish")
def test_fish_completes(environment):
    ask = "turnkey completion fish | source; complete -C 'turnkey cache stats mi'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", ask], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["mine_0123abcd"], done.stderr


@shell("zsh")
def test_zsh_completes(environment):
    import pty
    import select

    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment, "TERM": "dumb", "PS1": "> "})
    shown = b""

    def wait_for(text: bytes) -> bool:
        nonlocal shown
        end = time.monotonic() + 60
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                shown += os.read(terminal, 65536)
        return text in shown

    setup = (
        b'autoload -U compinit; compinit -u -D; eval "$(turnkey completion zsh)"; echo re""ady\n'
    )
    assert wait_for(b"> ")
    os.write(terminal, setup)
    assert wait_for(b"ready"), shown
    os.write(terminal, b"turnkey cache stats mi\t")
    assert wait_for(b"mine_0123abcd"), shown
    os.write(terminal, b"\x15exit\n")
    os.waitpid(child, 0)
    os.close(terminal)


def test_every_command_is_offered(environment):
    assert set(WORDS) <= set(answer("turnkey ", environment))
    for command, actions in WORDS.items():
        if isinstance(actions, dict):
            assert set(answer(f"turnkey {command} ", environment)) == set(filter(None, actions))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_offered(environment, command):
    declared = [o for o in options_of(*COMMANDS[command]).values() if not o.positional]
    offered = {word.rstrip() for word in answer(f"turnkey {command} --", environment) if word}
    assert offered == {"--help", *(option.spelling for option in declared)}


def test_every_runtime_is_offered(environment):
    known = {r.name for device in local_devices() for r in all_runtimes(device.name)}
    assert set(answer("turnkey x.py --runtime ", environment)) == known


def test_build_names_come_from_the_cache_that_is_named(environment, tmp_path):
    fabricate(tmp_path / "other", "theirs_0123abcd")
    assert answer("turnkey cache stats -d other ", environment) == ["theirs_0123abcd"]
    assert answer("turnkey cache stats -d none ", environment) == [""]


def test_what_is_offered_needs_neither_torch_nor_onnx(environment):
    line = "turnkey x.py --runtime "
    code = (
        "import os, sys, atexit\n"
        "os._exit = sys.exit\n"
        "atexit.register(lambda: print({'torch', 'onnx', 'numpy'} & set(sys.modules)))\n"
        "from turnkeyml.cli.entry import main; main()"
    )
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1"}
    done = subprocess.run(
        ["bash", "-c", 'exec 8>/dev/null 9>/dev/null; exec "$0" -c "$1"', sys.executable, code],
        env={**environment, **asked},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "set()", done.stderr


def test_an_unknown_shell_is_one_sentence(turnkey):
    done = turnkey("completion", "tcsh")
    assert done.returncode == 2
    assert "Unknown shell 'tcsh'; choose from: bash, zsh, fish." in done.stderr
    assert "no SHELL given" in turnkey("completion").stderr
