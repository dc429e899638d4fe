"""Recorded inputs and golden outputs on disk: named arrays that need no framework to read.

numpy has no bfloat16, so such an array is kept as its 16-bit patterns under a name that says so.
Nested values (lists, maps, optional ones) are flattened into named arrays and put together again.
All runtimes convert dtypes here; none has a table of its own.
"""

from __future__ import annotations

import math
import os
import re
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from turnkeyml.cache.files import (
    DamagedFile,
    checksum,
    make_way,
    open_regular,
    printable,
    replacing,
)
from turnkeyml.errors import MeasureError, describe
from turnkeyml.nouns import DamagedRecord

__all__ = [
    "BFLOAT16",
    "fed",
    "load_arrays",
    "narrow",
    "read_archive",
    "save_arrays",
    "widen",
    "widened",
]

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
    make_way(path)
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, _storable(array), allow_pickle=False)


def load_arrays(path: Path, sha256: str | None = None) -> dict[str, np.ndarray]:
    """The arrays that ``save_arrays`` wrote, in their order; an error in words where they are
    damaged, missing or, with the checksum that they had, changed."""
    try:
        found = read_archive(path)
        if sha256 is None or checksum([path]) == sha256:
            return found
        reason = "it was changed since the build was verified"
    except FileNotFoundError:
        reason = "it is missing"
    except DamagedRecord as error:
        reason = str(error)
    raise MeasureError(
        f"{path} cannot be read: {reason}. Run its script again with --rebuild always."
    )


