"""``--dry-run``: what a benchmark or a race would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnkeyml.api.files import InputFiles, input_names, race_plan
from turnkeyml.api.launching import launch_of
from turnkeyml.api.plan import plan_of
from turnkeyml.nouns import Forecast
from turnkeyml.options import BenchmarkOptions, RaceOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.launch import Launch
    from turnkeyml.nouns import Plan


@takes(BenchmarkOptions)
def forecast_benchmark(input_files: InputFiles, **options: Unpack[BenchmarkOptions]) -> Forecast:
    """What ``benchmark_files`` would do with the same arguments. It runs and writes nothing."""
    return _forecast(input_files, plan_of(options), launch_of(options, None))


@takes(RaceOptions)
def forecast_race(input_files: InputFiles, **options: Unpack[RaceOptions]) -> Forecast:
    """What ``race_files`` would do with the same arguments. It runs and writes nothing."""
    return _forecast(input_files, race_plan(options), launch_of(options, None, as_race=True))


def _forecast(input_files: InputFiles, plan: Plan, launch: Launch) -> Forecast:
    from turnkeyml.launch import find_tasks, forecast

    return forecast(find_tasks(input_names(input_files), plan, launch), launch)
