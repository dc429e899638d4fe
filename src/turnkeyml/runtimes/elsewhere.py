"""Whether another environment has what runtimes need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from turnkeyml.errors import MeasureError, TurnkeyError, UsageError
from turnkeyml.nouns import HERE, Place
from turnkeyml.runtimes.contract import Need, Runtime
from turnkeyml.system import Interpreter, Standby, examine_on, keeping_standby, kept_standby

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
    """Raise an error if a place lacks an interpreter, numpy, or what one of the runtimes needs.

    Each interpreter is started once, all of them at the same time, unless ``started_ahead`` has
    done so.
    """
    with contextlib.ExitStack() as stack:
        started = {
            python: kept_standby(python)
            or stack.enter_context(contextlib.closing(_started(python, runtimes)))
            for python in filter(None, _interpreters(places))
        }
        for place in places:
            if place.host:
                found = examine_on(place.host, place.python, _modules(runtimes))
                _check_modules(found, place.host, runtimes)
            elif place.python:
                _check_modules(started[place.python].introduction(), "", runtimes)
                _check_devices(started[place.python], runtimes)
            else:
                _require_here(runtimes)


@contextlib.contextmanager
def started_ahead(
    places: Sequence[Place], runtimes: Sequence[Runtime], module: str
) -> Iterator[None]:
    """Start the interpreters of places before they are needed; those that nobody takes end.

    They answer what ``require_elsewhere`` asks, and then import the module of a worker. Runtimes
    that measure live models have none.
    """
    found: list[Standby] = []
    wanted = places or (HERE,) if any(r.measures_files for r in runtimes) else ()
    for python in _interpreters(wanted):
        with contextlib.suppress(TurnkeyError):  # whoever requires it says so
            found.append(_started(python, runtimes))
            found[-1].load(module)
    with keeping_standby(found):
        yield


def _interpreters(places: Sequence[Place]) -> list[str]:
    """The different interpreters on this machine; '' is our own."""
    return list(dict.fromkeys(place.python for place in places if not place.host))


def _started(python: str, runtimes: Sequence[Runtime]) -> Standby:
    """An interpreter that says which modules it has, and what it thinks of each device."""
    if not python:
        return Standby()
    started = Standby(python, _modules(runtimes))
    for runtime in _with_checks(runtimes):
        started.run(READY, runtime.name, runtime.device)
    return started


def _with_checks(runtimes: Sequence[Runtime]) -> list[Runtime]:
    return [runtime for runtime in runtimes if type(runtime).check is not Runtime.check]


def _modules(runtimes: Sequence[Runtime]) -> list[str]:
    """The modules that a place may need."""
    needs = [NUMPY, *(need for runtime in runtimes for need in _needs(runtime))]
    return list(dict.fromkeys(module for need in needs for module in need.modules))


def _check_modules(found: Interpreter, host: str, runtimes: Sequence[Runtime]) -> None:
    _check(found, host, "turnkey", (NUMPY,))
    for runtime in runtimes:
        _check(found, host, f"the runtime {runtime.name}", _needs(runtime))


def _check_devices(one: Standby, runtimes: Sequence[Runtime]) -> None:
    """Let runtimes check their device under the other interpreter, where their libraries are."""
    for number, runtime in enumerate(_with_checks(runtimes), start=1):
        try:
            told = one.answer(number, SECONDS)
        except TimeoutError:
            raise MeasureError(
                f"{one.python} did not say within {SECONDS} s whether it can use "
                f"{runtime.device}; is the device busy?"
            ) from None
        obstacle = _obstacle(one, told)
        if obstacle is not None:
            raise MeasureError(
                f"The runtime {runtime.name} cannot be used on {runtime.device} with "
                f"{one.python}: {obstacle}"
            )


def _obstacle(one: Standby, told: dict[str, Any] | None) -> str | None:
    """What the check found in the way; None if nothing."""
    if told is None or "obstacle" not in told:
        return f"its check failed ({(one.last_words() or 'it said nothing')[:300]})."
    return None if told["obstacle"] is None else str(told["obstacle"])


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
