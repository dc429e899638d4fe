"""The packages with which Keras exports models."""

from turnkeyml.workarounds.workaround import Workaround

ERFC = Workaround(
    id="tf2onnx_erfc",
    package="tf2onnx",
    seen=("1.17.0", "1.17.0"),
    wrong="tf2onnx writes the `Erfc` of an exact GELU as an operator that ONNX does not have.",
    remedy="We write 1 - Erf.",
    where="turnkeyml.frameworks.keras.export:_erfc",
)

POOLING = Workaround(
    id="jax2onnx_max_pooling_2d",
    package="jax2onnx",
    seen=("0.17.1", "0.17.1"),
    wrong=(
        "jax2onnx writes the max pooling of images as a pooling over batch, height, width and "
        "channels, which ONNX Runtime cannot run."
    ),
    remedy="We pool over height and width, with the channels first.",
    where="turnkeyml.frameworks.keras.export:_pooling_of_images",
)
