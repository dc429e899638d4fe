"""Run tasks as Slurm jobs."""
