# Written by .ci/doors from the table in __init__.py.
from turnkeyml.launch.backend import (
    Ending as Ending, How as How, TaskObservation as TaskObservation, TaskState as TaskState, Terms
    as Terms, sentence as sentence,
)
from turnkeyml.launch.dry_run import forecast as forecast
from turnkeyml.launch.follow import Follower as Follower
from turnkeyml.launch.local.backend import (
    LEAST_SCRIPTS as LEAST_SCRIPTS, shared_imports as shared_imports,
)
from turnkeyml.launch.pool import Limits as Limits, Pool as Pool
from turnkeyml.launch.run import (
    DEFAULT_TIMEOUT_SECONDS as DEFAULT_TIMEOUT_SECONDS, Launch as Launch, RunJournal as RunJournal,
    default_seconds as default_seconds, find_tasks as find_tasks, results as results,
)
from turnkeyml.launch.slurm.job import TERMS as TERMS
from turnkeyml.launch.slurm.run import (
    SlurmOptions as SlurmOptions, Submitter as Submitter, open_run as open_run, parse_arguments as
    parse_arguments,
)
