"""How a test says which promise it keeps, and what is said of promises that have no test."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

__all__ = ["DECISIONS", "GUIDES", "WITHOUT_TEST", "WithoutTest", "promise"]

GUIDES = {
    "tools": "the turnkey tools user guide",
    "discovery": "the turnkey guide to model discovery",
    "tutorial": "the older benchit tutorial",
    "builds": "the older benchit guide to customising builds",
    "models": "the older guide to the models",
    "ours": "what this project promises beyond the guides",
}

Test = TypeVar("Test", bound=Callable[..., object])


def promise(guide: str, text: str) -> Callable[[Test], Test]:
    """Marks a test with what it holds the program to; ``table.py`` reads the words."""
    if guide not in GUIDES:
        raise ValueError(f"There is no guide {guide!r}; there are: {', '.join(GUIDES)}.")

    def marked(test: Test) -> Test:
        return test

    return marked


class WithoutTest(NamedTuple):
    """A promise that no test looks at, and why."""

    guide: str
    text: str
    state: str


_GPU = "kept: seen on an H200 ([NVIDIA GPUs](nvidia.md)); the machines of the tests have no GPU"
_TRT = "kept: [tests/test_trt.py](../tests/test_trt.py) looks at it"
_SLURM = "kept: [tests/test_slurm.py](../tests/test_slurm.py) looks at it on a real Slurm"
_SSH = "kept: [tests/test_hosts.py](../tests/test_hosts.py) measures through a real SSH server"
_REMOTE = "not offered: --python and --host use environments that exist already"
_CORPUS = "kept: [tests/test_models.py](../tests/test_models.py) and corpora/tests look at it"
_KERAS = "kept: [tests/test_keras.py](../tests/test_keras.py) runs it"

WITHOUT_TEST = [
    WithoutTest("tools", "The device nvidia measures on an Nvidia GPU", _GPU),
    WithoutTest("tools", "The runtime trt (TensorRT) is the default of the device nvidia", _TRT),
    WithoutTest("tutorial", "--device nvidia shows the name of the GPU in the status", _GPU),
    WithoutTest("tools", "Each input is a Slurm job of its own with --use-slurm", _SLURM),
    WithoutTest("tools", "A Slurm job that exceeds the timeout is cancelled", _SLURM),
    WithoutTest("tools", "A remote machine with the device can be reached by SSH", _SSH),
    WithoutTest("tools", "A container or conda environment is set up before measuring", _REMOTE),
    WithoutTest(
        "tools",
        "A pip-installable plugin adds sequences, runtimes and devices",
        "kept: [tests/test_plugins.py](../tests/test_plugins.py) installs and uses some",
    ),
    WithoutTest(
        "tools",
        "A runtime of a plugin receives the --rt-args that it supports",
        "kept: [tests/test_plugins.py](../tests/test_plugins.py) installs and uses some",
    ),
    WithoutTest("tools", "There is an example build of a Keras model", _KERAS),
    WithoutTest("tutorial", "scripts/keras.py shows a Keras model with its type and class", _KERAS),
    WithoutTest("tutorial", "The analysis depth goes into PyTorch models", _KERAS),
    WithoutTest("tools", "The models directory holds more than a thousand models", _CORPUS),
    WithoutTest("models", "There are corpora besides selftest, named after their sources", _CORPUS),
    WithoutTest("models", "models/requirements.txt installs what the models need", _CORPUS),
    WithoutTest(
        "tools",
        "An ONNX file that is given as input must be smaller than 2 GB",
        "not offered: a limit, and there is none here; larger models keep their data beside them",
    ),
    WithoutTest(
        "tutorial",
        "A build folder has a folder named compile",
        "not offered: it belongs to one vendor's compiler",
    ),
    WithoutTest(
        "tutorial",
        "The cache lists a helper folder named labels among the builds",
        "not offered: labels lie with their build, and only builds are listed",
    ),
    WithoutTest(
        "tutorial",
        "The default cache is ~/.cache/mlagility",
        "not offered: the newer guide has ~/.cache/turnkey, and benchit is the same program",
    ),
    WithoutTest(
        "tutorial",
        "The closing line of benchmark recommends the report command",
        "not offered: the newer guides end with the shorter line",
    ),
]

DECISIONS = [
    "The example scripts are those of the newer listing of several scripts: hello_world has 60 "
    "parameters, takes (11,) and has the hash 24adc42f; multiple_invocations has ef80819e and "
    "d5267eaf.",
    "100 is the least number of timed runs by default, not the exact one: a measurement goes on "
    "until the median is known well. `--iterations N` is exactly N.",
    "Throughput is runs over the wall time that they took, which is a little less than the "
    "inverse of the mean latency: reading the clock between two runs takes time too. With "
    "`--iterations` and a model of a few microseconds that is some 5%.",
    "A hash in the status, in the name of a build and after `::` is that of the invocation (the "
    "model with the shapes of its inputs). After `::` the hash of the model, which the older "
    "guides print, works as well, and the report has both.",
    "A build is named `{script}_{hash}`, as the text says; the listing of one guide has another "
    "word in between.",
    '"Build dir" in the status is each model\'s own, where there is one; the listing of the guide '
    "repeats one.",
    "The cache commands take the hash of the model in the name of a build, as the older guides "
    "write it: every build of that model.",
    "Built-in runtimes take a few arguments of their own, which --help lists; the guide leaves "
    "--rt-args to plugins.",
    '"executed" counts the calls that the script makes and nothing that turnkey does, so fc and '
    "fc2 are executed once.",
    "The class in the listing is the one that the script itself would print, with `__main__`.",
    "ONNX files given as input are measured as they are, whatever the default sequence is.",
    "The default sequence belongs to the runtime. For ONNX Runtime on x86 it is optimize-fp32: it "
    "has no arithmetic in float16 there and casts at every node, which would answer another "
    "question than how fast the model is. `benchit`, whose guide shows float16, keeps "
    "optimize-fp16. `build_model` builds for the default runtime. `--precision fp16` or "
    "`--sequence optimize-fp16` asks for float16; the status says what the casts cost.",
    "A failure of anything that was asked for gives exit status 1.",
    "`cache print` and `cache stats` are the same command. It prints the state and the stats.",
    "`# labels: key::value` and `#labels key::value` are the same pragma.",
    "`--script-args` is split as a shell would, which is what the example shows; a "
    "comma-separated list, which the text asks for, works too.",
    "`turnkey.filesystem`, `turnkey.common.build` and `turnkey.cli.spawn` in the text are modules "
    "of the package `turnkeyml`, as in the code of the same guide.",
    '"Regular expressions" for files are the wildcards of a shell. They are expanded by turnkey '
    "too, so that they work quoted, in lists and from Python.",
    "A list of inputs ends in `.txt`; one command of a guide says `.py` for the same file.",
    "The timeout is 3600 seconds. A sentence about the build monitor that speaks of 1800 seconds "
    "is a slip and promises nothing.",
    "`inputs_original` is an `.npz` file, because a model has several inputs.",
    "`benchit report` and `turnkey cache report` are the same command.",
    "The cache of `benchit` is that of `turnkey`: `~/.cache/turnkey`.",
]
