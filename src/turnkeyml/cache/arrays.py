"""Recorded inputs and golden outputs on disk: named arrays that need no framework to read.

numpy has no bfloat16, so such an array is kept as its 16-bit patterns under a name that says so.
Whoever feeds or compares arrays asks here; no runtime has a dtype table of its own.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from turnkeyml.cache.files import replacing
from turnkeyml.errors import MeasureError

__all__ = ["BFLOAT16", "fed", "load_arrays", "narrow", "save_arrays", "widen", "widened"]

BFLOAT16 = "::bfloat16"
"""What the name of an array ends with that holds the bits of bfloat16 numbers."""

_DTYPES = {
    "bool": np.bool_,
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "string": np.object_,
}


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Replace a file by named arrays."""
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, _storable(array), allow_pickle=False)


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays that ``save_arrays`` wrote, in their order."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def fed(arrays: Mapping[str, np.ndarray], wanted: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The recorded arrays as a model wants them: by its names, in its dtypes.

    ``wanted`` gives the dtype of each input by name: ``float32``, ``int64``, ``bool``, ``string``
    and so on; for ``bfloat16`` the result holds 16-bit patterns.
    """
    values = {}
    for name, dtype in wanted.items():
        bits = name + BFLOAT16
        if name not in arrays and bits not in arrays:
            raise MeasureError(
                f"The model wants an input {name!r} that was not recorded; "
                f"recorded are: {', '.join(n.removesuffix(BFLOAT16) for n in arrays)}."
            )
        if dtype == "bfloat16":
            values[name] = arrays[bits] if bits in arrays else narrow(arrays[name])
        elif dtype in _DTYPES:
            array = widen(arrays[bits]) if bits in arrays else arrays[name]
            values[name] = np.require(array, dtype=_DTYPES[dtype], requirements=["C", "O"])
        else:
            raise MeasureError(f"The input {name!r} is of type {dtype}, which cannot be fed.")
    return values


def widened(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The arrays in order, with 16-bit patterns turned into the numbers they stand for."""
    return [widen(a) if name.endswith(BFLOAT16) else a for name, a in arrays.items()]


def widen(bits: np.ndarray) -> np.ndarray:
    """The numbers that the bits of bfloat16 stand for, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def narrow(array: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16 numbers, ties to even; what is not a number stays so."""
    single = np.ascontiguousarray(array, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)


def _storable(array: np.ndarray) -> np.ndarray:
    """Strings as fixed-width text: Python objects would have to be pickled."""
    array = np.asanyarray(array)
    return array.astype(np.str_) if array.dtype == np.object_ else array
