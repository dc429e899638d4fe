"""Where an Input is evaluated: always in a process of its own."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "backend": "Observation State",
        "dry_run": "forecast",
        "endings": "Ending How Terms sentence",
        "follow": "Follower",
        "journal": "Journal",
        "local.preload": "LEAST_SCRIPTS shared_imports",
        "pool": "Limits Pool",
        "run": "DEFAULT_TIMEOUT_SECONDS Launch default_seconds find_tasks results",
        "slurm.endings": "TERMS",
        "slurm.options": "SlurmOptions parse_arguments",
        "slurm.run": "open_run",
        "slurm.submit": "Submitter",
    },
)
