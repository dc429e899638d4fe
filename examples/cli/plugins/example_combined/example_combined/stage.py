"""A build stage that writes the name of the accelerator into the ONNX file."""

from turnkeyml.build.stage import ONNX, Stage


class LabelModel(Stage):
    """Say in the file for whom it was built."""

    name = "label_model"
    message = "Labelling the model"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench):
        import onnx

        model = onnx.load(bench.artifacts[ONNX])
        model.producer_name = "abacus"
        bench.artifacts[ONNX] = bench.work / bench.onnx_name("labelled")
        onnx.save(model, bench.artifacts[ONNX])
        bench.facts["labelled"] = True
