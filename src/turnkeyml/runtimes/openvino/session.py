"""OpenVINO sessions on the CPU, with every setting that changes what is measured made explicit."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import openvino

from turnkeyml.cache import BFLOAT16, fed
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Profile

CPU = "CPU"
F32 = "f32"
_CAPABILITIES = {F32: "FP32", "f16": "FP16", "bf16": "BF16"}
"""What the CPU plugin calls the precisions that it can compute in."""
RECORDED = (
    "PERFORMANCE_HINT",
    "NUM_STREAMS",
    "INFERENCE_NUM_THREADS",
    "INFERENCE_PRECISION_HINT",
    "EXECUTION_MODE_HINT",
    "ENABLE_CPU_PINNING",
    "ENABLE_HYPER_THREADING",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE",
    "KV_CACHE_PRECISION",
)
"""The properties that the record has, read back from the compiled model."""
DTYPES = {
    "boolean": "bool",
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "string": "string",
}
"""The numpy names of OpenVINO's element types."""


class OpenVinoSession:
    """A model compiled for latency in one stream; a run copies neither inputs nor outputs."""

    changes_inputs = False
    asynchronous = False

    def __init__(
        self,
        model: str,
        threads: int,
        of_file: str,
        asked: str | None,
        *,
        instances: int | None = None,
        pinning: bool | None = None,
    ) -> None:
        """``asked`` is the precision to compute in, or None for that of the file: fp32 instead if
        the processor cannot compute in it, never less. With ``instances`` it is compiled for
        throughput in as many streams, or as many as it chooses itself for 0."""
        core = openvino.Core()
        precision = computed_in(of_file, asked, core)
        self._stats = {}
        if precision != of_file:
            self._stats["computes_in"] = f"{precision}, from a file in {of_file}"
        wanted = {**properties(threads, precision, pinning), **_streams(instances)}
        self._compile_counted = lambda: core.compile_model(
            core.read_model(model), CPU, {**wanted, "PERF_COUNT": True}
        )
        try:
            self._compiled = core.compile_model(core.read_model(model), CPU, wanted)
        except RuntimeError as error:
            raise MeasureError(f"OpenVINO cannot load the model: {_in_short(error)}") from error
        self._settings = {"device": CPU, **_properties(self._compiled)}
        self._request = self._compiled.create_infer_request()
        self._instances, self._is_streamed = 1, instances is not None
        if instances is not None:
            advised = int(self._compiled.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"))
            self._instances = instances or advised
            self._settings["instances"] = self._instances
            self._settings["threads_per_instance"] = max(1, threads // self._instances)

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        wanted = {_name(port, inputs): _dtype(port) for port in self._compiled.inputs}
        values = fed(inputs, wanted)
        # The tensors share the memory of the arrays, which must stay.
        self._fed = inputs
        self._arrays = [_writable(array) for array in values.values()]
        self._dtypes = list(wanted.values())
        self._names = list(wanted)
        self._bind()

    def _bind(self) -> None:
        for number, (array, dtype) in enumerate(zip(self._arrays, self._dtypes, strict=True)):
            self._request.set_input_tensor(number, _to_tensor(array, dtype))

    def lanes(self) -> list[OpenVinoSession]:
        """Requests of the compiled model that can run at the same time, this one first."""
        return [self, *(self._another() for _ in range(self._instances - 1))]

    def _another(self) -> OpenVinoSession:
        other = copy.copy(self)
        other._request = self._compiled.create_infer_request()
        other._bind()
        return other

    def replicas(self, count: int) -> list[OpenVinoSession]:
        """One request with another copy of the inputs, which can be written to. More of them would
        cost time: the plugin binds the memory of a request anew after another has run."""
        return [self._replica()]

    def _replica(self) -> OpenVinoSession:
        other = copy.copy(self)
        other._request = self._compiled.create_infer_request()
        other.feed({name: array.copy() for name, array in self._fed.items()})
        return other

    def writable(self) -> list[np.ndarray | None]:
        """The memory of each recorded input, which the tensors share."""
        triples = zip(self._names, self._arrays, self._dtypes, strict=True)
        shared = {n: a for n, a, dtype in triples if dtype not in ("bfloat16", "string")}
        return [shared.get(name) for name in self._fed]

    def prepare(self) -> None:
        """Does nothing: OpenVINO never modifies its inputs."""

    def run(self) -> None:
        if not self._is_streamed:
            self._request.infer(share_outputs=True)
            return
        self._request.start_async()  # its streams take only what is asynchronous
        self._request.wait()

    def synchronize(self) -> None:
        """Does nothing: ``infer`` is synchronous."""

    def outputs(self) -> dict[str, np.ndarray]:
        found = {}
        for number, port in enumerate(self._compiled.outputs):
            name, tensor = _name(port), self._request.get_output_tensor(number)
            if _dtype(port) == "bfloat16":
                bits = np.array(tensor.data, copy=True).view(np.uint16)
                found[name + BFLOAT16] = bits.reshape(tuple(tensor.shape))
            elif _dtype(port) == "string":
                found[name] = np.array(tensor.str_data)
            else:
                found[name] = np.array(tensor.data, copy=True)
        return found

    def settings(self) -> dict[str, Any]:
        return dict(self._settings)

    def stats(self) -> dict[str, Any]:
        """The precision that it computes in, if it is not that of the file."""
        return dict(self._stats)

    def profile(self, seconds: float) -> Profile:
        """The operators of this model, from a second compilation with its counters on."""
        from turnkeyml.runtimes.openvino.profile import profile_request

        counted = self._compile_counted()
        request = counted.create_infer_request()
        for number in range(len(counted.inputs)):
            request.set_input_tensor(number, self._request.get_input_tensor(number))

        def run() -> None:
            request.infer(share_outputs=True)

        return profile_request(self.run, run, counted, request, seconds)

    def close(self) -> None:
        del self._request, self._compiled


def properties(threads: int, precision: str, pinning: bool | None) -> dict[str, Any]:
    """What a model is compiled with."""
    return {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": precision,
        # Otherwise it quantizes activations and key-value caches of some models to int8.
        "EXECUTION_MODE_HINT": "ACCURACY",
        **({} if pinning is None else {"ENABLE_CPU_PINNING": pinning}),
    }


def computed_in(of_file: str, asked: str | None, core: openvino.Core | None = None) -> str:
    """The precision that a file is computed in; an error if the processor cannot."""
    core = core or openvino.Core()
    return require_precision(asked or _nearest(of_file, core), core)


def require_precision(precision: str, core: openvino.Core | None = None) -> str:
    """The same precision; an error if the processor cannot compute in it. OpenVINO would take
    another one without a word, such as bf16 for f16."""
    capable = _capable(core or openvino.Core())
    if precision not in capable:
        raise MeasureError(
            f"OpenVINO cannot compute in {precision} on this processor; choose inference_precision "
            f"{' or '.join(capable)}."
        )
    return precision


def _nearest(precision: str, core: openvino.Core) -> str:
    """A precision that the processor can compute in and that loses nothing."""
    return precision if precision in _capable(core) else F32


def _capable(core: openvino.Core) -> list[str]:
    """The precisions that the processor can compute in."""
    found = core.get_property(CPU, "OPTIMIZATION_CAPABILITIES")
    return [name for name, capability in _CAPABILITIES.items() if capability in found]


def _streams(instances: int | None) -> dict[str, Any]:
    """What differs with instances; for 0 OpenVINO chooses how many streams it has."""
    if instances is None:
        return {}
    return {"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": instances or "AUTO"}


def _properties(compiled: openvino.CompiledModel) -> dict[str, Any]:
    known = compiled.get_property("SUPPORTED_PROPERTIES")
    return {n.lower(): _plain(compiled.get_property(n)) for n in RECORDED if n in known}


def _plain(value: Any) -> Any:
    """A number or a text: what a file can hold."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, openvino.Type):
        return value.get_type_name()
    return str(getattr(value, "name", value))


def _name(port: Any, preferred: Mapping[str, Any] | None = None) -> str:
    """The name of an input or output; one that is preferred, if it has several."""
    names = sorted(port.get_names())
    known = [n for n in names if preferred and (n in preferred or n + BFLOAT16 in preferred)]
    return (known or names or [""])[0]


def _dtype(port: Any) -> str:
    kind = port.get_element_type().get_type_name()
    if kind not in DTYPES:
        raise MeasureError(f"The value {_name(port)!r} is of type {kind}, which is not supported.")
    return DTYPES[kind]


def _writable(array: np.ndarray) -> np.ndarray:
    """OpenVINO shares no memory that may not be written."""
    return array if array.flags.writeable else array.copy()


def _to_tensor(array: np.ndarray, dtype: str) -> openvino.Tensor:
    if dtype == "bfloat16":
        return openvino.Tensor(array, list(array.shape), openvino.Type.bf16)
    if dtype == "string":
        return openvino.Tensor(np.array(array, dtype=np.str_))
    return openvino.Tensor(array, shared_memory=bool(array.ndim and array.size))


def _in_short(error: Exception) -> str:
    """The last line of a message that begins with places in OpenVINO's source."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
