"""TensorRT engines: compiled once per file, GPU, driver, version and arguments, and then kept.

An engine computes in the types that the file has. From TensorRT 10 on a network can be strongly
typed: each operator runs in the type that the file gives it. Version 8 has no such networks. There
the flag FP16 allows half precision, and the operators that the file keeps in fp32 are pinned to it.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml.cache import engine_file, read_json, replacing, timing_file, write_json
from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.tensorrt.library import last_error, load_tensorrt, logger, version_of

HALF = ("fp16", "mixed")
"""The precisions of ONNX files that need half precision."""
MOVES = re.compile(
    "CONSTANT|SHAPE|CAST|IDENTITY|SHUFFLE|SLICE|CONCATENATION|GATHER|SELECT|ASSERTION|"
    "RECURRENCE|ITERATOR|LOOP_OUTPUT|TRIP_LIMIT|CONDITION.*"
)
"""The kinds of layers that compute nothing, so that their type follows from their neighbours."""
EXTERNAL = ("CUBLAS", "CUBLAS_LT", "CUDNN")
"""The tactic sources that are libraries of their own."""


@dataclass(frozen=True)
class Recipe:
    """How an engine is to be compiled."""

    model: str
    precision: str
    shapes: Mapping[str, tuple[int, ...]]
    """Those of the inputs, by name; an engine is compiled for one shape of each."""
    workspace: int | None = None
    """MiB of GPU memory that a tactic may use; None for no limit."""
    builder_level: int | None = None
    tactic_sources: str = ""
    tf32: bool = False


@dataclass(frozen=True)
class EngineKey:
    """What an engine depends on; one that was compiled for anything else must not be used."""

    gpu: str
    capability: str
    driver: str
    tensorrt: str

    def machine(self) -> str:
        """The name of what all engines on this GPU can share, such as timings."""
        return _digest(asdict(self))

    def of(self, recipe: Recipe, sha256: str) -> str:
        """The name of the engine of a recipe for a file with this checksum."""
        settings = {**asdict(recipe), "shapes": {k: list(v) for k, v in recipe.shapes.items()}}
        del settings["model"]  # where it lies does not matter, its content does
        return _digest({**asdict(self), **settings, "sha256": sha256})


@dataclass(frozen=True)
class Known:
    """An engine that can be loaded."""

    engine: bytes
    outputs: tuple[str, ...]
    facts: Mapping[str, Any]
    """What the record of an evaluation has of how it was compiled."""
    seconds: float
    """What compiling it took, now or in an earlier run."""
    is_cached: bool


class EngineStore:
    """The engines of one build, and the timings that all builds of a cache share."""

    def __init__(self, build_folder: str, key: EngineKey, sha256: str) -> None:
        self._folder = Path(build_folder) if build_folder and sha256 else None
        self._key, self._sha256 = key, sha256
        self._timings = (
            timing_file(Path(build_folder).parent, key.machine()) if build_folder else None
        )

    def find(self, recipe: Recipe) -> Known | None:
        """The engine that was compiled earlier, if it is still there and whole."""
        path = self._path(recipe)
        described = read_json(path.with_suffix(".json")) if path is not None else None
        if path is None or not isinstance(described, dict):
            return None
        try:
            engine = path.read_bytes()
            if len(engine) != described["bytes"]:
                return None
            outputs, facts = tuple(described["outputs"]), dict(described["facts"])
            return Known(engine, outputs, facts, float(described["seconds"]), True)
        except (OSError, KeyError, TypeError, ValueError):
            return None

    def make(self, recipe: Recipe) -> Known:
        """A new engine, which is kept for the next run."""
        built = compile_engine(recipe, self._known_timings())
        facts = {
            "strongly_typed": built.strongly_typed,
            "fp32_layers": built.fp32_layers,
            "tactic_sources": built.tactic_sources,
        }
        self._keep(recipe, built, facts)
        return Known(built.engine, built.outputs, facts, built.seconds, False)

    def _keep(self, recipe: Recipe, built: CompiledEngine, facts: Mapping[str, Any]) -> None:
        if self._timings is not None and built.timings:
            _write(self._timings, built.timings)
        path = self._path(recipe)
        if path is None:
            return
        _write(path, built.engine)
        description = {
            "bytes": len(built.engine),
            "outputs": list(built.outputs),
            "seconds": round(built.seconds, 3),
            "facts": dict(facts),
            "for": {**asdict(self._key), "sha256": self._sha256, "precision": recipe.precision},
        }
        write_json(path.with_suffix(".json"), description)

    def _path(self, recipe: Recipe) -> Path | None:
        if self._folder is None:
            return None
        return engine_file(self._folder, self._key.of(recipe, self._sha256))

    def _known_timings(self) -> bytes:
        try:
            return self._timings.read_bytes() if self._timings is not None else b""
        except OSError:  # there are none yet
            return b""


@dataclass(frozen=True)
class CompiledEngine:
    """A compiled engine with what is known about it."""

    engine: bytes
    outputs: tuple[str, ...]
    """The names of the outputs in the order of the ONNX file."""
    seconds: float
    strongly_typed: bool
    fp32_layers: int
    """Layers that were pinned to fp32 in an engine that may use fp16."""
    tactic_sources: int
    timings: bytes = field(default=b"", repr=False)
    """The timing cache after the build."""


def compile_engine(recipe: Recipe, timings: bytes = b"") -> CompiledEngine:
    """A compiled engine; ``timings`` is a timing cache of this GPU, which saves time."""
    begin = time.perf_counter()
    sources: int | None = None
    engine = None
    while engine is None:
        building = _Building(recipe, timings, sources)
        engine = building.compile()
        if engine is None and (sources == 0 or recipe.tactic_sources):
            raise MeasureError(f"TensorRT could not compile {recipe.model}: {last_error()}.")
        # Libraries that are only stand-ins, or that do not fit, let every tactic of theirs fail.
        sources = 0
    return CompiledEngine(
        engine=bytes(engine),
        outputs=building.outputs,
        seconds=time.perf_counter() - begin,
        strongly_typed=building.strongly_typed,
        fp32_layers=building.fp32_layers,
        tactic_sources=building.config.get_tactic_sources(),
        timings=building.timings(),
    )


class _Building:
    """A parsed network with the configuration of its builder."""

    def __init__(self, recipe: Recipe, timings: bytes, sources: int | None) -> None:
        self._trt = load_tensorrt()
        self._recipe = recipe
        self.builder = self._trt.Builder(logger())
        flags, self.strongly_typed = network_flags(self._trt)
        self.network = self.builder.create_network(flags)
        self._parse()
        self.config = self.builder.create_builder_config()
        self.fp32_layers = 0
        self._set_limits(sources)
        self._set_precision()
        self._set_shapes()
        self._set_timings(timings)

    @property
    def outputs(self) -> tuple[str, ...]:
        network = self.network
        return tuple(network.get_output(i).name for i in range(network.num_outputs))

    def compile(self) -> Any:
        """The engine in memory; None if TensorRT found none."""
        return self.builder.build_serialized_network(self.network, self.config)

    def timings(self) -> bytes:
        cache = self.config.get_timing_cache()
        return bytes(cache.serialize()) if cache is not None else b""

    def _parse(self) -> None:
        parser = self._trt.OnnxParser(self.network, logger())
        if parser.parse_from_file(self._recipe.model):
            return
        errors = [parser.get_error(i).desc() for i in range(parser.num_errors)]
        why = " ".join((errors[0] if errors else last_error()).split())
        raise MeasureError(
            f"TensorRT {self._trt.__version__} cannot read {self._recipe.model}: {why[:300]}."
        )

    def _set_limits(self, sources: int | None) -> None:
        recipe, config, trt = self._recipe, self.config, self._trt
        if recipe.workspace is not None:
            config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, recipe.workspace << 20)
        if recipe.builder_level is not None:
            if not hasattr(config, "builder_optimization_level"):
                raise MeasureError(
                    f"TensorRT {trt.__version__} has no builder level; leave out builder_level, "
                    "or install 8.6 or newer."
                )
            config.builder_optimization_level = recipe.builder_level
        if recipe.tactic_sources:
            config.set_tactic_sources(tactic_bits(trt, recipe.tactic_sources))
        elif sources is not None:
            config.set_tactic_sources(sources)
        else:
            config.set_tactic_sources(usable_sources(trt, config.get_tactic_sources()))

    def _set_precision(self) -> None:
        trt, config = self._trt, self.config
        if not self._recipe.tf32:  # fp32 is fp32 unless somebody asks for less
            config.clear_flag(trt.BuilderFlag.TF32)
        if self.strongly_typed or self._recipe.precision not in HALF:
            return
        config.set_flag(trt.BuilderFlag.FP16)
        pinned = fp32_layers(trt, self.network)
        for layer in pinned:
            layer.precision = trt.float32
            for number in range(layer.num_outputs):
                if layer.get_output(number).dtype in (trt.float32, trt.float16):
                    layer.set_output_type(number, trt.float32)
        self.fp32_layers = len(pinned)
        if pinned:
            config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)

    def _set_shapes(self) -> None:
        """Compile for the recorded shapes, where the file leaves them open."""
        inputs = [self.network.get_input(i) for i in range(self.network.num_inputs)]
        opened = [tensor for tensor in inputs if -1 in tuple(tensor.shape)]
        for tensor in inputs:
            if tensor.is_shape_tensor:
                raise MeasureError(
                    f"The input {tensor.name!r} decides about shapes inside the model, which the "
                    "runtime does not support; choose another runtime."
                )
        if not opened:
            return
        profile = self.builder.create_optimization_profile()
        for tensor in opened:
            shape = self._recipe.shapes.get(tensor.name)
            if shape is None:
                raise MeasureError(f"The model wants an input {tensor.name!r} that is not there.")
            profile.set_shape(tensor.name, shape, shape, shape)
        self.config.add_optimization_profile(profile)

    def _set_timings(self, timings: bytes) -> None:
        cache = self.config.create_timing_cache(timings)
        if cache is None or not self.config.set_timing_cache(cache, False):
            self.config.set_timing_cache(self.config.create_timing_cache(b""), False)


def network_flags(tensorrt: Any) -> tuple[int, bool]:
    """The flags for a new network, and whether it is strongly typed."""
    kinds = tensorrt.NetworkDefinitionCreationFlag
    if version_of(tensorrt)[0] >= 11:  # every network is
        return 0, True
    if hasattr(kinds, "STRONGLY_TYPED"):
        return 1 << int(kinds.STRONGLY_TYPED), True
    return 1 << int(kinds.EXPLICIT_BATCH), False


def fp32_layers(tensorrt: Any, network: Any) -> list[Any]:
    """The layers that compute in fp32 in a file that has half precision, too.

    A network of version 8 does not know its types: they follow from those of its inputs, its
    constants and its casts.
    """
    types = {tensor.name: tensor.dtype for tensor in _inputs(network)}
    found, has_half = [], tensorrt.float16 in types.values()
    for number in range(network.num_layers):
        layer = network.get_layer(number)
        kind = _result_type(tensorrt, layer, types)
        for tensor in (layer.get_output(i) for i in range(layer.num_outputs)):
            if kind is not None:
                types[tensor.name] = kind
        has_half = has_half or kind == tensorrt.float16
        if kind == tensorrt.float32 and not MOVES.fullmatch(layer.type.name):
            found.append(layer)
    # A file without any half precision would be pinned as a whole, and must not be called fp16.
    return found if has_half else []


def _inputs(network: Any) -> list[Any]:
    return [network.get_input(i) for i in range(network.num_inputs)]


def _result_type(tensorrt: Any, layer: Any, types: Mapping[str, Any]) -> Any:
    """The type that a layer computes in; None if it is not a float, or unknown."""
    kind = layer.type.name
    if layer.num_outputs and layer.output_type_is_set(0):
        return layer.get_output_type(0)
    if kind == "CONSTANT":
        layer.__class__ = tensorrt.IConstantLayer
        # numpy arrays of the types that numpy has, which call the type by the same name
        return {"float32": tensorrt.float32, "float16": tensorrt.float16}.get(
            str(layer.weights.dtype)
        )
    if kind == "CAST":
        layer.__class__ = tensorrt.ICastLayer
        return layer.to_type
    if layer.num_outputs and layer.get_output(0).dtype not in (tensorrt.float32, tensorrt.float16):
        return None
    inputs = [layer.get_input(i) for i in range(layer.num_inputs)]
    floats = [types.get(t.name) for t in inputs if t is not None]
    floats = [t for t in floats if t in (tensorrt.float32, tensorrt.float16)]
    return floats[0] if floats else None


def tactic_bits(tensorrt: Any, names: str) -> int:
    """The tactic sources of a text as bits: ``none``, or names such as ``CUBLAS,CUDNN``."""
    if names.lower() in ("none", "0"):
        return 0
    known = tensorrt.TacticSource.__members__
    bits = 0
    for name in (part.strip().upper() for part in names.split(",")):
        if name not in known:
            raise MeasureError(
                f"TensorRT has no tactic source {name!r}; choose from: none, {', '.join(known)}."
            )
        bits |= 1 << int(known[name])
    return bits


def usable_sources(tensorrt: Any, default: int) -> int:
    """The default tactic sources without libraries that are absent or only stand-ins."""
    known = tensorrt.TacticSource.__members__
    external = [known[n] for n in EXTERNAL if n in known and default >> int(known[n]) & 1]
    if not external or _are_real(("libcudnn.so", "cudnnGetVersion"), ("libcublas.so", "")):
        return default
    return default & ~sum(1 << int(source) for source in external)


def _are_real(*libraries: Sequence[str]) -> bool:
    """Whether each of some libraries can be loaded, and has a version if it has a function."""
    for name, function in libraries:
        path = cuda.library_path(name)
        if path is None:
            return False
        try:
            found = ctypes.CDLL(path)
            if function and getattr(found, function)() < 1000:
                return False
        except (OSError, AttributeError):
            return False
    return True


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _digest(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
