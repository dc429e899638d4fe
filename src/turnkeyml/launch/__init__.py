"""Where an Input is evaluated: always in a process of its own."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "backend": "Ending How TaskObservation TaskState Terms sentence",
        "dry_run": "forecast",
        "follow": "Follower",
        "local.backend": "LEAST_SCRIPTS shared_imports",
        "pool": "Limits Pool",
        "run": "DEFAULT_TIMEOUT_SECONDS Launch RunJournal default_seconds find_tasks results",
        "slurm.job": "TERMS",
        "slurm.run": "SlurmOptions Submitter open_run parse_arguments",
    },
)
