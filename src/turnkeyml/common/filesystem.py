"""The import path of ``Stats`` that plugins use."""

from turnkeyml.runtimes.base_rt import Stats

__all__ = ["Stats"]
