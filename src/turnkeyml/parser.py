"""Standard parameters for model scripts.

    batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

A script that does this runs under plain ``python`` and under ``turnkey`` alike, and takes
``--batch_size 8`` and the like in both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["PARAMETERS", "Parameter", "parse"]


@dataclass(frozen=True)
class Parameter:
    """A parameter that has the same name in every script."""

    default: Any
    kind: Callable[[str], Any]
    meaning: str


def _boolean(word: str) -> bool:
    if word.lower() in ("true", "1", "yes"):
        return True
    if word.lower() in ("false", "0", "no"):
        return False
    raise argparse.ArgumentTypeError(f"must be true or false, not {word!r}")


PARAMETERS = {
    "batch_size": Parameter(1, int, "inputs per batch"),
    "max_seq_length": Parameter(128, int, "length of the input sequence"),
    "max_audio_seq_length": Parameter(25600, int, "length of the audio input"),
    "height": Parameter(224, int, "height of the input image"),
    "num_channels": Parameter(3, int, "channels of the input image"),
    "width": Parameter(224, int, "width of the input image"),
    "pretrained": Parameter(False, _boolean, "load pretrained weights"),
    "k": Parameter(8, int, "neighbors, or steps, of a graph convolution"),
    "alpha": Parameter(2.2, float, "alpha of a graph convolution"),
    "out_channels": Parameter(16, int, "output channels of a graph convolution"),
    "num_layers": Parameter(8, int, "layers of a graph convolution"),
    "in_channels": Parameter(1433, int, "input channels of a graph convolution"),
}


def parse(names: Sequence[str], **defaults: Any) -> Any:
    """The values of the named parameters, in order: from the command line, or the defaults.

    A keyword overrides the default of a parameter in this script: ``height=299``. With a single
    name the result is one value, which also behaves like a one-element list, because scripts use
    both ``batch = parse(["batch_size"])`` and ``batch = parse(["batch_size"])[0]``.
    """
    if isinstance(names, str):
        names = [names]
    unknown = [name for name in [*names, *defaults] if name not in PARAMETERS]
    if unknown:
        known_names = ", ".join(PARAMETERS)
        raise ValueError(
            f"Unknown standard parameter {', '.join(unknown)}; choose from: {known_names}."
        )
    parser = argparse.ArgumentParser(description=getattr(sys.modules["__main__"], "__doc__", None))
    for name in names:
        known = PARAMETERS[name]
        flag: dict[str, Any] = {"nargs": "?", "const": True} if known.kind is _boolean else {}
        default = defaults.get(name, known.default)
        text = f"{known.meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=known.kind, default=default, help=text, **flag)
    options = parser.parse_args()
    values = [getattr(options, name) for name in names]
    return _single(values[0]) if len(values) == 1 else values


def _single(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return _Integer(value) if isinstance(value, int) else _Float(value)


class _OneElementList:
    """Makes a number also behave like a one-element list."""

    def __iter__(self) -> Iterator[Any]:
        return iter([self])

    def __getitem__(self, index: int) -> Any:
        return [self][index]

    def __len__(self) -> int:
        return 1


class _Integer(_OneElementList, int):
    pass


class _Float(_OneElementList, float):
    pass
