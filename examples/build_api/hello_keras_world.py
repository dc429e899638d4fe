"""
The least there is to building a Keras model from Python.
"""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")  # jax and tensorflow work too

import keras

from turnkeyml import build_model

keras.utils.set_random_seed(0)


class SmallKerasModel(keras.Model):
    """A single dense layer."""

    def __init__(self, output_size):
        super().__init__()
        self.dense = keras.layers.Dense(output_size, activation="relu")

    def call(self, x):
        return self.dense(x)


model = SmallKerasModel(5)
inputs = {"x": keras.random.uniform((1, 10))}

state = build_model(model, inputs)

print(f"{state.build_name} is a {state.build_status} of the stages {state.sequence}")
