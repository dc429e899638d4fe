"""Alias of ``DEFAULT_TIMEOUT_SECONDS``, which the guides import from here."""

from turnkeyml.launch import DEFAULT_TIMEOUT_SECONDS

__all__ = ["DEFAULT_TIMEOUT_SECONDS"]
