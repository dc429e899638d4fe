"""The verdict on something that can be run: on the recorded inputs, and on held-out ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.comparison import compare
from turnkeyml.verify.held_out import without_padding
from turnkeyml.verify.random_models import compare_runs, runs_of_build
from turnkeyml.verify.reference import Outputs, Reference, agree
from turnkeyml.verify.tolerances import (
    ALIKE_OUTPUTS,
    MOST_CLOSE,
    MOST_CLOSE_UNKNOWN,
    MOST_TIMES_ROUNDING,
    RULES,
)

RECORDED_ONLY = "on the recorded inputs only"

NOT_EXERCISED = "the export froze values that no other inputs exercised"

NOTHING_TO_COMPARE = "the original returns no finite number on any inputs, so that any file matches"

NOTHING_RECORDED = "on held-out inputs, as the original returns nothing on the recorded ones"

SATURATED = "saturate on all inputs, so that other files may return the same"

SATURATED_RECORDED = "on held-out inputs, as the outputs saturate on the recorded ones"

Run = Callable[[Outputs], Outputs]
"""What is judged: from inputs by name to outputs by name."""


def judge(
    run: Run, reference: Reference, precision: str, *, may_specialise: bool = False
) -> Verification:
    """The verdict on the recorded inputs, held to those that no exporter has seen.

    ``may_specialise``: what matches on the recorded inputs and not on others is called specialised,
    because nothing but the export lies between it and the original. Otherwise it is a mismatch.
    """
    if not reference.deterministic:
        return _judge_random(run, reference, precision)
    found = _judge_sets(run, reference, precision, may_specialise=may_specialise)
    if not found.trusted or reference.padded is None:
        return found
    padded = _judge_padded(run, reference.padded, precision)
    explained = _by_rounding(found, reference, reference.padded)
    whole = found.verdict is Verdict.MATCH
    if _is_lost(padded) or (whole and _is_wrong(padded, reference.padded, explained)):
        return _as_held_out(found, padded, may_specialise=may_specialise)
    return found


def judge_live(outputs: Outputs, run_on: Run, reference: Reference, precision: str) -> Verification:
    """The verdict on a live model: on the recorded inputs and on the held-out ones.

    ``run_on`` runs it on other inputs. Where the original decides something else, a compiler would
    compile it once more, so that those are left out.
    """

    def run(inputs: Outputs) -> Outputs:
        return outputs if inputs is reference.inputs else run_on(inputs)

    return judge(run, reference.without_other_courses(), precision)


def calibrate(reference: Reference, precision: str) -> None:
    """Have a reference hold the original in other precisions, for those who judge without it.

    A build that is within the tight tolerance does not need them. What is measured later does: a
    runtime that is less exact, or a file that was changed: it needs to know as well where larger
    roundings take the original. Large models go without.
    """
    if reference.costly or precision not in RULES:
        return
    rules = RULES[precision]
    computed = rules.original_in or precision
    sets = [reference, *(h for h in reference.all_held_out if not h.costly)]
    for known in sets:
        for wanted in filter(None, (rules.more_exact, computed)):
            known.in_precision(wanted)
        if rules.more_exact:
            known.reach(computed)


def with_frozen(found: Verification, frozen: tuple[str, ...], *, specialised: bool) -> Verification:
    """The verdict on a file that was made from an export with frozen values.

    ``specialised``: the export is known to depart from the original on other inputs, and so does
    whatever is made from it, also where the sets that are at hand do not show it.
    """
    if found.verdict is Verdict.SPECIALISED:
        return replace(found, frozen=frozen)
    if not found.trusted or not (specialised or frozen):
        return found
    if not specialised:
        return replace(found, frozen=frozen, reason=f"{found.reason}; {NOT_EXERCISED}")
    reason = f"{found.reason}; the export froze a decision that comes out otherwise on other inputs"
    return replace(
        found, verdict=Verdict.SPECIALISED, cause=Cause.HELD_OUT, reason=reason, frozen=frozen
    )


def with_stable_weights(found: Verification, export: Verification) -> Verification:
    """The verdict on a file made from an export that was judged with stable weights, or not.

    What is made from a right one may match it in parts. What is made from a wrong one is wrong, and
    its own outputs, which say nothing, do not show it.
    """
    if not export.stable_weights:
        return found
    if found.verdict is Verdict.IN_PARTS:
        return replace(found, stable_weights=True)
    return export if not (export.trusted or found.trusted) else found


def _judge_sets(
    run: Run, reference: Reference, precision: str, *, may_specialise: bool
) -> Verification:
    """The verdict on the recorded and the held-out inputs."""
    found = compare(run(reference.inputs), reference, precision)
    if found.verdict not in (Verdict.MATCH, Verdict.IN_PARTS):
        return found
    if not any(known.is_informative for known in (reference, *reference.held_out)):
        reason = f"{found.reason}, but {_saturating(reference)} {SATURATED}"
        nothing = reason if reference.is_saturated else NOTHING_TO_COMPARE
        return Verification(Verdict.NOT_CHECKED, Cause.NO_OUTPUT, nothing)
    in_parts = found.verdict is Verdict.IN_PARTS
    if not reference.held_out or (in_parts and not reference.is_verified_on_others):
        return _on_recorded_only(found)
    others = [_judge_held_out(run, held, precision, reference) for held in reference.held_out]
    wrong = next(
        (
            other
            for other, held in zip(others, reference.held_out, strict=True)
            if (
                not other.trusted
                if in_parts  # then it computes what the build does, on these as well
                else _is_wrong(other, held, _by_rounding(found, reference, held))
            )
        ),
        None,
    )
    unknown = _close_and_unknown(others, reference, precision)
    if not reference.is_informative and not (wrong and may_specialise):
        telling = wrong or _best_of_the_telling(others, reference)
        why = SATURATED_RECORDED if reference.is_saturated else NOTHING_RECORDED
        kept = reference.is_saturated and wrong is None and _is_near(telling, precision)
        found = found if kept else telling
        found = replace(found, reason=f"{found.reason}; {why}")
        if not found.trusted:
            return _as_mismatch(found)
        return _with_held_out(found, others, unknown if not kept else 0)
    if wrong is None:
        return _with_held_out(found, others, unknown)
    return _as_held_out(found, wrong, may_specialise=may_specialise)


def _judge_held_out(run: Run, held: Reference, precision: str, recorded: Reference) -> Verification:
    """On a held-out set. Where the original returns nothing on the recorded inputs, these may be
    more than the precision holds, and then only a match says something."""
    outputs = _run_on(run, held.inputs)
    if isinstance(outputs, Verification):
        found = outputs
    else:
        found = compare(outputs, held, precision, kin=(recorded,))
    if found.trusted or recorded.is_informative or not _is_beyond(held.inputs, precision):
        return found
    reason = f"{found.reason} (inputs beyond the range of {precision})"
    return replace(found, verdict=Verdict.MISMATCH, cause=Cause.ORIGINAL_UNSTABLE, reason=reason)


def _judge_padded(run: Run, padded: Reference, precision: str) -> Verification:
    """On masks that are padded on the left: what nobody uses there need only be a number."""
    outputs = _run_on(run, padded.inputs)
    if isinstance(outputs, Verification):
        return outputs
    return compare(without_padding(outputs, padded.outputs, padded.inputs), padded, precision)


def _judge_random(run: Run, reference: Reference, precision: str) -> Verification:
    """The verdict on a build of an original that does not repeat its own results."""
    first, second = run(reference.inputs), run({**reference.inputs})
    if agree(first, second):
        found = compare_runs([first], reference, precision)
        more = "; the build itself does not vary"
    else:
        found = _judge_runs([first, second], run, reference, precision)
        if not found.trusted:  # by bad luck?
            found = _judge_runs([], run, reference, precision)
        more = ""
    return replace(found, reason=f"{found.reason}{more}; {RECORDED_ONLY}")


def _judge_runs(
    runs: list[Outputs], run: Run, reference: Reference, precision: str
) -> Verification:
    """The verdict on some runs and as many more as are needed."""
    missing = runs_of_build(reference) - len(runs)
    more = [run({**reference.inputs}) for _ in range(missing)]
    return compare_runs([*runs, *more], reference, precision)


def _run_on(run: Run, inputs: Outputs) -> Outputs | Verification:
    """The outputs on inputs that the original runs on, or the verdict that it cannot be run."""
    try:
        return run(inputs)
    except Exception as error:  # noqa: BLE001 - it becomes the verdict
        reason = f"it cannot be run: {describe(error)}"
        return Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, reason)


def _saturating(reference: Reference) -> str:
    """What saturates, as the subject of a sentence."""
    operators = dict.fromkeys(floor.operator for floor in reference.floors if floor)
    return f"the outputs of {' and '.join(operators)}"


def _on_recorded_only(found: Verification) -> Verification:
    """A verdict that no other than the recorded inputs confirm."""
    reason = f"{found.reason}; {RECORDED_ONLY}"
    return replace(found, cause=Cause.RECORDED_ONLY, reason=reason)


def _as_held_out(found: Verification, wrong: Verification, *, may_specialise: bool) -> Verification:
    """The verdict on what matches on the recorded inputs and is wrong on others."""
    verdict = Verdict.SPECIALISED if may_specialise else Verdict.MISMATCH
    reason = f"{found.reason} on the recorded inputs; on other inputs: {wrong.reason}"
    return replace(wrong, verdict=verdict, cause=Cause.HELD_OUT, reason=reason)


def _is_near(found: Verification, precision: str) -> bool:
    """Whether outputs on inputs that were made extreme, so that they do not saturate, are close
    enough for what matches on ordinary ones as well."""
    most = MOST_TIMES_ROUNDING * RULES[precision].loose
    return found.verdict is Verdict.CLOSE and (found.max_relative_error or 0.0) <= most


def _best_of_the_telling(others: list[Verification], reference: Reference) -> Verification:
    """The best verdict on a held-out set where the original returns something.

    On empty outputs any file matches, so that they are no evidence.
    """
    pairs = zip(others, reference.held_out, strict=True)
    telling = [other for other, held in pairs if held.is_informative]
    return min(telling, key=lambda other: other.verdict.rank)


def _as_mismatch(found: Verification) -> Verification:
    """A verdict on a held-out set as that on the build: what the original runs on must run."""
    is_run = found.verdict is not Verdict.NOT_CHECKED
    return found if is_run else replace(found, verdict=Verdict.MISMATCH)


def _close_and_unknown(others: list[Verification], reference: Reference, precision: str) -> int:
    """How many held-out sets are only close by the looser tolerance, as nothing more exact is known
    of the original there; of those that are like the recorded one."""
    more_exact = RULES[precision].more_exact
    return sum(
        other.verdict is Verdict.CLOSE
        and more_exact is not None
        and more_exact not in held.known
        and _has_alike_outputs(held, reference)
        for other, held in zip(others, reference.held_out, strict=True)
    )


def _with_held_out(found: Verification, others: list[Verification], unknown: int) -> Verification:
    """A verdict that the held-out sets confirm, with how many of them do.

    ``unknown``: how many are only close where it is not known how exact the original is.
    """
    matching = sum(other.verdict is Verdict.MATCH for other in others)
    near = sum(other.verdict is Verdict.CLOSE for other in others)
    if near == len(others) >= MOST_CLOSE or unknown >= MOST_CLOSE_UNKNOWN:
        close = next(other for other in others if other.verdict is Verdict.CLOSE)
        which = "all others" if near == len(others) else f"{near} of {len(others)} others"
        reason = f"{found.reason} on the recorded inputs; on {which}: {close.reason}"
        return replace(close, reason=reason)
    more = f"; only close on {near} of {len(others)} sets of other inputs" if near else ""
    found = _in_parts(replace(found, held_out=matching, reason=f"{found.reason}{more}"), others)
    return found if found.held_out or near else _on_recorded_only(found)


def _in_parts(found: Verification, others: list[Verification]) -> Verification:
    """The verdict where a file that was verified in parts is the judge on some held-out sets."""
    parts = [other for other in others if other.verdict is Verdict.IN_PARTS]
    held_out = found.held_out + len(parts)
    if not parts or found.verdict is Verdict.IN_PARTS:
        return replace(found, held_out=held_out)
    reason = f"{found.reason} on the recorded inputs; on other inputs: {parts[0].reason}"
    return replace(parts[0], reason=reason, held_out=held_out)


def _is_lost(found: Verification) -> bool:
    """Whether there is no number where the original has one, in whatever parts it was verified."""
    return found.cause in (Cause.NOT_FINITE, Cause.CANNOT_RUN)


def _is_beyond(inputs: Outputs, precision: str) -> bool:
    """Whether some inputs are more than a precision holds, so that they prove nothing there."""
    most = RULES[precision].largest
    floats = [array for array in inputs.values() if array.dtype.kind == "f" and array.size]
    return any(float(np.nanmax(np.abs(array))) > most for array in floats)


def _is_wrong(found: Verification, held: Reference, explained: float | None) -> bool:
    """Whether it computes something else; where the original is no measure, nothing is known.

    What is only close is wrong if the original takes another course on these inputs and it is not
    within the looser tolerance of each magnitude, or if it is further off than rounding explains: a
    frozen decision may change an output by a few percent.
    """
    if found.verdict is Verdict.NOT_CHECKED:
        return found.cause is Cause.CANNOT_RUN
    if found.verdict is Verdict.CLOSE:
        beyond = explained is not None and (found.max_relative_error or 0.0) > explained
        other = held.other_course and found.cause is not Cause.WITHIN_TOLERANCE
        return other or beyond or found.cause is Cause.BEYOND_ROUNDING
    return found.verdict is Verdict.MISMATCH and found.cause is not Cause.ORIGINAL_UNSTABLE


def _by_rounding(found: Verification, recorded: Reference, held: Reference) -> float | None:
    """The largest relative error on held-out inputs that rounding explains; None if not known.

    The recorded inputs show how large rounding is, for outputs of the same order of magnitude:
    others may be ill-conditioned. It moves every float a little; integers it turns, or it does not.
    """
    return (
        MOST_TIMES_ROUNDING * (found.max_relative_error or 0.0)
        if _has_alike_outputs(held, recorded)
        else None
    )


def _has_alike_outputs(held: Reference, recorded: Reference) -> bool:
    """Whether outputs are floats of the same order of magnitude as on the recorded inputs."""
    return all(
        ours.dtype.kind in "fc" and 1 / ALIKE_OUTPUTS <= _largest(ours, theirs) <= ALIKE_OUTPUTS
        for ours, theirs in zip(widened(held.outputs), widened(recorded.outputs), strict=False)
    )


def _largest(ours: np.ndarray, theirs: np.ndarray) -> float:
    """How many times as large as that of another array the largest finite number of an array is."""
    most, usual = (np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in (ours, theirs))
    return float(most / usual) if usual else 1.0
