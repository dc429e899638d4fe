"""A sequence that removes the documentation strings from the ONNX file."""

from turnkeyml.build.onnx_stages import OptimizeOnnx
from turnkeyml.build.stage import ONNX, Sequence, Stage


class RemoveDocumentation(Stage):
    """Remove the texts that an exporter leaves in every node."""

    name = "remove_documentation"
    message = "Removing documentation strings"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench):
        import onnx

        model = onnx.load(bench.artifacts[ONNX])
        for node in model.graph.node:
            node.doc_string = ""
        bench.artifacts[ONNX] = bench.work / bench.onnx_name("undocumented")
        onnx.save(model, bench.artifacts[ONNX])
        bench.facts["documentation"] = "removed"


example_sequence = Sequence("example-seq", [OptimizeOnnx(), RemoveDocumentation()])
