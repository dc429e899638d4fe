"""Compiling an ONNX file to a TensorRT engine, in the types that the file has."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.tensorrt.library import last_error, load_tensorrt, logger
from turnkeyml.runtimes.trt_tactics import tactic_bits, usable_sources
from turnkeyml.runtimes.trt_types import fp32_layers, network_flags

HALF = ("fp16", "mixed")
"""The precisions of ONNX files that need half precision."""


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
