"""Do some outputs agree with the original's?

Every output is judged by the numbers in it that carry information, relative to what varies among
those of their own order of magnitude. The rules, in order:

* ``match``: infinities, NaNs and sentinels are where the original has them, the cosine of the rest
  is at least 0.99, and either every number is within the tight tolerance of the precision, or the
  output is no further from a more exact computation than the original itself is in that precision,
  give or take a small factor. Where that cannot be known, a looser tolerance decides, and the
  reason says so;
* ``close``: not so, but of the same direction (cosine of at least 0.99) and magnitude (within 10%),
  which is weaker evidence;
* ``mismatch``: neither.

An original that does not repeat its own results is another matter: see ``random_models``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.floats import Basis, Calibration, Judgement, judge_floats, jumps
from turnkeyml.verify.integers import judge_booleans, judge_integers
from turnkeyml.verify.random_models import compare_runs
from turnkeyml.verify.reference import Outputs, Reference
from turnkeyml.verify.rounding import Floor, Reach
from turnkeyml.verify.tolerances import BARELY_OFF, FAR_BEYOND, OWN_FUNCTION_UNITS, RULES, Rules

Known = list[Calibration | None]
"""What is known of the original, for each output."""


def compare(
    outputs: Outputs, reference: Reference, precision: str, kin: Sequence[Reference] = ()
) -> Verification:
    """The verdict on what was computed in a precision.

    ``kin``: the original on other inputs. Where rounding turns no decision on these by luck, it may
    turn some on those.
    """
    if not reference.deterministic:
        return compare_runs([outputs], reference, precision)
    found = _against(reference.outputs, outputs, reference, precision, kin)
    if found.trusted or reference.verified is None:
        return found
    built = _against(
        reference.verified, outputs, Reference(reference.inputs, reference.verified), precision
    )
    if built.verdict is not Verdict.MATCH:
        return found
    reason = f"computes the same as the build, which was verified in parts; {found.reason}"
    return replace(built, verdict=Verdict.IN_PARTS, cause=Cause.IN_PARTS, reason=reason)


def _against(
    expected: Outputs,
    outputs: Outputs,
    reference: Reference,
    precision: str,
    kin: Sequence[Reference] = (),
) -> Verification:
    golden = widened(expected)
    found = _complex_again(widened(outputs), golden)
    shapes = [a.shape for a in golden], [a.shape for a in found]
    if shapes[0] != shapes[1]:
        return Verification(
            Verdict.MISMATCH,
            Cause.OTHER_SHAPES,
            f"the shapes differ: {shapes[1]} instead of {shapes[0]}",
        )
    if not golden:
        return Verification(
            Verdict.NOT_CHECKED, Cause.NO_OUTPUT, "the model returns no tensor to compare"
        )
    seen, known = _seen(found, golden, reference, precision, kin)
    verdict, cause, reason = _conclude(seen, precision)
    if not verdict.trusted and cause not in (Cause.NOT_FINITE, Cause.OTHER_PLACES):
        reason = f"{reason}{_decided_by(seen, list(expected), reference.floors)}"
    if verdict is Verdict.CLOSE:
        cause = _why_close(found, golden, known, precision, reference.floors)
    return Verification(
        verdict,
        cause,
        reason,
        max_absolute_error=max(s.absolute for s in seen),
        max_relative_error=max(s.relative for s in seen),
        cosine=min(s.cosine for s in seen),
    )


def _seen(
    found: list[np.ndarray],
    golden: list[np.ndarray],
    reference: Reference,
    precision: str,
    kin: Sequence[Reference],
) -> tuple[list[Judgement], Known]:
    """How far each output is off, judged with as little knowledge as it takes, and that."""
    rules, floors = RULES[precision], reference.floors
    known: Known = [None] * len(golden)
    seen = _judgements(found, golden, known, rules, floors)
    good_enough = reference.costly and all(s.matches for s in seen)
    if good_enough or all(s.basis is Basis.TIGHT for s in seen):
        return seen, known
    known = _calibrations(golden, reference, precision, kin)
    if not any(known):
        return seen, known
    seen = _judgements(found, golden, known, rules, floors)
    if all(s.matches for s in seen) and not _may_jump(seen, golden, known, rules):
        return seen, known
    known = _with_reach(known, reference, precision)
    return _judgements(found, golden, known, rules, floors), known


def _why_close(
    found: list[np.ndarray],
    golden: list[np.ndarray],
    known: Known,
    precision: str,
    floors: Sequence[Floor],
) -> Cause:
    """Whether it is far off for outputs that are close, or hardly at all."""
    if _is_beyond_rounding(found, golden, known, precision, floors):
        return Cause.BEYOND_ROUNDING
    rules = replace(RULES[precision], tight=BARELY_OFF)
    seen = _judgements(found, golden, [None] * len(golden), rules, floors)
    near = all(s.basis is Basis.TIGHT for s in seen)
    return Cause.WITHIN_TOLERANCE if near else Cause.SAME_DIRECTION


def _is_beyond_rounding(
    found: list[np.ndarray],
    golden: list[np.ndarray],
    known: Known,
    precision: str,
    floors: Sequence[Floor],
) -> bool:
    """Whether errors are far larger than rounding explains, where it is known what it does."""
    if not all(k is not None and k.reach is not None for k in known):
        return False
    rules = RULES[precision]
    pairs = zip(found, golden, strict=True)
    kept = [_without_units(a, g, rules) if g.dtype.kind == "f" else a for a, g in pairs]
    seen = _judgements(kept, golden, known, rules.relaxed(FAR_BEYOND), floors)
    return not all(s.matches for s in seen)


def _without_units(found: np.ndarray, golden: np.ndarray, rules: Rules) -> np.ndarray:
    """Numbers without errors of a few roundings of the largest of them."""
    finite = np.abs(golden[np.isfinite(golden)])
    with np.errstate(invalid="ignore"):
        small = np.abs(found - golden) <= OWN_FUNCTION_UNITS * rules.unit * finite.max(initial=0.0)
    return np.where(small, golden, found)


def _complex_again(found: list[np.ndarray], golden: list[np.ndarray]) -> list[np.ndarray]:
    """ONNX has no complex numbers; exporters write them as pairs of real ones."""
    return (
        [
            a[..., 0] + 1j * a[..., 1] if g.dtype.kind == "c" and a.shape == (*g.shape, 2) else a
            for a, g in zip(found, golden, strict=True)
        ]
        if len(found) == len(golden)
        else found
    )


def _calibrations(
    golden: list[np.ndarray], reference: Reference, precision: str, kin: Sequence[Reference] = ()
) -> Known:
    """What the original gives in the precision and in a more exact one, for each output."""
    rules = RULES[precision]
    if rules.more_exact is None:
        return [None] * len(golden)
    names = rules.more_exact, rules.original_in or precision
    exact, original = map(reference.in_precision, names)
    if exact is None or original is None or not len(exact) == len(original) == len(golden):
        return [None] * len(golden)
    pairs = zip(widened(original), widened(exact), strict=True)
    found = [Calibration(o, e) for o, e in pairs]
    others = [known for known in kin if all(n in known.known for n in names)]
    turned = [_calibrations(widened(other.outputs), other, precision) for other in others]
    return [
        replace(c, turned=_most_turned(c, alike)) for c, *alike in zip(found, *turned, strict=False)
    ]


def _with_reach(calibrations: Known, reference: Reference, precision: str) -> Known:
    """What is known of each output, and where larger roundings take it if that can be known."""
    if reference.costly:
        return calibrations
    reach = reference.reach(RULES[precision].original_in or precision)
    if reach is None or len(reach) != len(calibrations):
        return calibrations
    pairs = zip(calibrations, reach.values(), strict=True)
    return [known and replace(known, reach=Reach.of(found)) for known, found in pairs]


def _may_jump(
    seen: list[Judgement], golden: list[np.ndarray], calibrations: Known, rules: Rules
) -> bool:
    """Whether rounding makes some numbers of the original jump, or has turned some decisions."""
    return any(
        jumps(g, c, rules) if g.dtype.kind in "fc" else s.basis is not Basis.TIGHT
        for s, g, c in zip(seen, golden, calibrations, strict=True)
        if c is not None
    )


def _most_turned(ours: Calibration, others: Sequence[Calibration | None]) -> int:
    """The most decisions that the original turns on other inputs; 0 if it makes none."""
    if ours.exact.dtype.kind not in "biu":
        return 0
    alike = [c for c in others if c is not None and c.exact.shape == ours.exact.shape]
    return max((c.own for c in alike), default=0)


def _judgements(
    found: list[np.ndarray],
    golden: list[np.ndarray],
    calibrations: Known,
    rules: Rules,
    floors: Sequence[Floor],
) -> list[Judgement]:
    scores = [g for g in golden if g.dtype.kind == "f" and g.size]
    columns = zip(found, golden, calibrations, floors, strict=True)
    return [_judge((a, g), known, scores, rules, floor) for a, g, known, floor in columns]


def _judge(
    pair: tuple[np.ndarray, np.ndarray],
    known: Calibration | None,
    scores: list[np.ndarray],
    rules: Rules,
    floor: Floor,
) -> Judgement:
    """Judge one output."""
    found, golden = pair
    if golden.size == 0:
        return Judgement(basis=Basis.TIGHT)
    if golden.dtype.kind == "b":
        return judge_booleans(found.astype(bool), golden, scores, known, rules)
    if golden.dtype.kind in "iu":
        return judge_integers(found, golden, scores, known, rules)
    if golden.dtype.kind in "fc":
        return judge_floats(found, golden, known, rules, floor)
    if found.dtype.kind in "biufc":
        return Judgement(1.0, 1.0, 0.0, agreement=0.0)
    return _judge_strings(found, golden, known, rules)


def _judge_strings(
    found: np.ndarray, golden: np.ndarray, known: Calibration | None, rules: Rules
) -> Judgement:
    """Judge labels as decisions among all strings that occur."""
    arrays = [found, golden, *([known.original, known.exact] if known else [])]
    if len({array.shape for array in arrays}) > 1:
        arrays, known = arrays[:2], None
    _, numbers = np.unique(np.stack(arrays).astype(str), return_inverse=True)
    numbers = numbers.reshape(len(arrays), *found.shape)
    calibration = Calibration(numbers[2], numbers[3]) if known else None
    seen = judge_integers(numbers[0], numbers[1], (), calibration, rules)
    wrong = 1 - seen.agreement
    return replace(seen, absolute=wrong, relative=wrong, cosine=seen.agreement)


def _conclude(seen: list[Judgement], precision: str) -> tuple[Verdict, Cause, str]:
    """The verdict on all outputs together."""
    if all(s.matches for s in seen):
        return Verdict.MATCH, *_why_match({s.basis for s in seen}, precision)
    if any(s.not_finite for s in seen):
        reason = "infinite or NaN where the original has a finite number"
        return Verdict.MISMATCH, Cause.NOT_FINITE, reason
    if any(s.moved for s in seen):
        reason = "infinities, NaNs or mask values are not where the original has them"
        return Verdict.MISMATCH, Cause.OTHER_PLACES, reason
    return _why_not(seen, precision)


def _decided_by(seen: list[Judgement], names: list[str], floors: Sequence[Floor]) -> str:
    """The first output that does not match and the number in it that decided, as the end of a
    sentence."""
    place = next(place for place, s in enumerate(seen) if not s.matches)
    found = seen[place]
    detail = found.detail or f"{1 - found.agreement:.2g} of its numbers are others"
    operator = floors[place].operator
    floor = f", with the floor of {operator}" if operator else ""
    return f"; output {names[place]}: {detail}{floor}"


def _why_match(bases: set[Basis], precision: str) -> tuple[Cause, str]:
    """By the weakest of what the outputs match by."""
    rules = RULES[precision]
    if Basis.LOOSE in bases:
        reason = f"every output within {rules.loose:g} ({precision})"
        unknown = f"how exact the original is in {rules.original_in or precision} is not known"
        return Cause.WITHIN_TOLERANCE, f"{reason}; {unknown}" if rules.more_exact else reason
    if Basis.CALIBRATED in bases:
        reason = (
            f"at most {rules.factor:g} times as far from the original in {rules.more_exact}"
            f" as the original in {rules.original_in or precision}"
        )
        return Cause.AS_EXACT_AS_ORIGINAL, reason
    return Cause.WITHIN_TOLERANCE, f"every output within {rules.tight:g} ({precision})"


def _why_not(seen: list[Judgement], precision: str) -> tuple[Verdict, Cause, str]:
    rules = RULES[precision]
    beyond = f"beyond {rules.tight:g} ({precision})"
    if all(s.matches or s.similar for s in seen):
        reason = f"{beyond}, but of the same direction and magnitude (weaker evidence)"
        return Verdict.CLOSE, Cause.SAME_DIRECTION, reason
    if any(s.basis is Basis.UNSTABLE for s in seen):
        other = rules.more_exact if precision == "fp32" else rules.original_in or precision
        reason = f"{beyond}; the original itself gives other results in {other}"
        return Verdict.MISMATCH, Cause.ORIGINAL_UNSTABLE, reason
    return Verdict.MISMATCH, Cause.BEYOND_TOLERANCE, beyond
