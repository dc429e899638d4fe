"""``turnkey cache print``: the same as ``stats``."""

from turnkeyml.cli.cache_stats import run

__all__ = ["run"]
