# Written by .ci/doors from the table in __init__.py.
from turnkeyml.launch.backend import Observation as Observation, State as State
from turnkeyml.launch.dry_run import forecast as forecast
from turnkeyml.launch.endings import (
    Ending as Ending, How as How, Terms as Terms, sentence as sentence,
)
from turnkeyml.launch.follow import Follower as Follower
from turnkeyml.launch.journal import Journal as Journal
from turnkeyml.launch.local.preload import (
    LEAST_SCRIPTS as LEAST_SCRIPTS, shared_imports as shared_imports,
)
from turnkeyml.launch.pool import Limits as Limits, Pool as Pool
from turnkeyml.launch.run import (
    DEFAULT_TIMEOUT_SECONDS as DEFAULT_TIMEOUT_SECONDS, Launch as Launch, default_seconds as
    default_seconds, find_tasks as find_tasks, results as results,
)
from turnkeyml.launch.slurm.endings import TERMS as TERMS
from turnkeyml.launch.slurm.options import (
    SlurmOptions as SlurmOptions, parse_arguments as parse_arguments,
)
from turnkeyml.launch.slurm.run import open_run as open_run
from turnkeyml.launch.slurm.submit import Submitter as Submitter
