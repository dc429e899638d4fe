# Written by .ci/doors from the table in __init__.py.
from turnkeyml.options.building import CacheOptions as CacheOptions
from turnkeyml.options.checks import is_input as is_input
from turnkeyml.options.choices import (
    default_device_name as default_device_name, known_precisions as known_precisions,
)
from turnkeyml.options.declared import (
    BenchmarkOptions as BenchmarkOptions, BuildOptions as BuildOptions, COMMANDS as COMMANDS,
    FUNCTIONS as FUNCTIONS, ModelOptions as ModelOptions, PlanOptions as PlanOptions, RaceOptions
    as RaceOptions, options_table as options_table,
)
from turnkeyml.options.measuring import (
    concurrencies as concurrencies, load_of as load_of, objective as objective, rates as rates,
)
from turnkeyml.options.option import (
    Option as Option, in_keywords as in_keywords, options_of as options_of, settle as settle, takes
    as takes,
)
from turnkeyml.options.places import hosts as hosts, places_of as places_of
from turnkeyml.options.results import (
    ChangeOptions as ChangeOptions, CompareOptions as CompareOptions, CompareView as CompareView,
    CompletionOptions as CompletionOptions, Confirmation as Confirmation, DryRun as DryRun,
    ExplainOptions as ExplainOptions, JsonView as JsonView, ListView as ListView, ModelsOptions as
    ModelsOptions, ModelsView as ModelsView, QuietView as QuietView, RemeasureOptions as
    RemeasureOptions, ReportOptions as ReportOptions, SelectOptions as SelectOptions, ServeOptions
    as ServeOptions, TraceView as TraceView, Verbose as Verbose,
)
from turnkeyml.options.tuning import TuneOptions as TuneOptions
