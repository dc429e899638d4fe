"""``turnkeyml.cli.spawn.DEFAULT_TIMEOUT_SECONDS``."""

from turnkeyml.api import DEFAULT_TIMEOUT_SECONDS

__all__ = ["DEFAULT_TIMEOUT_SECONDS"]
