"""Other packages, and Python itself."""

from __future__ import annotations

import gc
import io
import sys
import weakref

import numpy as np
import onnx
import torch

from tests.reproductions.support import (
    reproduction,
    temporary_folder,
)


@reproduction
def onnx_loads_empty_file() -> bool:
    """onnx.load takes an empty file for a model without nodes."""
    with temporary_folder() as folder:
        path = folder / "empty.onnx"
        path.touch()
        try:
            return len(onnx.load(path).graph.node) == 0
        except Exception:  # noqa: BLE001 - any failure is the bug
            return False


@reproduction
def numpy_savez_names() -> bool:
    """np.savez cannot save an array of the name ``file``, and drops one named ``allow_pickle``."""
    target = io.BytesIO()
    arrays = {"file": np.ones(1), "allow_pickle": np.ones(1)}
    try:
        np.savez(target, **arrays)
    except TypeError:
        return True
    target.seek(0)
    return set(np.load(target)) != set(arrays)


@reproduction
def torch_numpy_bfloat16() -> bool:
    """A bfloat16 tensor cannot be turned into a numpy array."""
    try:
        torch.ones(2, dtype=torch.bfloat16).numpy()
    except TypeError:
        return True
    return False


@reproduction
def skl2onnx_booleans_in_attributes() -> bool:
    """skl2onnx passes booleans as integers of an attribute, which protobuf refuses."""
    from skl2onnx import to_onnx
    from sklearn.ensemble import HistGradientBoostingRegressor

    table = np.arange(80, dtype=np.float32).reshape(40, 2)
    model = HistGradientBoostingRegressor(max_iter=2).fit(table, table[:, 0])
    try:
        to_onnx(model, table[:1])
    except ValueError:
        return True
    return False


@reproduction
def python_f_locals_keeps_alive() -> bool:
    """Before Python 3.13, a look at ``frame.f_locals`` keeps the variables of a function alive."""

    class Thing:
        pass

    def function() -> bool:
        thing = Thing()
        alive = weakref.ref(thing)
        _ = sys._getframe().f_locals["thing"]
        del thing, _
        gc.collect()
        return alive() is not None

    return function()
