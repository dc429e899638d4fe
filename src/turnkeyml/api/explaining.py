"""``explain``: why is a model as slow as it is?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.api.builds import cache_of, select_builds
from turnkeyml.api.plan import plan_of
from turnkeyml.cache import BuildFolder, update_invocation
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Explanation, InputResult, Plan, split_hashes
from turnkeyml.options import BenchmarkOptions, ExplainOptions, options_of, takes
from turnkeyml.runtimes import find_runtime

if TYPE_CHECKING:
    from typing_extensions import Unpack

Tell = Callable[[str], None]


@takes(ExplainOptions)
def explain(
    targets: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    on_result: Callable[[Explanation], None] | None = None,
    on_step: Tell | None = None,
    **options: Unpack[ExplainOptions],
) -> list[Explanation]:
    """Why models are as slow as they are: one explanation per build, runtime,
    precision and interpreter.

    A target is the name of a build in the cache, a script or an ONNX file; files are built first.
    ``on_result`` is called with each explanation as soon as it is known, ``on_step`` with a
    sentence about what is being done. Each explanation is also kept in the folder of its build.
    """
    from turnkeyml.explanation import explain_build

    plan = plan_of(options)
    remeasure = options["remeasure_peaks"]
    found = []
    for folder in _builds(targets, plan, options):
        for one in _plans(plan):
            explanation = explain_build(
                folder, one, remeasure_peaks=remeasure, tell=on_step or _tell_nobody
            )
            remeasure = False
            found.append(explanation)
            if on_result is not None:
                on_result(explanation)
    return found


def _tell_nobody(step: str) -> None:
    """What is done if nobody wants to hear of it."""


def _plans(plan: Plan) -> Iterator[Plan]:
    """The plan for each runtime, precision and interpreter."""
    for runtime in plan.runtimes:
        for precision in plan.precisions or ("",):
            precisions = (precision,) if precision else ()
            for place in plan.places or (None,):
                places = (place,) if place else ()
                yield replace(plan, runtimes=(runtime,), precisions=precisions, places=places)


def _builds(
    targets: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    plan: Plan,
    options: Mapping[str, Any],
) -> Iterator[BuildFolder]:
    names = [targets] if isinstance(targets, (str, os.PathLike)) else targets
    for name in [os.fspath(name) for name in names]:
        if _is_file(name):
            yield from _built(name, plan, options)
        else:
            yield from select_builds(name, cache_of(options))


def _is_file(name: str) -> bool:
    """Whether a target is an input; a build name has neither a suffix of one nor a slash."""
    path, _ = split_hashes(name)
    return path.lower().endswith((".py", ".onnx", ".txt")) or os.sep in path


def _built(name: str, plan: Plan, options: Mapping[str, Any]) -> Iterator[BuildFolder]:
    """The builds of the models in a file."""
    from turnkeyml.api.files import benchmark_files

    known = options_of(BenchmarkOptions)
    passed: Any = {key: value for key, value in options.items() if key in known}
    if any(find_runtime(runtime, plan.device).measures_files for runtime in plan.runtimes):
        for result in benchmark_files(name, build_only=True, **passed):
            yield from _folders(result, plan)
        return
    for result in benchmark_files(name, analyze_only=True, **passed):
        yield from _live_folders(result, plan)


def _live_folders(result: InputResult, plan: Plan) -> Iterator[BuildFolder]:
    """The folders of models that are measured live, for which nothing is built."""
    if not result.invocations:
        raise MeasureError(f"{result.input.name}: {result.failure or 'it calls no model'}")
    for one in result.invocations:
        folder = BuildFolder(Path(plan.cache_dir), one.invocation.build_name)
        with folder.lock():
            folder.path.mkdir(parents=True, exist_ok=True)
            update_invocation(folder, one.invocation, result.input.labels)
        yield folder


def _folders(result: InputResult, plan: Plan) -> Iterator[BuildFolder]:
    built = [one for one in result.invocations if one.build_dir is not None]
    for one in built:
        if one.failure:
            raise MeasureError(f"{one.invocation.name} was not built: {one.failure}")
        assert one.build_dir is not None
        yield BuildFolder(Path(plan.cache_dir), Path(one.build_dir).name)
    if not built:
        raise MeasureError(f"{result.input.name}: {result.failure or 'it calls no model'}")
