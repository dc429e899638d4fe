# Written by .ci/doors from the table in __init__.py.
from turnkeyml.api.builds import (
    BuildStats as BuildStats, build_stats as build_stats, build_summaries as build_summaries,
    cache_of as cache_of, clean_builds as clean_builds, delete_builds as delete_builds, is_filtered
    as is_filtered, list_builds as list_builds, matching as matching, remeasure as remeasure,
    select_builds as select_builds,
)
from turnkeyml.api.explaining import explain as explain
from turnkeyml.api.files import (
    benchmark_files as benchmark_files, forecast_benchmark as forecast_benchmark, forecast_race as
    forecast_race, race_files as race_files,
)
from turnkeyml.api.models import benchmark_model as benchmark_model, build_model as build_model
from turnkeyml.api.plan import make_plan as make_plan
from turnkeyml.api.results import (
    compare as compare, conditions_met as conditions_met, report as report, save_comparison as
    save_comparison, save_report as save_report, serve as serve,
)
from turnkeyml.api.system import (
    list_models as list_models, list_plugins as list_plugins, system_info as system_info,
)
from turnkeyml.api.tuning import tune as tune
