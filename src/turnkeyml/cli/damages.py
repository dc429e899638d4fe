"""What every ``turnkey cache`` command says about builds whose records are damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnkeyml.api import cache_of, select_builds
from turnkeyml.cache import damages
from turnkeyml.display import print_errors


def tell_damages(
    build_names: str | Iterable[str], options: Mapping[str, Any], every: bool = False
) -> None:
    """Print a sentence for each record of the builds that cannot be read."""
    for folder in select_builds(build_names, cache_of(options), every):
        for sentence in damages(folder):
            print_errors(f"Warning: {sentence}")
