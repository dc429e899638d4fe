"""``turnkeyml.cli.spawn.DEFAULT_TIMEOUT_SECONDS``."""

from turnkeyml.launch.run import DEFAULT_TIMEOUT_SECONDS

__all__ = ["DEFAULT_TIMEOUT_SECONDS"]
