"""The import path of ``BaseRT`` that plugins use."""

from turnkeyml.runtimes import BaseRT

__all__ = ["BaseRT"]
