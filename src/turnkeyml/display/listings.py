"""The text listing of the models in an input, and the last line of a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from turnkeyml.display.builds import memory_in_words
from turnkeyml.display.caution_lines import cautions, every_caution
from turnkeyml.display.results import by_runtime, interval_in_words, load_lines, race_lines
from turnkeyml.escaping import LONGEST_CELL, one_line
from turnkeyml.nouns import (
    LATENCY_UNITS,
    THROUGHPUT_UNITS,
    Evaluation,
    FlagKind,
    Generation,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Performance,
    RaceResult,
    Steps,
    Verdict,
    Verification,
    label_of,
)
from turnkeyml.report import significant

HEADER = "Models discovered during profiling:"
INDENT = " " * 8
LABEL_WIDTH = 16
MARGIN = " " * LABEL_WIDTH
MISBUILT = "The model was built, but the build computes something else than the original."
NAMED = 20
"""Inputs that the last line names before it counts the rest."""
SHAPES_SHOWN = 8
FROZEN_SHOWN = 3


def closing_line(command: str, failed: Sequence[str] = (), mismatches: Sequence[str] = ()) -> str:
    """The last line of a command, with the inputs that failed and those that are a mismatch."""
    if not failed and not mismatches:
        return f"Woohoo! The '{command}' command is complete."
    told = [f"it failed for: {_names(failed)}"] if failed else []
    told += [mismatch_line(mismatches)] if mismatches else []
    return f"The '{command}' command is complete; {'; '.join(told)}."


def mismatch_line(names: Sequence[str]) -> str:
    """What to say of inputs or builds that do not compute what the original computes."""
    return f"these compute something else than the original (mismatch): {_names(names)}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(map(_name, names[:NAMED]))}{more}"


def listing(
    result: InputResult, show_status: bool, as_race: bool = False, verbose: bool = False
) -> str:
    """The listing of an input: its models, builds and evaluations.

    ``as_race`` shows only the table of a race, ``verbose`` every flag of a measurement.
    """
    point = ", ".join(f"{name}={value}" for name, value in result.parameters.items())
    lines = [f"{result.input.name} ({point}):" if point else f"{result.input.name}:"]
    if as_race:
        result = replace(result, invocations=tuple(map(_table_alone, result.invocations)))
    for group in _by_model(result.invocations):
        lines += [INDENT + line for line in _model_lines(group, show_status, verbose)]
        if show_status:
            lines += [INDENT + line for line in _generation_lines(group, result.generations)]
        lines.append("")
    complaint = _script_line(result)
    shown = {row.failure for row in result.invocations} if show_status else set()
    for message in (*result.script.remarks, complaint, result.failure):
        if message and message not in shown:
            lines += [INDENT + message, ""]
    return "\n".join(one_line(line).rstrip() for line in lines)


def performance_lines(name: str, evaluation: Evaluation, verbose: bool = False) -> list[str]:
    """The result of ``benchmark_model``."""
    performance = evaluation.performance
    if performance is None:
        return [f"{name} could not be measured: {evaluation.reason}"]
    lines = [
        f"Performance of {name} on device {evaluation.device} is:",
        f"latency: {performance.mean_latency:.3f} ms",
        f"throughput: {performance.throughput:.1f} ips",
        f"median: {_median(evaluation, performance)}",
    ]
    lines += [" ".join(line.split()) for line in _device_lines(evaluation, performance)]
    lines += _verification_lines(evaluation.verification)
    return lines + [f"caution: {text}" for text in _own_cautions(evaluation, verbose)]


def build_lines(name: str, evaluations: list[Evaluation], verbose: bool = False) -> list[str]:
    """The result of measuring a build again."""
    if not evaluations:
        return [f"{name}:", f"{INDENT}Skipped because of an earlier measurement.", ""]
    lines = _measured_lines(tuple(evaluations), None, verbose)
    return [f"{name}:", *(INDENT + line for line in lines), ""]


def _table_alone(row: InvocationResult) -> InvocationResult:
    return replace(row, evaluations=()) if row.race else row


def _by_model(rows: tuple[InvocationResult, ...]) -> list[list[InvocationResult]]:
    """The invocations grouped by model, sub-models after the models that call them."""
    groups: dict[tuple[str, str | None, str], list[InvocationResult]] = {}
    for row in rows:
        record = row.invocation
        key = (record.model_hash, record.parent_hash, record.method)
        groups.setdefault(key, []).append(row)
    ordered: list[list[InvocationResult]] = []

    def place(group: list[InvocationResult]) -> None:
        ordered.append(group)
        hashes = {row.invocation.hash for row in group}
        for key, other in groups.items():
            if key[1] in hashes:
                place(other)

    for key, group in groups.items():
        if key[1] is None:
            place(group)
    placed = {id(group) for group in ordered}
    return ordered + [group for group in groups.values() if id(group) not in placed]


def _model_lines(group: list[InvocationResult], show_status: bool, verbose: bool) -> Iterator[str]:
    first = group[0].invocation
    margin = INDENT * 2 * first.depth
    single = len(group) == 1
    yield margin + _name(first.name) + (f" {_executed(first)}" if single else "")
    inner = margin + INDENT
    yield inner + _field("Model Type:", first.model_type)
    if first.class_repr:
        yield inner + _field("Class:", f"{_name(first.class_name)} ({_name(first.class_repr)})")
    if first.file:
        line = f", line {first.line}" if first.line else ""
        yield inner + _field("Location:", first.file + line)
    size = memory_in_words(first.parameter_bytes)
    yield inner + _field("Parameters:", f"{first.parameters:,} ({size})")
    for remark in first.remarks:
        yield inner + _field("Note:", remark)
    groups: set[str] = set()
    for number, row in enumerate(group, start=1):
        steps = row.invocation.steps
        if steps is not None and steps.group not in groups:
            groups.add(steps.group)
            yield ""
            yield inner + _steps_line(steps)
        if not single:
            yield ""
            yield inner + _heading(row.invocation, number)
        differs = _differences(row.invocation, [other.invocation for other in group])
        for line in _invocation_lines(row, differs, show_status, verbose):
            yield inner + line


def _heading(record: InvocationRecord, number: int) -> str:
    phase = f" ({record.phase})" if record.phase else ""
    if record.steps is not None:
        phase = f" ({record.phase} at cache length {record.steps.length})"
    return f"With input shape {number}{phase} {_executed(record)}"


def _steps_line(steps: Steps) -> str:
    lengths = f"{steps.count} cache lengths from {steps.shortest} to {steps.longest}"
    total = f"executed {steps.executed}x - {steps.seconds:.2f}s"
    return f"Decode steps at {lengths} ({total}); built and measured at these:"


def _generation_lines(
    group: list[InvocationResult], known: tuple[Generation, ...]
) -> Iterator[str]:
    """How fast a decoder generates with each runtime."""
    first = group[0].invocation
    model = first.model_hash, first.parent_hash
    margin = INDENT * (2 * first.depth + 1)
    for generation in (g for g in known if (g.model_hash, g.parent_hash) == model):
        yield ""
        yield f"{margin}Generation on {generation.device} ({generation.label})"
        for name, value in _generation_figures(generation):
            yield f"{margin}{INDENT}{name:<24}{value}"


def _generation_figures(generation: Generation) -> Iterator[tuple[str, str]]:
    if generation.time_to_first_token is not None:
        yield "Time to first token:", f"{significant(generation.time_to_first_token)} ms"
    lengths = [length for length in generation.cache_lengths if length]
    over = f" (mean over cache lengths {min(lengths)} to {max(lengths)})" if lengths else ""
    yield (
        "Time per output token:",
        f"{significant(generation.time_per_output_token)} ms{over}",
    )
    yield "Tokens per second:", significant(generation.tokens_per_second)
    if not generation.verdict.trusted:
        yield "Verification:", f"{generation.verdict}, the worst of the invocations"


def _executed(record: InvocationRecord) -> str:
    if not record.executed:
        return ""
    return f"(executed {record.executed}x - {record.seconds:.2f}s)"


def _differences(record: InvocationRecord, group: list[InvocationRecord]) -> str:
    """What tells an invocation from others of the same shapes: its arguments and dtypes."""
    alike = [other for other in group if other.shapes == record.shapes]
    names = sorted({name for other in alike for name in other.arguments})
    words = [
        f"{name}={record.arguments.get(name, 'default')}"
        for name in names
        if len({other.arguments.get(name) for other in alike}) > 1
    ]
    if len({tuple(other.dtypes.values()) for other in alike}) > 1:
        words += [f"{name}: {dtype}" for name, dtype in record.dtypes.items()]
    return ", ".join(words)


def _invocation_lines(
    row: InvocationResult, differs: str, show_status: bool, verbose: bool
) -> Iterator[str]:
    record = row.invocation
    yield _field("Input Shape:", _shapes(record))
    if differs:
        yield _field("Arguments:", differs)
    yield _field("Hash:", record.hash)
    if row.build_dir:
        yield _field("Build dir:", row.build_dir)
    if show_status and row.selected:
        yield from _status_lines(row, verbose)


def _shapes(record: InvocationRecord) -> str:
    shown = [f"{name!r}: {shape}" for name, shape in list(record.shapes.items())[:SHAPES_SHOWN]]
    more = len(record.shapes) - len(shown)
    return ", ".join(shown + [f"… and {more} more"] * (more > 0)) or "none"


def _status_lines(row: InvocationResult, verbose: bool) -> Iterator[str]:
    if row.skipped:
        yield _field("Status:", f"Not built: {row.skipped}.")
    elif row.failure:
        yield _field("Status:", row.failure)
    elif not row.evaluations and not row.race:
        yield _field("Status:", MISBUILT if row.is_mismatch else "Model successfully built!")
        for line in _verification_lines(row.verification):
            yield MARGIN + line
    yield from _measured_lines(row.evaluations, row.race, verbose)
    for remark in row.remarks:
        yield _field("Note:", remark)


def _measured_lines(
    evaluations: tuple[Evaluation, ...], race: RaceResult | None, verbose: bool
) -> Iterator[str]:
    """Every evaluation, the race if there was one, and the cautions for all of them together."""
    apart = bool(evaluations) and (verbose or (len(evaluations) == 1 and race is None))
    for group in by_runtime(evaluations):
        yield from _evaluation_lines(group)
        if apart:
            for text in (text for one in group for text in _own_cautions(one, verbose)):
                yield MARGIN + _field("Caution:", text)
    if race:
        for number, line in enumerate(race_lines(race)):
            yield _field("" if number else "Race:", line)
    if not apart:
        together = evaluations or tuple(row.evaluation for row in (race.rows if race else ()))
        for text in every_caution(together) if verbose else cautions(together):
            yield _field("Caution:", text)


def _own_cautions(evaluation: Evaluation, verbose: bool) -> list[str]:
    """The cautions about one evaluation."""
    if not verbose or evaluation.performance is None:
        return cautions([evaluation])
    return [flag.text for flag in evaluation.performance.flags]


def _evaluation_lines(group: list[Evaluation]) -> Iterator[str]:
    """An evaluation, or those of one runtime under several loads."""
    evaluation = group[0]
    performance = evaluation.performance
    runtime = label_of(evaluation.runtime, evaluation.python, "", evaluation.host)
    if performance is None:
        yield _field("Status:", f"Failed to benchmark with {runtime}: {evaluation.reason}")
        return
    used = f"{runtime} v{evaluation.runtime_version}"
    if evaluation.under_load is not None:
        how = f"Successfully benchmarked under load on {evaluation.device} ({used})"
        yield _field("Status:", how)
        for line in (*_verification_lines(evaluation.verification), *load_lines(group)):
            yield MARGIN + line
        return
    yield _field("Status:", f"Successfully benchmarked on {evaluation.device} ({used})")
    latency, throughput = f"{performance.mean_latency:.3f}", f"{performance.throughput:.1f}"
    yield MARGIN + _field("Mean Latency:", f"{latency:<7} {LATENCY_UNITS}")
    yield MARGIN + _field("Throughput:", f"{throughput:<7} {THROUGHPUT_UNITS}")
    for line in _verification_lines(evaluation.verification):
        yield MARGIN + line
    if any(flag.kind is FlagKind.REPORTED for flag in performance.flags):
        runs = f"{performance.iterations:,} runs, grade {evaluation.grade}"
        yield MARGIN + _field("Self-reported:", runs)
    else:
        yield MARGIN + _field("Median:", _median(evaluation, performance))
    for line in _device_lines(evaluation, performance):
        yield MARGIN + line
    for name in evaluation.status_stats:
        if name in evaluation.stats:
            label = f"{name}:" if len(name) < LABEL_WIDTH - 1 else f"{name}: "
            yield MARGIN + _field(label, str(evaluation.stats[name]))


def _median(evaluation: Evaluation, performance: Performance) -> str:
    """The median with its interval, the number of runs and the grade."""
    words = [f"{performance.iterations:,} runs"]
    if performance.processes > 1:
        words.append(f"{performance.processes} processes")
    interval = interval_in_words(performance)
    known = f"95% interval {interval} ms, " if interval else ""
    grade = f", grade {evaluation.grade}" if evaluation.grade else ""
    return f"{significant(performance.median_latency)} ms ({known}{', '.join(words)}){grade}"


def _device_lines(evaluation: Evaluation, performance: Performance) -> list[str]:
    """The time, memory and energy of the accelerator, as far as they are known."""
    lines = []
    if performance.device_latency is not None:
        low, high = performance.device_latency_low, performance.device_latency_high
        known = "" if low is None or high is None else f"{significant(low)} to {significant(high)}"
        detail = f"95% interval {known} ms, " if known else ""
        time = f"{significant(performance.device_latency)} ms ({detail}without transfers)"
        lines.append(_field("Device time:", time))
    words = []
    if evaluation.device_peak_memory_bytes is not None:
        words.append(f"{memory_in_words(evaluation.device_peak_memory_bytes)} of its memory")
    if performance.energy_per_inference is not None:
        words.append(f"{significant(performance.energy_per_inference)} J per inference")
    return [*lines, _field("Accelerator:", ", ".join(words))] if words else lines


def _verification_lines(verification: Verification | None) -> list[str]:
    """The verdict, unless it is a plain match without frozen values."""
    if verification is None:
        return []
    if verification.in_words == Verdict.MATCH and not verification.frozen:
        return []
    detail = ""
    if verification.max_relative_error is not None:
        detail = f" (largest error {verification.max_relative_error:.2g} of the largest number)"
    how = ", with stable weights" if verification.stable_weights else ""
    lines = [
        _field("Verification:", f"{verification.in_words}{how}{detail}: {verification.reason}")
    ]
    frozen = [_field("", f"frozen at {place}") for place in verification.frozen[:FROZEN_SHOWN]]
    more = len(verification.frozen) - len(frozen)
    return [*lines, *frozen, *([_field("", f"and {more} more")] if more > 0 else [])]


def _script_line(result: InputResult) -> str | None:
    script = result.script
    if script.error and not result.input.is_script:
        return f"The file cannot be used: {script.error}"
    return script.complaint


def _name(text: str) -> str:
    """A name from outside, which the line that it is in must not lose its end to."""
    return one_line(text, LONGEST_CELL)


def _field(label: str, value: str) -> str:
    return f"{label:<{LABEL_WIDTH}}{value}"
