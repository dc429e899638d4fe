"""Alias of ``DEFAULT_ONNX_OPSET``."""

from turnkeyml.build import DEFAULT_ONNX_OPSET

__all__ = ["DEFAULT_ONNX_OPSET"]
