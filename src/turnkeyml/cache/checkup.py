"""What is wrong with a build, in sentences."""

from __future__ import annotations

from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import state_damage
from turnkeyml.cache.stats import stats_damages


def damages(folder: BuildFolder) -> list[str]:
    """What cannot be read of the records of a build; empty for one that is well."""
    of_state = state_damage(folder)
    return [*([of_state] if of_state else []), *stats_damages(folder)]
