"""Other packages, and Python itself."""

from turnkeyml.workarounds.workaround import Workaround

EMPTY_FILE = Workaround(
    id="onnx_loads_empty_file",
    package="onnx",
    seen=("1.23.2", "1.23.2"),
    wrong="`onnx.load` reads an empty file as a model without nodes.",
    remedy="We reject empty files.",
    where="turnkeyml.build.onnx_graph:read_graph",
)

SAVEZ_NAMES = Workaround(
    id="numpy_savez_names",
    package="numpy",
    seen=("1.26.4", "2.4.6"),
    wrong="`numpy.savez` cannot save an array named `file`.",
    remedy="We write the archive ourselves.",
    where="turnkeyml.cache.arrays:save_arrays",
    upstream="https://github.com/numpy/numpy/issues/5243",
)

TORCH_BFLOAT16 = Workaround(
    id="torch_numpy_bfloat16",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="A bfloat16 tensor cannot be converted to a numpy array.",
    remedy="We store its bits as integers.",
    where="turnkeyml.runtimes.torch.session:to_numpy",
)

BOOLEANS_IN_ATTRIBUTES = Workaround(
    id="skl2onnx_booleans_in_attributes",
    package="skl2onnx",
    seen=("1.20.0", "1.20.0"),
    wrong="skl2onnx cannot convert a `HistGradientBoostingRegressor`: it passes booleans where "
    "newer versions of protobuf need integers.",
    remedy="We convert them while it runs.",
    where="turnkeyml.frameworks.sklearn.export:_plain_attributes",
)

F_LOCALS = Workaround(
    id="python_f_locals_keeps_alive",
    package="Python",
    seen=("3.11.7", "3.11.7"),
    wrong="Reading `frame.f_locals` keeps the local variables of a function alive.",
    remedy="We clear the copy.",
    where="turnkeyml.frameworks.torch.stack:variables",
    until="3.13",
)
