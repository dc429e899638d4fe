"""A session: a loaded model that turnkey feeds, runs and times."""

import numpy as np


class BeadsSession:
    """One ONNX file on one abacus."""

    changes_inputs = False
    asynchronous = False

    def __init__(self, request, device):
        from onnx.reference import ReferenceEvaluator

        self.device = device
        self.hands = request.arguments["hands"]
        self.model = ReferenceEvaluator(request.model)

    def feed(self, inputs):
        self.inputs = {name: np.asarray(inputs[name]) for name in self.model.input_names}

    def prepare(self):
        pass

    def run(self):
        self.result = self.model.run(None, self.inputs)

    def synchronize(self):
        pass

    def outputs(self):
        return dict(zip(self.model.output_names, self.result, strict=True))

    def settings(self):
        return {"device": self.device, "hands": self.hands}

    def stats(self):
        return {"beads": sum(array.size for array in self.inputs.values())}

    def close(self):
        del self.model
