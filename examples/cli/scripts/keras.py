# labels: name::keras test_group::b
"""
A Keras model, called once. Any backend of Keras 3 will do.

    turnkey examples/cli/scripts/keras.py
"""

import os
import sys

# This script has the name of the library, so Python must not look for it in this folder.
sys.path.remove(os.path.dirname(os.path.realpath(__file__)))
os.environ.setdefault("KERAS_BACKEND", "torch")  # jax and tensorflow work too

import keras

keras.utils.set_random_seed(0)


class SmallKerasModel(keras.Model):
    """A single dense layer."""

    def __init__(self, output_size):
        super().__init__()
        self.dense = keras.layers.Dense(output_size, activation="relu")

    def call(self, x):
        return self.dense(x)


input_size = 10
output_size = 5
keras_model = SmallKerasModel(output_size)
inputs = {"x": keras.random.uniform((1, input_size))}

keras_outputs = keras_model(**inputs)

print(f"keras_outputs: {keras.ops.convert_to_numpy(keras_outputs)}")
