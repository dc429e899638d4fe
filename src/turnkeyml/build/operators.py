"""Which operators an ONNX file has, and how often."""

from __future__ import annotations

import mmap
from collections import Counter
from pathlib import Path

from turnkeyml.runtimes.onnx_nodes import read_nodes

__all__ = ["operators_of"]


def operators_of(path: Path) -> dict[str, int]:
    """How often each operator occurs in the main graph of a file, the most frequent first.

    The file is mapped, so that its weights are not read.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = Counter(node.op_type for node in read_nodes(content))
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
