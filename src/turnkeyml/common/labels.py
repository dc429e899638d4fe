"""Alias of ``cache.stats.load_labels``, which the guides call ``load_from_cache``."""

from turnkeyml.cache import load_labels as load_from_cache

__all__ = ["load_from_cache"]
