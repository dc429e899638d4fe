"""``remeasure``: measure existing builds again, without their scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from turnkeyml.api.builds import cache_of, select_builds
from turnkeyml.api.plan import plan_of
from turnkeyml.nouns import Evaluation
from turnkeyml.options import RemeasureOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["remeasure"]


@takes(RemeasureOptions)
def remeasure(
    build_names: str | Iterable[str] = (),
    *,
    on_result: Callable[[str, list[Evaluation]], None] | None = None,
    **options: Unpack[RemeasureOptions],
) -> dict[str, list[Evaluation]]:
    """Measure existing builds again; the evaluations by build name, empty if all were skipped.

    This needs neither the scripts nor torch. ``on_result`` is called with the name and the
    evaluations of a build as soon as they are known.
    """
    from turnkeyml.evaluate.remeasure import measure_again

    plan = plan_of(options)
    found: dict[str, list[Evaluation]] = {}
    for folder in select_builds(build_names, cache_of(options), options["all"]):
        found[folder.name] = measure_again(folder, plan, options["skip"])
        if on_result is not None:
            on_result(folder.name, found[folder.name])
    return found
