"""Converting ONNX models to float16."""
