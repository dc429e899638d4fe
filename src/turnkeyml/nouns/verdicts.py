"""Does a build compute what the original computes: the verdict, and what decided it."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.nouns.plain import Word

__all__ = ["Cause", "ReferenceRecord", "Verdict", "Verification"]


class Verdict(Word):
    """Whether outputs agree with the original's, from the best to the worst."""

    MATCH = "match"
    """Within the tolerance of the precision, or as exact as the original itself."""
    NONDETERMINISTIC = "nondeterministic"
    """The original does not agree with itself, so nothing can be compared with it."""
    CLOSE = "close"
    """Beyond the tolerance, but of the same direction and magnitude: weaker evidence."""
    MISMATCH = "mismatch"
    NOT_CHECKED = "not checked"

    @property
    def trusted(self) -> bool:
        """Whether the number may be compared with others, and may win a race."""
        return self in (Verdict.MATCH, Verdict.NONDETERMINISTIC)

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Verdict).index(self)


class Cause(Word):
    """What decided a verdict."""

    WITHIN_TOLERANCE = "within tolerance"
    AS_EXACT_AS_ORIGINAL = "as exact as the original"
    IN_PARTS = "every subgraph matches"
    ORIGINAL_RANDOM = "original is random"
    SAME_DIRECTION = "same direction"
    BEYOND_TOLERANCE = "beyond tolerance"
    ORIGINAL_UNSTABLE = "original is unstable"
    """The original itself differs between precisions by more than a tenth."""
    NOT_FINITE = "not finite"
    OTHER_PLACES = "other places"
    """Infinities, NaNs or mask values are not where the original has them."""
    OTHER_SHAPES = "other shapes"
    CANNOT_RUN = "cannot run"
    NO_OUTPUT = "no output"
    NO_FILE = "no file"
    """The sequence made no file that could be checked."""
    NO_REFERENCE = "no reference"
    """The build does not hold what the original computes."""


@dataclass(frozen=True)
class Verification:
    """A verdict with its cause and the errors that were seen."""

    verdict: Verdict
    cause: Cause
    reason: str
    """The cause in words, for people."""
    max_absolute_error: float | None = None
    max_relative_error: float | None = None
    cosine: float | None = None
    operator: str | None = None
    """The operator that the runtime cannot run, if that is the cause and it names one."""

    @property
    def trusted(self) -> bool:
        return self.verdict.trusted


@dataclass(frozen=True)
class ReferenceRecord:
    """Which outputs of the original a build holds, besides those in its own precision."""

    precision: str = "fp32"
    """What the original computes in."""
    deterministic: bool = True
    others: tuple[str, ...] = ()
    """Other precisions in which the original was computed because the verdict depended on it."""
    verified: bool = False
    """Whether the outputs of a build that was verified subgraph by subgraph are there too."""
