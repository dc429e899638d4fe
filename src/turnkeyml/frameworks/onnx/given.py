"""Inputs that the user gives in a ``.npz`` file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from turnkeyml.cache import read_archive, top_name, unpacked_bytes
from turnkeyml.errors import TurnkeyError
from turnkeyml.frameworks.onnx.declared import InputType
from turnkeyml.nouns import DamagedRecord

ALWAYS_BYTES = 1 << 30
"""What any archive may unpack to."""
MOST_RATIO = 20
"""How many times its size a larger archive may unpack to. Masks and token ids of real inputs
compress well; what compresses a thousand times is made to fill the memory."""


def read_inputs(path: str, inputs: list[InputType]) -> dict[str, np.ndarray]:
    """The arrays of a file by input; arrays without names belong to the inputs in order."""
    name = Path(path).name
    try:
        limit = max(ALWAYS_BYTES, MOST_RATIO * os.stat(path).st_size)
        _check_size(path, limit)
        arrays = read_archive(Path(path), limit)
    except FileNotFoundError:
        raise TurnkeyError(f"The file of inputs {path} does not exist.") from None
    except DamagedRecord as error:
        raise TurnkeyError(f"The file of inputs {path} cannot be read: {error}.") from None
    if arrays and all(key == f"arr_{i}" for i, key in enumerate(arrays)):
        arrays = dict(zip((i.name for i in inputs), arrays.values(), strict=False))
    known = {i.name: i for i in inputs}
    for key, array in arrays.items():
        if top_name(key) not in known and key not in known:
            words = ", ".join(known) or "none"
            raise TurnkeyError(
                f"{name} has an array {key!r}; the inputs of the model are: {words}."
            )
        _check(name, known[key if key in known else top_name(key)], key, array)
    return arrays


def _check_size(path: str, limit: int) -> None:
    """Raise an error, before anything is unpacked, if an archive unpacks to too much."""
    declared = unpacked_bytes(Path(path))
    if declared > limit:
        raise TurnkeyError(
            f"The file of inputs {path} unpacks to {declared / 1e9:,.1f} GB, which is more than "
            f"{MOST_RATIO} times its size; save it with numpy.savez, which does not compress."
        )


def _check(file: str, wanted: InputType, key: str, array: np.ndarray) -> None:
    """Raise an error if an array cannot be an input."""
    strings = array.dtype.kind in "US"
    if strings != (wanted.dtype.kind == "O") or array.dtype.kind == "c":
        kind = "string" if wanted.dtype.kind == "O" else wanted.dtype
        raise TurnkeyError(f"{key!r} in {file} is {array.dtype}; the model wants {kind}.")
    if key != wanted.name or wanted.dims is None:
        return
    fixed = [d if isinstance(d, int) else None for d in wanted.dims]
    fits = len(fixed) == array.ndim and all(
        f in (None, n) for f, n in zip(fixed, array.shape, strict=True)
    )
    if not fits:
        dims = "x".join("?" if d is None else str(d) for d in wanted.dims) or "a scalar"
        shape = "x".join(map(str, array.shape)) or "a scalar"
        raise TurnkeyError(f"{key!r} in {file} is {shape}; the model wants {dims}.")
