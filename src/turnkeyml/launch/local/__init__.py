"""Run tasks in child processes on this machine."""