def read_archive(
    path: Path, most_bytes: int | None = None, names: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """The arrays in an archive that unpacks to no more than so many bytes, or than it has.

    With ``names``, those of them that have one of these names.

    Whatever is wrong with the file, even what would only show when its arrays are used, is a
    ``DamagedRecord``; that it is missing is a ``FileNotFoundError``.
    """
    try:
        with os.fdopen(open_regular(path), "rb") as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            limit = os.fstat(file.fileno()).st_size if most_bytes is None else most_bytes
            if sum(entry.file_size for entry in entries) > limit:
                raise DamagedRecord("it unpacks to more bytes than allowed")
            wanted = [e for e in entries if names is None or _name(e) in names]
            return dict(_read_entry(archive, entry) for entry in wanted)
    except DamagedFile as error:
        raise DamagedRecord(error.why) from None
    except (FileNotFoundError, DamagedRecord):
        raise
    except Exception as error:  # zipfile, zlib and numpy each raise their own
        raise DamagedRecord(printable(describe(error))) from error


def unpacked_bytes(path: Path) -> int:
    """The bytes to which an archive says that it unpacks; errors as of ``read_archive``."""
    try:
        with os.fdopen(open_regular(path), "rb") as file, zipfile.ZipFile(file) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except DamagedFile as error:
        raise DamagedRecord(error.why) from None
    except FileNotFoundError:
        raise
    except Exception as error:  # zipfile and zlib each raise their own
        raise DamagedRecord(printable(describe(error))) from error


def _name(entry: zipfile.ZipInfo) -> str:
    return entry.filename.removesuffix(".npy")


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[str, np.ndarray]:
    name = _name(entry)
    if name == entry.filename:
        raise DamagedRecord(f"its entry {name!r} is not an array")
    with archive.open(entry) as file:
        shape, is_fortran, dtype = _header(name, file, entry.file_size)
        array = np.empty(math.prod(shape), dtype)
        _fill(array, file)
        return name, array.reshape(shape, order="F" if is_fortran else "C")


def _fill(array: np.ndarray, file: IO[bytes]) -> None:
    """Read the bytes of a contiguous array."""
    left = array.view(np.uint8).data if array.nbytes else memoryview(b"")
    while left:
        count = file.readinto(left)  # type: ignore[attr-defined]
        if not count:
            raise DamagedRecord("an array has less data than its shape says")
        left = left[count:]


def _header(name: str, file: IO[bytes], size: int) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Return the shape, the order and the dtype of an array; numpy's own reader parses them twice.

    Refuse one that claims to be larger than its data, before it gets its memory.
    """
    version = np.lib.format.read_magic(file)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise DamagedRecord(f"the array {name!r} has an unknown format")
    shape, is_fortran, dtype = readers[version](file)
    if dtype.hasobject:
        raise DamagedRecord(f"the array {name!r} holds Python objects")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > size:
        raise DamagedRecord(f"the array {name!r} has less data than its shape says")
    return shape, is_fortran, dtype


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


KEYS, VALUES, NONE, EMPTY = "::keys", "::values", "::none", "::empty"

_NESTED_DTYPES = {"float": "float32", "double": "float64"}
"""The numpy names of the dtypes that ONNX Runtime calls differently."""
_KIND = re.compile(r"(tensor|seq|optional|map)\((.*)\)")


def flattened(name: str, value: Any) -> dict[str, np.ndarray]:
    """A value of any type as arrays by name; a tensor keeps its name."""
    if value is None:
        return {name + NONE: np.zeros(0, bool)}
    if isinstance(value, Mapping):
        return _flattened_maps(name, [value], (0,))
    if not isinstance(value, (list, tuple)):
        return {name: np.asarray(value)}
    if not value:
        return {name + EMPTY: np.zeros(0, bool)}
    if all(isinstance(v, Mapping) and [*v] == [*value[0]] and _are_scalars(v) for v in value):
        return _flattened_maps(name, value, ())
    return {
        n: a for i, item in enumerate(value) for n, a in flattened(f"{name}[{i}]", item).items()
    }


def _are_scalars(values: Mapping[Any, Any]) -> bool:
    return all(np.ndim(v) == 0 for v in values.values())


def _flattened_maps(
    name: str, maps: Sequence[Mapping[Any, Any]], row: tuple[int, ...]
) -> dict[str, np.ndarray]:
    keys = np.asarray([*maps[0]])
    if not _are_scalars(maps[0]):
        items = enumerate(maps[0].values())
        return {name + KEYS: keys} | {
            n: a for i, item in items for n, a in flattened(f"{name}[{i}]", item).items()
        }
    values = np.asarray([[*one.values()] for one in maps])
    return {name + KEYS: keys, name + VALUES: values[row] if row else values}


def is_plain(kind: str) -> bool:
    """Whether ONNX Runtime's type of a value is a tensor, possibly an optional one."""
    return bool(re.fullmatch(r"(optional\()?tensor\(\w+\)\)?", kind))


def top_name(name: str) -> str:
    """The name of the value that a recorded array belongs to."""
    return re.sub(r"(\[\d+\])*(::\w+)?$", "", name)


def fed_value(arrays: Mapping[str, np.ndarray], name: str, kind: str) -> Any:
    """The value of an input, as ``session.run`` takes it, from the recorded arrays.

    ``kind`` is its type as ONNX Runtime calls it: ``tensor(float)``, ``seq(tensor(int64))``.
    """
    found = _KIND.fullmatch(kind)
    if found is None:
        raise MeasureError(f"The input {name!r} is of type {kind}, which cannot be fed.")
    outer, inner = found.groups()
    if outer == "tensor":
        return fed(arrays, {name: _NESTED_DTYPES.get(inner, inner)})[name]
    if outer == "optional":
        return None if name + NONE in arrays else fed_value(arrays, name, inner)
    if outer == "map":
        keys, values = arrays[name + KEYS], arrays[name + VALUES]
        return dict(zip(keys.tolist(), values.tolist(), strict=True))
    if inner.startswith("map") and name + KEYS in arrays:
        keys = arrays[name + KEYS].tolist()
        rows = arrays[name + VALUES].tolist()
        return [dict(zip(keys, row, strict=True)) for row in rows]
    return [fed_value(arrays, f"{name}[{i}]", inner) for i in range(_length(arrays, name))]


def _length(arrays: Mapping[str, np.ndarray], name: str) -> int:
    """The number of recorded elements of a sequence."""
    element = re.compile(re.escape(name) + r"\[(\d+)\]")
    numbers = [int(m[1]) for m in map(element.match, arrays) if m]
    if not numbers and name + EMPTY not in arrays:
        raise MeasureError(f"The model wants an input {name!r} that was not recorded.")
    return max(numbers, default=-1) + 1
