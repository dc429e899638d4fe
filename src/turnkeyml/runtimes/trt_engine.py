"""TensorRT engines in the cache: compiled once per file, GPU, driver, version and arguments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from turnkeyml.cache import engine_file, read_json, replacing, timing_file, write_json
from turnkeyml.runtimes.tensorrt.engine import CompiledEngine, Recipe, compile_engine


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


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _digest(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
