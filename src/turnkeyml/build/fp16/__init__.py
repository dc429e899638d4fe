"""Converting ONNX models to float16.

``convert`` writes a model in float16, ``keep`` says what has to stay in float32, and ``search``
looks for the least of it with which the result verifies.
"""
