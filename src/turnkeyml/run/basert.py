"""The import path of ``BaseRT`` that plugins use."""

from turnkeyml.runtimes.base_rt import BaseRT

__all__ = ["BaseRT"]
