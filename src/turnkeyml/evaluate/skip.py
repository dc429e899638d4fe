"""The skip policies: which builds are not measured again."""

from __future__ import annotations

SKIP: dict[str, frozenset[str]] = {
    "attempted": frozenset({"successful", "failed"}),
    "failed": frozenset({"failed"}),
    "successful": frozenset({"successful"}),
    "none": frozenset(),
}
"""For each policy, the statuses of earlier evaluations that are skipped."""
