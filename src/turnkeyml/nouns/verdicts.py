"""Verdicts: whether a build computes the same as the original, and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnkeyml.nouns.plain import Word

RECORDED_ONLY = "recorded inputs only"


class Verdict(Word):
    """Whether outputs agree with those of the original, from the best to the worst."""

    MATCH = "match"
    """Within the tolerance of the precision, or as exact as the original itself."""
    IN_PARTS = "match in parts"
    """Every subgraph matches, given what the original computes up to there; the model amplifies
    rounding too much for its outputs to be compared."""
    NONDETERMINISTIC = "nondeterministic"
    """The original does not repeat its own outputs, and the build cannot be told apart from another
    run of it."""
    SPECIALISED = "specialised"
    """A match on the recorded inputs, but not on others: the export froze a decision that depends
    on the values of the inputs."""
    CLOSE = "close"
    """Beyond the tolerance, but with the same direction and magnitude: weaker evidence."""
    MISMATCH = "mismatch"
    NOT_CHECKED = "not checked"

    @property
    def trusted(self) -> bool:
        """Whether the measurement may be compared with others: it computes the same."""
        return self in (Verdict.MATCH, Verdict.IN_PARTS, Verdict.NONDETERMINISTIC)

    @property
    def may_win(self) -> bool:
        """Whether it may win a race; specialised builds only where nothing else may."""
        return self.trusted or self in (Verdict.CLOSE, Verdict.SPECIALISED)

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Verdict).index(self)


class Cause(Word):
    """What decided a verdict."""

    WITHIN_TOLERANCE = "within tolerance"
    AS_EXACT_AS_ORIGINAL = "as exact as the original"
    IN_PARTS = "every subgraph matches"
    RECORDED_ONLY = "on the recorded inputs only"
    """It matches on the recorded inputs, and no other inputs could be compared."""
    STABLE_WEIGHTS = "matches with stable weights"
    """The outputs say nothing, because the model amplifies rounding. The same graph with weights at
    which it does not was compared instead."""
    ORIGINAL_RANDOM = "original is random"
    SAME_DIRECTION = "same direction"
    BEYOND_ROUNDING = "beyond rounding"
    """Of the same direction, but several times as far off as rounding takes the original."""
    BEYOND_TOLERANCE = "beyond tolerance"
    ORIGINAL_UNSTABLE = "original is unstable"
    """The original itself differs between precisions by more than a tenth."""
    NOT_FINITE = "not finite"
    HELD_OUT = "held-out inputs"
    """It matches on the recorded inputs, but not on held-out ones."""
    AFTER_TIMING = "after the timed runs"
    """It matched before the timed runs, and computes something else in them or after them."""
    OTHER_PLACES = "other places"
    """Infinities, NaNs or mask values are not where the original has them."""
    OTHER_SHAPES = "other shapes"
    CANNOT_RUN = "cannot run"
    NO_OUTPUT = "no output"
    NO_FILE = "no file"
    """The sequence made no file that could be checked."""
    NO_REFERENCE = "no reference"
    """The build has no outputs of the original."""


@dataclass(frozen=True)
class OperationCount:
    """What one run of the original does, as its operators were counted."""

    flops: float
    """Of matrix products, convolutions and attention."""
    weight_bytes: int
    """Of the weights that these read."""


@dataclass(frozen=True)
class Verification:
    """A verdict with its cause and the largest errors."""

    verdict: Verdict
    cause: Cause
    reason: str
    """The cause in a sentence."""
    max_absolute_error: float | None = None
    max_relative_error: float | None = None
    cosine: float | None = None
    held_out: int = 0
    """The number of held-out sets of inputs on which it matches too."""
    frozen: tuple[str, ...] = ()
    """Where the export froze a value, if that is known. Unless the verdict is ``specialised``, no
    other inputs exercised it."""
    stable_weights: bool = False
    """Whether it rests on an export of the same model with weights that do not amplify rounding."""
    operator: str | None = None
    """The operator that the runtime cannot run, if that is the cause and it is known."""

    @property
    def trusted(self) -> bool:
        return self.verdict.trusted

    @property
    def in_words(self) -> str:
        """The verdict, with a mark if no other than the recorded inputs could be compared."""
        return in_words(self.verdict, self.cause)

    @property
    def mark(self) -> str:
        """What to write behind the name of what it is about; empty for a plain match."""
        if self.trusted:
            return RECORDED_ONLY if is_recorded_only(self.verdict, self.cause) else ""
        return str(self.verdict)


def in_words(verdict: Verdict, cause: str | None) -> str:
    """A verdict as tables and lines show it, with the mark that its cause gives it."""
    return f"{verdict} ({RECORDED_ONLY})" if is_recorded_only(verdict, cause) else str(verdict)


def is_recorded_only(verdict: Verdict, cause: str | None) -> bool:
    """Whether it agrees on the recorded inputs, and no others could be compared."""
    return cause == Cause.RECORDED_ONLY and verdict.trusted


@dataclass(frozen=True)
class OutputOperator:
    """The operator that an output is the result of, if it has a floor; else its name is empty."""

    name: str = ""
    scale: float = 1.0
    """The smallest factor by which its results are multiplied, where it has such factors."""


@dataclass(frozen=True)
class ReferenceRecord:
    """The reference outputs that a build has, besides those in its own precision."""

    precision: str = "fp32"
    """The precision of the original."""
    deterministic: bool = True
    repeats: int = 0
    """How many more runs of an original it has that is not deterministic."""
    others: tuple[str, ...] = ()
    """Other precisions in which the original was run, because the verdict depended on it."""
    held_out: int = 0
    """The number of held-out sets of inputs with reference outputs."""
    held_out_others: tuple[tuple[str, ...], ...] = ()
    """For each of them, other precisions in which the original was run on it."""
    held_out_other_course: tuple[bool, ...] = ()
    """For each of them, whether the original is known to decide something else there."""
    sha256: dict[str, str] = field(default_factory=dict)
    """Of each file of recorded inputs and reference outputs, by its name."""
    padded: bool = False
    """Whether one more held-out set, after these, has masks that are padded on the left."""
    specialised: bool = False
    """Whether the export is only valid for the recorded inputs."""
    frozen: tuple[str, ...] = ()
    """Where the export froze a value, if that is known and other inputs did not match there."""
    verified: bool = False
    """Whether it also has the outputs of a build that was verified in parts."""
    held_out_verified: bool = False
    """Whether it has them for the held-out sets too."""
    stable_weights: bool = False
    """Whether the export was verified with weights that do not amplify rounding."""
    count: OperationCount | None = None
    """What one run of the original does; None if it was not counted."""
    operators: tuple[OutputOperator, ...] = ()
    """Of each output, the operator that it is the result of; empty if no graph tells."""
