"""The text of a dry run: what a run would do."""

from __future__ import annotations

import textwrap

from turnkeyml.display.builds import size_in_words
from turnkeyml.nouns import Forecast, LastTime, TaskForecast

FEW = 8
"""With more inputs than this, each gets one line."""


def forecast_lines(forecast: Forecast, width: int | None = None) -> list[str]:
    """One block per input, or one line if they are many, and the sums; ``width`` wraps lines."""
    lines = _lines(forecast)
    return lines if width is None else [part for line in lines for part in _wrapped(line, width)]


def _wrapped(line: str, width: int) -> list[str]:
    """A line in several, so that what continues stands below what it continues."""
    indent = " " * 14 if line.startswith("  ") else "    "
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return wrapper.wrap(line) or [""]


def _lines(forecast: Forecast) -> list[str]:
    several = len(forecast.tasks) > FEW
    count = _count(len(forecast.tasks), "input")
    lines = [f"This is a dry run: nothing is run or built. {count} {forecast.place}:", ""]
    if several:
        plans = dict.fromkeys(_plan(task) for task in forecast.tasks if not task.skipped)
        lines += [f"  Each would {plan}." for plan in plans] + [""]
    for task in forecast.tasks:
        lines += [_line(task)] if several else _block(task)
    return [*lines, *([""] if several else []), *_sums(forecast)]


def span_in_words(seconds: float) -> str:
    """A time span with its two largest units: ``2 h 5 min``, ``3 min 20 s``, ``7.1 s``."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _block(task: TaskForecast) -> list[str]:
    lines = [_name(task), f"  would:      {'not run again' if task.skipped else _plan(task)}"]
    for number, build in enumerate(task.builds):
        head = "in cache: " if number == 0 else ""
        fate = f"built again: {build.obstacle}" if build.obstacle else "reused if unchanged"
        lines.append(f"  {head:<12}{build.name} ({size_in_words(build.bytes)}), {fate}")
    return [*lines, f"  last time:  {_last(task.last)}", ""]


def _line(task: TaskForecast) -> str:
    if task.skipped:
        return f"{_name(task)}  is finished"
    reused = sum(build.reused for build in task.builds)
    cached = f", {_count(reused, 'build')} reused if unchanged" if reused else ""
    took = span_in_words(sum(task.last.seconds.values())) if task.last else "no record"
    return f"{_name(task)}  {took}{cached}"


def _name(task: TaskForecast) -> str:
    point = " ".join(f"{name}={value}" for name, value in task.parameters.items())
    targets = f"::{','.join(task.input.targets)}" if task.input.targets else ""
    return f"{task.input.spelling}{targets} {point}".rstrip()


def _plan(task: TaskForecast) -> str:
    steps = ["run the script and list its models"] if task.input.is_script else []
    if task.sequence:
        steps.append(f"build with {task.sequence}")
    if task.contestants:
        turns = " in turns" if len(task.contestants) > 1 else ""
        steps.append(f"measure with {', '.join(task.contestants)}{turns}")
    return ", ".join(steps) or "read the file"


def _last(last: LastTime | None) -> str:
    if last is None:
        return "no record in this cache"
    phases = ", ".join(f"{phase} {span_in_words(s)}" for phase, s in last.seconds.items() if s)
    total = span_in_words(sum(last.seconds.values()))
    when = last.finished_at[:16].replace("T", " ")
    remarks = ["" if last.ok else "it failed", "" if last.same_options else "with other options"]
    told = "".join(f", {remark}" for remark in remarks if remark)
    return f"{total} ({phases}) on {when}{told}" if phases else f"{total} on {when}{told}"


def _sums(forecast: Forecast) -> list[str]:
    coming = sum(not task.skipped for task in forecast.tasks)
    known = coming - forecast.unknown
    lines = []
    if known:
        lines.append(f"Last time {_count(known, 'input')} took {span_in_words(forecast.seconds)}.")
    if forecast.unknown:
        lines.append(f"{_count(forecast.unknown, 'input')} without a record of an earlier run.")
    if coming < len(forecast.tasks):
        lines.append(f"{_count(len(forecast.tasks) - coming, 'input')} finished earlier.")
    free = "" if forecast.free_bytes is None else f"; {size_in_words(forecast.free_bytes)} are free"
    held = size_in_words(forecast.cached_bytes)
    return [*lines, f"The cache {forecast.cache_dir} has {held} of their builds{free}."]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
