"""Ways to damage a file, as hypothesis chooses them."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies

ALIASES = "\n".join(
    ["a0: &a0 [1, 1]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
)
"""Forty lines that stand for a million million values."""

WRONG = [
    None,
    True,
    -1,
    2**63,
    10**400,
    float("nan"),
    float("inf"),
    1e308,
    "",
    "word",
    "../../outside",
    "=1+1",
    "\x1b[31mred",
    "a\0b",
    [],
    [[]],
    [1, "a", None],
    {},
    {"name": 1},
    [{"name": []}, 5],
]
"""What may stand where something else should."""

TEXTS = {
    "nested lists": b"[" * 10_000,
    "nested block lists": b"- " * 10_000,
    "nested mappings": b'{"a":' * 10_000,
    "closed nested lists": b"[" * 500 + b"]" * 500,
    "a huge number": b"a: " + b"9" * 400,
    "an endless number": b"9" * 5_000,
    "sixties": b"a: " + b":".join([b"1"] * 5_000),
    "aliases": ALIASES.encode(),
    "a tag": b"!!python/object/apply:os.getpid []",
    "a date": b"build_name: 2024-99-99",
    "null": b"null",
    "a list": b"[1, 2]",
    "a number as a name": b"1: 2",
    "half a character": b'{"a": "\\ud800"}',
    "zeros": b"\0" * 100,
    "no text": b"\xff\xfe\x80\x81" * 20,
    "two documents": b"--- a\n--- b\n",
    "a zip without anything": b"PK\x05\x06" + b"\0" * 18,
}
"""Whole contents; nothing that we write looks like any of them."""


@dataclass(frozen=True)
class Damage:
    """Something that can be done to a file."""

    name: str
    do: Callable[[Path], None]
    certain: bool = False
    """Whether no file of ours can be read after it."""

    def __repr__(self) -> str:
        return self.name


def _cut(share: float) -> Damage:
    def do(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return Damage(f"cut to {share:.3f}", do, certain=share == 0.0)


def _splice(place: float, junk: bytes, over: bool) -> Damage:
    def do(path: Path) -> None:
        data = path.read_bytes()
        at = int(len(data) * place)
        path.write_bytes(data[:at] + junk + data[at + len(junk) * over :])

    return Damage(f"{junk!r} {'over' if over else 'into'} {place:.3f}", do)


def _flip(seed: int) -> Damage:
    def do(path: Path) -> None:
        data, chance = bytearray(path.read_bytes()), random.Random(seed)
        for _ in range(1 + len(data) // 200):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)

    return Damage(f"bits flipped by {seed}", do)


def _replace_by(name: str) -> Damage:
    return Damage(name, lambda path: path.write_bytes(TEXTS[name]) and None, certain=True)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("something")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _swap_value(seed: int, value: Any) -> Damage:
    """Something of another type somewhere in a record; elsewhere, as good as nothing."""

    def do(path: Path) -> None:
        is_json = path.suffix == ".json"
        if not is_json and path.suffix != ".yaml":
            return
        data = json.loads(path.read_text()) if is_json else yaml.safe_load(path.read_text())
        places = list(_places(data))
        holder, key = places[seed % len(places)]
        holder[key] = value
        dumped = json.dumps(data) if is_json else yaml.safe_dump(data, sort_keys=False)
        path.write_text(dumped)

    return Damage(f"{str(value)[:20]!r} at {seed}", do)


def _places(data: Any) -> Any:
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in list(pairs):
        yield data, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


SHARES = strategies.floats(0.0, 0.999)
SEEDS = strategies.integers(0, 10_000)

DAMAGES = strategies.one_of(
    strategies.builds(_cut, SHARES),
    strategies.just(_cut(0.0)),
    strategies.builds(_splice, SHARES, strategies.binary(min_size=1), strategies.booleans()),
    strategies.builds(_flip, SEEDS),
    strategies.sampled_from(sorted(TEXTS)).map(_replace_by),
    strategies.builds(_swap_value, SEEDS, strategies.sampled_from(WRONG)),
    strategies.builds(_swap_value, SEEDS, strategies.sampled_from(WRONG)),
    strategies.sampled_from(
        [
            Damage("a folder in its place", _folder, certain=True),
            Damage("a pipe in its place", _pipe, certain=True),
            Damage("a link to itself in its place", _loop, certain=True),
        ]
    ),
)
"""One way to damage a file."""
