"""The nodes of an ONNX file, read without the onnx package.

A worker may run under an interpreter that has none, and importing it takes longer than this. The
format is protobuf: fields, each with a tag (its number and its wire type) and a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

_GRAPH, _NODE = 7, 1
"""Fields of a model and of its graph."""
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
"""Fields of a node."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""


class Content(Protocol):
    """Bytes, or a file that is mapped into memory."""

    def __getitem__(self, where: slice, /) -> bytes: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Node:
    """One operator with the names of the values that it reads and writes."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def read_nodes(content: Content) -> Iterator[Node]:
    """The nodes of the main graph; a ``ValueError`` if the content is not an ONNX model."""
    for number, begin, end in _fields(content, 0, len(content)):
        if number == _GRAPH:
            for inner, first, last in _fields(content, begin, end):
                if inner == _NODE:
                    yield _node(content, first, last)


def _node(content: Content, begin: int, end: int) -> Node:
    texts: dict[int, list[str]] = {_INPUT: [], _OUTPUT: [], _OPERATOR: []}
    for number, first, last in _fields(content, begin, end):
        if number in texts:
            texts[number].append(content[first:last].decode("utf-8"))
    operator = (texts[_OPERATOR] or [""])[-1]
    return Node(operator, tuple(texts[_INPUT]), tuple(texts[_OUTPUT]))


def _fields(content: Content, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number of each field that has a length, and where its value begins and ends."""
    while begin < end:
        tag, begin = _varint(content, begin)
        kind = tag & 7
        if kind == _VARINT:
            _, begin = _varint(content, begin)
        elif kind in (_FIXED64, _FIXED32):
            begin += 8 if kind == _FIXED64 else 4
        elif kind == _BYTES:
            length, begin = _varint(content, begin)
            yield tag >> 3, begin, begin + length
            begin += length
        else:
            raise ValueError(f"not an ONNX model: it has a field of the wire type {kind}")
    if begin != end:
        raise ValueError("not an ONNX model: a field is longer than what contains it")


def _varint(content: Content, begin: int) -> tuple[int, int]:
    """A number of seven bits per byte, and where it ends."""
    value = 0
    for count, byte in enumerate(content[begin : begin + 10]):
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, begin + count + 1
    raise ValueError("not an ONNX model: a number does not end")
