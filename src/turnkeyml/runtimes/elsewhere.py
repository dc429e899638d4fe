"""Whether another environment has what runtimes need."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from turnkeyml import interpreter
from turnkeyml.errors import MeasureError, TurnkeyError, UsageError
from turnkeyml.nouns import Place
from turnkeyml.runtimes.contract import Need, Runtime
from turnkeyml.system.hosts import examine_on
from turnkeyml.system.interpreters import Interpreter, examine

__all__ = ["require_elsewhere", "require_files"]

READY = "turnkeyml.runtimes.ready"
SECONDS = 120
"""How long a check may take."""
NUMPY = Need(module="numpy", install="pip install numpy")


def require_files(runtimes: Sequence[Runtime], option: str) -> None:
    """Raise a usage error about an option if a runtime needs the process of the script."""
    live = [runtime.name for runtime in runtimes if not runtime.measures_files]
    if live:
        verb, them = ("measures", "it") if len(live) == 1 else ("measure", "them")
        raise UsageError(
            f"{' and '.join(live)} {verb} the live model in the process of its script, which "
            f"{option} does not change; leave {them} out of --runtime."
        )


def require_elsewhere(places: Sequence[Place], runtimes: Sequence[Runtime]) -> None:
    """Raise an error if a place lacks an interpreter, numpy, or what one of the runtimes needs."""
    needs = [need for runtime in runtimes for need in _needs(runtime)]
    modules = dict.fromkeys(module for need in (NUMPY, *needs) for module in need.modules)
    for place in places:
        if place.host:
            found = examine_on(place.host, place.python, modules)
        elif place.python:
            found = examine(place.python, modules)
        else:
            _require_here(runtimes)
            continue
        _check(found, place.host, "turnkey", (NUMPY,))
        for runtime in runtimes:
            _check(found, place.host, f"the runtime {runtime.name}", _needs(runtime))
            if not place.host:
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


def _needs(runtime: Runtime) -> list[Need]:
    """What a runtime needs in another environment: if it is a plugin's, also the plugin."""
    package = type(runtime).__module__.partition(".")[0]
    if package == __name__.partition(".")[0]:
        return [*runtime.needs]
    return [Need(module=package, install=f"install the plugin {package} there"), *runtime.needs]


def _require_here(runtimes: Sequence[Runtime]) -> None:
    for runtime in runtimes:
        runtime.require()
        runtime.require_ready()


def _check(found: Interpreter, host: str, who: str, needs: Sequence[Need]) -> None:
    there = f" on the host {host}" if host else ""
    for need in needs:
        if need.module and found.modules.isdisjoint(need.modules):
            install = need.install
            if install.startswith("pip "):
                install = f"run '{found.path} -m {install}'{' there' if host else ''}"
            raise TurnkeyError(
                f"{found.path}{there} does not have the Python module {need.module}, which {who} "
                f"needs; {install}."
            )
