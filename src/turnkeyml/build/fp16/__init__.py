"""Converting ONNX models to float16.

``conversion`` writes a model in float16 and knows what cannot be, ``search`` keeps more in float32
until the result verifies, and ``subgraphs`` verifies it part by part.
"""
