"""The default directories, under the names that the user guides document."""

from __future__ import annotations

from pathlib import Path

from turnkeyml import environment

__all__ = ["DEFAULT_CACHE_DIR", "MODELS_DIR"]

DEFAULT_CACHE_DIR = environment.cache_dir()
"""The default cache directory."""

_PACKAGED = Path(__file__).parent / "models"
_IN_CHECKOUT = Path(__file__).parent.parent.parent / "models"

MODELS_DIR = str(_PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT)
"""The directory of the models that come with turnkeyml."""
