"""Converting ONNX models to float16.

``convert`` writes a model in float16, ``keep`` decides what stays in float32, and ``search`` keeps
more in float32 until the result verifies.
"""
