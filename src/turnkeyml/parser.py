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
    """A parameter that every script calls by the same name."""

    default: Any
    kind: Callable[[str], Any]
    meaning: str


def _truth(word: str) -> bool:
    if word.lower() in ("true", "1", "yes"):
        return True
    if word.lower() in ("false", "0", "no"):
        return False
    raise argparse.ArgumentTypeError(f"true or false, not {word!r}")


PARAMETERS = {
    "batch_size": Parameter(1, int, "inputs in a batch"),
    "max_seq_length": Parameter(128, int, "length of the input sequence"),
    "max_audio_seq_length": Parameter(25600, int, "length of the audio input"),
    "height": Parameter(224, int, "height of the input image"),
    "num_channels": Parameter(3, int, "channels of the input image"),
    "width": Parameter(224, int, "width of the input image"),
    "pretrained": Parameter(False, _truth, "load the published weights"),
    "k": Parameter(8, int, "neighbours, or steps, of a graph convolution"),
    "alpha": Parameter(2.2, float, "alpha of a graph convolution"),
    "out_channels": Parameter(16, int, "output channels of a graph convolution"),
    "num_layers": Parameter(8, int, "layers of a graph convolution"),
    "in_channels": Parameter(1433, int, "input channels of a graph convolution"),
}


def parse(names: Sequence[str], **defaults: Any) -> Any:
    """The values of some parameters, from the command line or their defaults, in order.

    A keyword gives a parameter another default in this script: ``height=299``. A single one comes
    as a value that is also a sequence of itself, because scripts are written both as
    ``size = parse(["batch_size"])`` and as ``size = parse(["batch_size"])[0]``.
    """
    if isinstance(names, str):
        names = [names]
    unknown = [name for name in [*names, *defaults] if name not in PARAMETERS]
    if unknown:
        there = ", ".join(PARAMETERS)
        raise ValueError(
            f"There is no standard parameter {', '.join(unknown)}; there are: {there}."
        )
    parser = argparse.ArgumentParser(description=getattr(sys.modules["__main__"], "__doc__", None))
    for name in names:
        known = PARAMETERS[name]
        more: dict[str, Any] = {"nargs": "?", "const": True} if known.kind is _truth else {}
        default = defaults.get(name, known.default)
        text = f"{known.meaning} (default: {default})"
        parser.add_argument(f"--{name}", type=known.kind, default=default, help=text, **more)
    options = parser.parse_args()
    values = [getattr(options, name) for name in names]
    return _single(values[0]) if len(values) == 1 else values


def _single(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return _Whole(value) if isinstance(value, int) else _Real(value)


class _Itself:
    """Makes a number a sequence of one as well."""

    def __iter__(self) -> Iterator[Any]:
        return iter([self])

    def __getitem__(self, index: int) -> Any:
        return [self][index]

    def __len__(self) -> int:
        return 1


class _Whole(_Itself, int):
    pass


class _Real(_Itself, float):
    pass
