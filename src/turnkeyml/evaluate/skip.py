"""Which earlier measurements keep a build from being measured again."""

from __future__ import annotations

__all__ = ["SKIP"]

SKIP: dict[str, frozenset[str]] = {
    "attempted": frozenset({"successful", "failed"}),
    "failed": frozenset({"failed"}),
    "successful": frozenset({"successful"}),
    "none": frozenset(),
}
"""For each policy, the outcomes of earlier measurements that are left as they are."""
