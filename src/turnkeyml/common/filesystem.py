"""The import path of ``Stats`` that plugins use."""

from turnkeyml.runtimes import Stats

__all__ = ["Stats"]
