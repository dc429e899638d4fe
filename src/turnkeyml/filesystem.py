"""Where things are, under the names that the guides give."""

from __future__ import annotations

from pathlib import Path

from turnkeyml import environment

__all__ = ["DEFAULT_CACHE_DIR", "MODELS_DIR"]

DEFAULT_CACHE_DIR = environment.cache_dir()
"""The cache that is used when nothing else is said."""

_PACKAGED = Path(__file__).parent / "models"
_IN_CHECKOUT = Path(__file__).parent.parent.parent / "models"

MODELS_DIR = str(_PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT)
"""The models that come with turnkeyml."""
