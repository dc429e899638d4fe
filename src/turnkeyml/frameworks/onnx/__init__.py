"""ONNX files as models."""
