"""Whether another environment has what runtimes need."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from turnkeyml import interpreter
from turnkeyml.errors import MeasureError, TurnkeyError, UsageError
from turnkeyml.nouns import Place
from turnkeyml.runtimes.contract import Need, Runtime
from turnkeyml.system.interpreters import Interpreter, examine

__all__ = ["require_elsewhere", "require_files"]

READY = "turnkeyml.runtimes.ready"
SECONDS = 120
"""How long a check may take."""
NUMPY = Need(module="numpy", install="pip install numpy")


def require_files(runtimes: Sequence[Runtime]) -> None:
    """Raise a usage error if a runtime needs the process of the script."""
    live = [runtime.name for runtime in runtimes if not runtime.measures_files]
    if live:
        verb, them = ("measures", "it") if len(live) == 1 else ("measure", "them")
        raise UsageError(
            f"{' and '.join(live)} {verb} the live model in the process of its script, which "
            f"--python does not change; leave {them} out of --runtime."
        )


def require_elsewhere(places: Sequence[Place], runtimes: Sequence[Runtime]) -> None:
    """Raise an error if a place lacks an interpreter, numpy, or what one of the runtimes needs."""
    needs = [need for runtime in runtimes for need in runtime.needs]
    modules = dict.fromkeys(module for need in (NUMPY, *needs) for module in need.modules)
    for place in places:
        found = examine(place.python, modules)
        _check(found, "turnkey", (NUMPY,))
        for runtime in runtimes:
            _check(found, f"the runtime {runtime.name}", runtime.needs)
            _check_device(place.python, runtime)


def _check_device(python: str, runtime: Runtime) -> None:
    """Let a runtime check its device under the other interpreter, where its libraries are."""
    if type(runtime).check is Runtime.check:
        return
    try:
        done = subprocess.run(
            interpreter.command(READY, runtime.name, runtime.device, python=python),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=interpreter.surroundings(python),
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise MeasureError(
            f"{python} did not say within {SECONDS} s whether it can use "
            f"{runtime.device}; is the device busy?"
        ) from None
    obstacle = _answer(done)
    if obstacle is not None:
        raise MeasureError(
            f"The runtime {runtime.name} cannot be used on {runtime.device} with {python}: "
            f"{obstacle}"
        )


def _answer(done: subprocess.CompletedProcess[str]) -> str | None:
    """What the check found in the way; None if nothing."""
    try:
        obstacle = json.loads(done.stdout.splitlines()[-1])["obstacle"]
    except (IndexError, ValueError, TypeError, KeyError):
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return f"its check failed ({said[:300]})."
    return None if obstacle is None else str(obstacle)


def _check(found: Interpreter, who: str, needs: Sequence[Need]) -> None:
    for need in needs:
        if need.module and found.modules.isdisjoint(need.modules):
            install = need.install
            if install.startswith("pip "):
                install = f"run '{found.path} -m {install}'"
            raise TurnkeyError(
                f"{found.path} does not have the Python module {need.module}, which {who} needs; "
                f"{install}."
            )
