"""Alias of ``turnkeyml.parser``."""

from turnkeyml.parser import parse

__all__ = ["parse"]
