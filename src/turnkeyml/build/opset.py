"""Which ONNX opset is used when nobody says."""

DEFAULT_ONNX_OPSET = 18
"""The highest that both of torch's exporters write exactly as told, in every torch we support."""
