"""The packages with which Keras exports models; each is reproduced where it is installed."""

from __future__ import annotations

from tests.reproductions.support import (
    loads,
    open_session,
    random_array,
    reproduction,
    silence,
    temporary_folder,
)


@reproduction
def tf2onnx_erfc() -> bool:
    """The GELU of a model of TensorFlow becomes an operator that ONNX does not have."""
    with silence():
        import tensorflow
        import tf2onnx

        spec = [tensorflow.TensorSpec((2, 3), tensorflow.float32)]
        function = tensorflow.function(tensorflow.math.erfc, input_signature=spec)
        model, _ = tf2onnx.convert.from_function(function, spec, opset=18)
    return not loads(model)


@reproduction
def jax2onnx_max_pooling_2d() -> bool:
    """ONNX Runtime loads the max pooling of an image, and cannot run it."""
    with silence(), temporary_folder() as folder:
        import jax
        import jax2onnx

        def pool(x):
            sizes = (1, 2, 2, 1)
            return jax.lax.reduce_window(x, -jax.numpy.inf, jax.lax.max, sizes, sizes, "VALID")

        path = folder / "pool.onnx"
        image = random_array(2, 8, 8, 3)
        inputs = [jax.ShapeDtypeStruct(image.shape, image.dtype)]
        jax2onnx.to_onnx(
            pool, inputs=inputs, input_names=["x"], return_mode="file", output_path=str(path)
        )
        session = open_session(path)
        try:
            session.run(None, {"x": image})
        except Exception:  # noqa: BLE001 - any failure is the bug
            return True
    return False
