"""``remeasure``: measure existing builds again, without their scripts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from turnkeyml.api.builds import cache_of, select_builds
from turnkeyml.api.plan import named_runtimes, plan_of
from turnkeyml.nouns import Evaluation
from turnkeyml.options import RemeasureOptions, places_of, takes
from turnkeyml.runtimes import started_ahead

if TYPE_CHECKING:
    from typing_extensions import Unpack

WORKER = "turnkeyml.measure.worker"
"""What measures a build. It is named, not imported, as its interpreter may be another one."""


@takes(RemeasureOptions)
def remeasure(
    build_names: str | Iterable[str] = (),
    *,
    on_result: Callable[[str, list[Evaluation]], None] | None = None,
    on_warning: Callable[[str, str], None] | None = None,
    **options: Unpack[RemeasureOptions],
) -> dict[str, list[Evaluation]]:
    """Measure existing builds again; the evaluations by build name, empty if all were skipped.

    This needs neither the scripts nor torch. ``on_result`` is called with the name and the
    evaluations of a build as soon as they are known, ``on_warning`` with the name and a sentence
    before a build is measured whose files are not those that were built.
    """
    with started_ahead(places_of(options), named_runtimes(options), WORKER):
        from turnkeyml.evaluate import measure_again  # while they start

        plan = plan_of(options)
        found: dict[str, list[Evaluation]] = {}
        for folder in select_builds(build_names, cache_of(options), options["all"]):
            warn = functools.partial(on_warning, folder.name) if on_warning is not None else None
            found[folder.name] = measure_again(folder, plan, options["skip"], warn)
            if on_result is not None:
                on_result(folder.name, found[folder.name])
        return found
