"""Running tasks in child processes of this machine."""
