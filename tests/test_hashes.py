"""Hashes are the documented ones."""

import os
import subprocess
import sys

import pytest
import torch

from turnkeyml.frameworks import hash_invocation, hash_model


class SmallModel(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = torch.nn.Linear(inputs, outputs)


class TwoLayerModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(10, 5)
        self.fc2 = torch.nn.Linear(5, 5)


@pytest.mark.parametrize(
    ("model", "model_hash", "shape", "invocation_hash"),
    [
        (SmallModel(10, 5), "479b1332", (10,), "f93db89f"),
        (SmallModel(50, 10), "215ca1e3", (50,), "c69b7dea"),
        (SmallModel(11, 5), "2a1e15ca", (11,), "24adc42f"),
        (SmallModel(12, 5), None, (1, 12), "ef80819e"),
        (SmallModel(12, 5), None, (2, 12), "d5267eaf"),
        (TwoLayerModel(), "80b93950", (10,), "7ebbe8c4"),
        (TwoLayerModel().fc, "6d5eb4ee", None, None),
        (TwoLayerModel().fc2, "d4b2ffa7", None, None),
    ],
)
def test_known_hashes(model, model_hash, shape, invocation_hash):
    digest = hash_model(repr(model))
    assert model_hash in (None, digest)
    if invocation_hash:
        assert hash_invocation(digest, None, {"x": shape}, {"x": "float32"}) == invocation_hash


def test_an_invocation_depends_on_what_calls_it():
    arguments = ({"x": (1,)}, {"x": "float32"})
    assert hash_invocation("a", None, *arguments) != hash_invocation("a", "b", *arguments)


def test_the_fingerprint_does_not_depend_on_the_order_of_sets(tmp_path):
    """Otherwise a cached build would be made again in one run of two."""
    script = tmp_path / "model.py"
    script.write_text(
        "import torch\n"
        "from turnkeyml.frameworks.torch.modules import model_fingerprint\n"
        "NAMES = {name: len(name) for name in {'one', 'two', 'three', 'four', 'five'}}\n"
        "class Net(torch.nn.Linear):\n"
        "    names = NAMES\n"
        "    def forward(self, x):\n"
        "        return super().forward(x) * NAMES['one']\n"
        "net = Net(2, 2)\n"
        "net.kinds = {print, len, torch.nn.Linear}\n"
        "print(model_fingerprint(net))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, script],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1
