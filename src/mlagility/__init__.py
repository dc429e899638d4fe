"""The former name of turnkeyml, so that older scripts run unchanged."""

from turnkeyml import __version__
from turnkeyml.parser import parse

__all__ = ["__version__", "parse"]
