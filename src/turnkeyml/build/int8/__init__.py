"""Converting ONNX models to int8 with ONNX Runtime's quantizer.

``quantize`` writes a model in int8, with ranges that are measured in advance (static) or at every
run (dynamic); ``calibration`` chooses the inputs that the ranges are measured on.
"""
