"""ONNX's own evaluator as a runtime, once timed by turnkey and once by itself."""

import time

from turnkeyml.run.basert import BaseRT


class Evaluator(BaseRT):
    """Loads the ONNX file of the build."""

    def __init__(self, delay: str = "0", **settings):
        self.delay = float(delay)  # arguments from the command line are texts
        super().__init__(runtime_version="1.0", **settings)

    def _setup(self):
        from onnx.reference import ReferenceEvaluator

        self.evaluator = ReferenceEvaluator(self.local_onnx_file)
        self.stats.save_stat("nodes", len(self.evaluator.nodes_))

    @staticmethod
    def device_name():
        return "a CPU that ONNX's evaluator runs on"


class ExampleRT(Evaluator):
    """Has ``infer``, so turnkey times it and verifies its outputs."""

    def infer(self, inputs):
        time.sleep(self.delay)
        outputs = self.evaluator.run(None, inputs)
        return dict(zip(self.evaluator.output_names, outputs, strict=True))


class SelfTimedRT(Evaluator):
    """Has no ``infer``, so turnkey records what it reports, marked as self-reported."""

    def benchmark(self):
        begin = time.perf_counter()
        for _ in range(self.iterations):
            self.evaluator.run(None, self.inputs)
        self.seconds = time.perf_counter() - begin

    @property
    def mean_latency(self):
        return 1e3 * self.seconds / self.iterations

    @property
    def throughput(self):
        return self.iterations / self.seconds
