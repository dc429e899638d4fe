"""``list_models``: the models that come with turnkeyml."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from turnkeyml.discover import parse_filter, shipped_models
from turnkeyml.errors import UsageError
from turnkeyml.options import ModelsOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(ModelsOptions)
def list_models(
    names: str | Iterable[str] = (), **options: Unpack[ModelsOptions]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The models that come with turnkeyml, all or some, with their labels.

    ``names`` are corpora (``timm``), models (``timm/resnet50``) or patterns (``timm/resnet*``).
    """
    patterns = [names] if isinstance(names, str) else list(names)
    found = dict(shipped_models(patterns, parse_filter(options["labels"])))
    if not found:
        raise UsageError(f"No model has the labels {' '.join(options['labels'])}.")
    return found
