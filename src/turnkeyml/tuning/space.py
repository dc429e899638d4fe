"""Everything that there is to try: runtimes, precisions, threads, arguments and batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import Configuration, Trial, TrialStatus
from turnkeyml.runtimes import Runtime

PRECISIONS = ("fp32", "fp16", "bf16", "int8-dynamic", "int8-static")
"""Those that are tried unless the user chooses."""
BATCHES = (1, 2, 4, 8, 16)

Choices = Mapping[str, tuple[Any, ...]]
"""The values of each argument of a runtime that are tried."""


@dataclass(frozen=True)
class Space:
    """The configurations that are considered, and those that are not, with the reasons."""

    default: Configuration
    precisions: Mapping[str, tuple[str, ...]]
    """By the name of the runtime."""
    threads: tuple[int, ...]
    arguments: Mapping[str, Choices]
    """By the name of the runtime; the first value of an argument is its default."""
    batches: tuple[int, ...] = (1,)
    skipped: tuple[Trial, ...] = field(default=())

    def base(self) -> Iterator[Configuration]:
        """Every runtime and precision with few and with many threads, without any arguments."""
        yield self.default
        for threads in dict.fromkeys([self.threads[-1], self.threads[0]]):
            for runtime, precisions in self.precisions.items():
                for precision in precisions:
                    found = Configuration(runtime, precision, threads)
                    if found != self.default:
                        yield found

    def every(self) -> Iterator[Configuration]:
        """The whole cross product, the default first."""
        yield self.default
        for runtime, precisions in self.precisions.items():
            options = self.arguments[runtime]
            for values in itertools.product(*options.values()):
                chosen = dict(zip(options, values, strict=True))
                given = {n: v for n, v in chosen.items() if v != options[n][0]}
                for point in itertools.product(precisions, self.threads, self.batches):
                    found = Configuration(runtime, point[0], point[1], given, point[2])
                    if found != self.default:
                        yield found


@dataclass(frozen=True)
class Precisions:
    """What the files of a build, and those that can be made from them, offer."""

    own: str
    """The precision of the file that the build measures by default."""
    files: Sequence[str]
    """The precisions for which there is a file, or one can be made."""


def thread_counts(most: int) -> tuple[int, ...]:
    """One thread, all, and the powers of two in between."""
    powers = itertools.takewhile(lambda n: n < most, (2**k for k in itertools.count()))
    return (*powers, most)


def make_space(
    runtimes: Sequence[Runtime],
    known: Precisions,
    wanted: Sequence[str],
    *,
    threads: Sequence[int],
    default_threads: int,
    batches: Sequence[int] = (1,),
) -> Space:
    """What is worth trying; what is not comes with a reason."""
    default = Configuration(runtimes[0].name, known.own, default_threads)
    precisions: dict[str, tuple[str, ...]] = {}
    skipped: list[Trial] = []
    asked = tuple(dict.fromkeys([*(p for p in [known.own] if p not in PRECISIONS), *wanted]))
    for runtime in runtimes:
        tried = []
        for precision in asked:
            reason = _obstacle(runtime, precision, known)
            if reason is None:
                tried.append(precision)
            else:
                found = Configuration(runtime.name, precision, default_threads)
                skipped.append(Trial(found, TrialStatus.SKIPPED, reason))
        precisions[runtime.name] = tuple(tried)
    return Space(
        default,
        precisions,
        tuple(sorted(threads)),
        {runtime.name: _choices(runtime) for runtime in runtimes},
        tuple(sorted(batches)),
        tuple(skipped),
    )


def _obstacle(runtime: Runtime, precision: str, known: Precisions) -> str | None:
    """Why a precision is not tried with a runtime; None if it is."""
    if precision == known.own:
        return None
    if precision in runtime.computes:
        if "fp32" not in (known.own, *known.files):
            return f"the build has no file in fp32 that {runtime.title} could compute in it"
        try:
            runtime.check_arguments(runtime.complete(runtime.computes[precision]))
        except TurnkeyError as error:
            return str(error).rstrip(".")
        return None
    if precision in runtime.casts:
        return f"{runtime.title} casts it to fp32 on {runtime.device}, which only costs time"
    if precision not in known.files:
        if precision == "bf16":
            return f"{runtime.title} does not compute in it on {runtime.device}"
        return "it is made from a file in fp32, which the build does not have"
    return None


def _choices(runtime: Runtime) -> Choices:
    """The values of the arguments that are worth trying, the default first."""
    return {
        a.name: (a.default, *(value for value in a.candidates if value != a.default))
        for a in runtime.arguments
        if len({*map(str, a.candidates)} - {str(a.default)}) > 0
    }
