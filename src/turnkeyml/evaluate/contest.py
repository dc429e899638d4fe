"""Measuring one or several contestants: each in its process, all by one rule, in turns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from turnkeyml.evaluate.entries import Contestant, Entry
from turnkeyml.evaluate.progress import Report, Tell
from turnkeyml.evaluate.runner import Outcome, Runner
from turnkeyml.measure import (
    Interference,
    Meter,
    ReportedMeter,
    RoundReferee,
    Rule,
    Samples,
    Worker,
    may_win,
    memory_speed,
    sample,
)
from turnkeyml.nouns import Verdict
from turnkeyml.runtimes import Device
from turnkeyml.system import OwnLoad, Reading, read_leftovers

Announce = Callable[[float], None]
Quiet = Callable[[], AbstractContextManager[None]]
"""Makes a context within which nothing else runs on this machine."""


def measure(
    contestants: list[Contestant],
    rule: Rule,
    device: Device,
    threads: int,
    *,
    announce: Announce | None = None,
    tell: Tell | None = None,
    quiet: Quiet = contextlib.nullcontext,
    baseline: str = "",
    strict: bool = False,
) -> list[Outcome]:
    """Measure all of them, in turns if they are several; failures are part of the outcome.

    All are loaded before ``quiet`` is entered, within which nothing else is to run. Those that
    wait for their turn use no processor. ``tell`` hears now and then what is being done.
    """
    runners = [Runner(c) for c in contestants]
    report = Report(tell, rule.processes)
    for number in range(rule.processes):
        with contextlib.ExitStack() as stack:
            ready = []
            for runner in runners:
                if len(runners) > 1:
                    report.loading(runner.label)
                if runner.enter(stack, number):
                    ready.append(runner)
            with quiet():
                before = _memory_speeds(ready)
                left = read_leftovers()
                found = _sample(ready, rule, announce, report, baseline=baseline, strict=strict)
                own = left.until(read_leftovers())
                after = _memory_speeds(ready)
                for runner, samples in zip(ready, found, strict=True):
                    runner.observe(samples)
                    runner.recheck(samples)
            for runner, samples, *speeds in zip(ready, found, before, after, strict=True):
                here = runner.entry is not None and _is_here(runner.entry.meter)
                known = tuple(v for v in speeds if v is not None)
                runner.note(_completed(samples, known, own if here else None))
        announce = None
        report.next_process()
    return [r.outcome(rule, device, threads) for r in runners]


def _memory_speeds(ready: list[Runner]) -> list[float | None]:
    """How fast the memory is now, where each of them runs. Where we are measured ourselves nobody
    looks, as what it needs would count as the model's memory."""
    workers = [r.entry.meter if r.entry is not None else None for r in ready]
    here = None
    if all(isinstance(w, Worker) for w in workers) and any(map(_is_here, workers)):
        here = memory_speed()
    return [here if not isinstance(w, Worker) or w.is_here else w.memory_speed() for w in workers]


def _is_here(meter: Meter | None) -> bool:
    return not isinstance(meter, Worker) or meter.is_here


def _completed(
    samples: Samples | BaseException, speeds: tuple[float, ...], own_load: OwnLoad | None
) -> Samples | BaseException:
    """With how fast the memory was, and what the script's leftovers did."""
    if isinstance(samples, BaseException):
        return samples
    return replace(samples, memory_speeds=speeds, own_load=own_load)


def _sample(
    ready: list[Runner],
    rule: Rule,
    announce: Announce | None,
    report: Report,
    *,
    baseline: str,
    strict: bool,
) -> list[Samples | BaseException]:
    entries = [r.entry for r in ready if r.entry is not None]
    meters = [entry.meter for entry in entries]
    if len(meters) == 1 and isinstance(meters[0], (Worker, ReportedMeter)):
        try:
            return [meters[0].sample(rule, announce, report.progress)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the row says so
            return [error]
    if not meters:
        return []
    referee = RoundReferee(
        _baseline_number(ready, baseline), _may_win(ready, strict), rule.precision
    )
    interference = _interference(entries, rule)
    return sample(
        meters,
        rule,
        announce,
        on_progress=report.progress,
        referee=referee,
        interference=interference,
    )


def _interference(entries: list[Entry], rule: Rule) -> Interference:
    """The interference in a race; of machines without readable counters, what the rounds tell."""
    if all(_is_here(entry.meter) for entry in entries):
        return Interference(rule.pause_seconds)
    processors = min(len(entry.costs().site.processors) for entry in entries)
    unknown = Reading(0.0, 0.0)
    return Interference(rule.pause_seconds, processors, read=lambda: unknown)


def _may_win(ready: list[Runner], strict: bool) -> list[bool]:
    """Which contestants may win by their verdicts, with those that were not verified."""
    return may_win([runner.verdict or Verdict.MATCH for runner in ready], strict=strict)


def _baseline_number(ready: list[Runner], wanted: str) -> int:
    """The position of the baseline: the contestant that was asked for, else the first."""
    for number, runner in enumerate(ready):
        if runner.answers_to(wanted):
            return number
    return 0
