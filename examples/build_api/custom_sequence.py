"""
A stage of one's own in a sequence of one's own.

A stage says what it needs and what it yields. It finds things in `bench.things`, puts files into
`bench.work`, and may note facts that go into the state of the build.
"""

import onnx
import torch

from turnkeyml import Sequence, Stage, build_model
from turnkeyml.build.export import ExportPytorch
from turnkeyml.build.onnx_stages import SetSuccess

torch.manual_seed(0)


class SmallModel(torch.nn.Module):
    """A single linear layer."""

    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, output_size)

    def forward(self, x):
        return self.fc(x)


class CountNodes(Stage):
    """Counts the nodes of the exported graph."""

    name = "count_nodes"
    message = "Counting the nodes"
    needs = frozenset({"onnx"})

    def fire(self, bench):
        bench.facts["nodes"] = len(onnx.load(bench.things["onnx"]).graph.node)


if __name__ == "__main__":
    export = Sequence("export", [ExportPytorch()])
    sequence = Sequence("export_and_count", [export, CountNodes(), SetSuccess()])

    state = build_model(SmallModel(10, 5), {"x": torch.rand(10)}, sequence=sequence)

    print(f"{state.sequence} found {state.facts['nodes']} nodes")
