"""Running tasks as jobs of a Slurm cluster."""
