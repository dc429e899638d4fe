"""The default ONNX opset."""

DEFAULT_ONNX_OPSET = 18
"""The highest opset that both torch exporters write correctly, in every supported torch."""
