"""Recorded inputs and golden outputs on disk: named arrays that need no framework to read.

numpy has no bfloat16, so such an array is kept as its 16-bit patterns under a name that says so.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml.cache.files import replacing

__all__ = ["BFLOAT16", "load_arrays", "save_arrays", "to_numpy"]

BFLOAT16 = "::bfloat16"


def to_numpy(name: str, tensor: Any) -> tuple[str, np.ndarray]:
    """A torch tensor or an array under the name by which it is saved."""
    if isinstance(tensor, np.ndarray):
        return name, tensor
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16":
        import torch

        return name + BFLOAT16, tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
    return name, tensor.resolve_conj().resolve_neg().numpy()


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Replace a file by named arrays."""
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays that ``save_arrays`` wrote, in their order."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
