"""The files of a build in other precisions, and the processes that measure them.

The files are made in a process of their own when they are needed. They lie in the folder ``tune``
of the build and are used again as long as the build is the same.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnkeyml import interpreter
from turnkeyml.build import ONNX, ONNX_FP32
from turnkeyml.cache import (
    BuildFolder,
    BuildState,
    checksum,
    read_json,
    read_state,
    safe_name,
    write_json,
)
from turnkeyml.errors import MeasureError, TurnkeyError, describe
from turnkeyml.evaluate import FileContestant
from turnkeyml.interpreter import die_with_parent
from turnkeyml.nouns import Configuration, from_dict, to_dict
from turnkeyml.runtimes import Device, Request, Runtime, find_runtime
from turnkeyml.tuning.space import Precisions

MADE = ("fp16", "int8-dynamic", "int8-static")
"""The precisions for which a file can be made from one in fp32."""


@dataclass(frozen=True)
class ModelFile:
    """An ONNX file of a build, by paths in the build folder."""

    artifact: str
    files: tuple[str, ...]
    """The artifact and its external data."""
    sha256: str
    precision: str
    """Read from its graph."""
    judged_in: str
    """The precision whose tolerance holds."""
    source: str = ""
    """The checksum of the file that it was made from."""


class Variants:
    """The files of a build by precision."""

    def __init__(self, folder: BuildFolder, state: BuildState) -> None:
        self._folder = folder
        self._state = state
        self._known: dict[str, ModelFile] = {}
        self._failures: dict[str, str] = {}

    @property
    def offered(self) -> Precisions:
        """The precisions of the files that there are or that can be made."""
        own = self._own
        made = MADE if self._fp32_kind else ()
        kept = ("fp32",) if self._fp32_kind else ()
        return Precisions(own, tuple(dict.fromkeys([own, *kept, *made])))

    @property
    def source_sha256(self) -> str:
        """The checksum of the file that the build measures by default."""
        return self.file(self._own).sha256

    def file(self, precision: str) -> ModelFile:
        """The file in a precision, made if need be; an error in a sentence if that fails."""
        if precision in self._failures:
            raise MeasureError(self._failures[precision])
        if precision not in self._known:
            try:
                self._known[precision] = self._find(precision)
            except TurnkeyError as error:
                self._failures[precision] = str(error)
                raise
        return self._known[precision]

    @property
    def _own(self) -> str:
        return str(self._state.facts.get("precision", "fp32"))

    @property
    def _fp32_kind(self) -> str | None:
        """The kind of the artifact in fp32; None if the build has none."""
        if self._own == "fp32":
            return ONNX
        return ONNX_FP32 if ONNX_FP32 in self._state.artifacts else None

    def _find(self, precision: str) -> ModelFile:
        if precision == self._own:
            return self._built(ONNX, precision, str(self._state.facts.get("judged_in", precision)))
        if precision == "fp32" and self._fp32_kind is not None:
            return self._built(self._fp32_kind, "fp32", "fp32")
        made = self._cached(precision)
        return made if made is not None else self._make(precision)

    def _built(self, kind: str, precision: str, judged_in: str) -> ModelFile:
        artifact = self._state.artifacts[kind]
        files = self._state.artifact_files.get(kind) or (artifact,)
        found = checksum(self._folder.path / file for file in files)
        return ModelFile(artifact, tuple(files), found, precision, judged_in)

    def _cached(self, precision: str) -> ModelFile | None:
        data = read_json(_manifest(self._folder, precision))
        if data is None:
            return None
        try:
            found = from_dict(ModelFile, data)
        except ValueError:
            return None
        fits = found.source == self.file("fp32").sha256
        there = all((self._folder.path / file).is_file() for file in found.files)
        return found if fits and there else None

    def _make(self, precision: str) -> ModelFile:
        folder = self._folder.tuning
        folder.mkdir(parents=True, exist_ok=True)
        log = self._folder.log(f"tune_{precision}")
        words = (
            str(self._folder.cache_dir),
            self._folder.name,
            precision,
            self.file("fp32").sha256,
        )
        with log.open("wb") as output:
            done = subprocess.run(
                interpreter.command("turnkeyml.tuning.variants", *words),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        found = self._cached(precision) if done.returncode == 0 else None
        if found is None:
            raise MeasureError(
                f"{precision} could not be built: {_last_words(log, done.returncode)}"
            )
        return found


def main() -> None:
    """Make the file of a build in one precision, as the arguments say."""
    die_with_parent()
    cache_dir, name, precision, source = sys.argv[1:]
    folder = BuildFolder(Path(cache_dir), name)
    state = read_state(folder)
    assert state is not None
    kind = ONNX if state.facts.get("precision", "fp32") == "fp32" else ONNX_FP32
    target = folder.tuning / f"{precision}.onnx"
    try:
        _convert(precision, folder, state, folder.path / state.artifacts[kind], target)
    except Exception as error:  # noqa: BLE001 - whoever waits for it reads the last line
        import traceback

        traceback.print_exc()
        sys.exit(describe(error))
    write_json(_manifest(folder, precision), to_dict(_described(folder, target, precision, source)))


def _convert(
    precision: str, folder: BuildFolder, state: BuildState, source: Path, target: Path
) -> None:
    from turnkeyml.build import quantize_dynamically, quantize_statically
    from turnkeyml.system import usable_cores
    from turnkeyml.verify import alike, load_reference

    if precision == "int8-dynamic":
        quantize_dynamically(source, target)
        return
    if state.reference is None:
        raise MeasureError("the build does not hold what the original computes")
    reference = load_reference(folder, state.reference)
    if precision == "int8-static":
        quantize_statically(source, target, [known.inputs for known in alike(reference)])
        return
    from turnkeyml.build import Conversion, Fp16Search

    Fp16Search(Conversion(source, target, reference, usable_cores())).run()


def _described(folder: BuildFolder, target: Path, precision: str, source: str) -> ModelFile:
    from turnkeyml.build import data_files, precision_of

    files = (target, *data_files(target))
    names = tuple(file.relative_to(folder.path).as_posix() for file in files)
    asked = precision.partition("-")[0]
    found = precision_of(target)
    own = "mixed" if found == "fp32" else found
    return ModelFile(names[0], names, checksum(files), own, asked, source)


def _manifest(folder: BuildFolder, precision: str) -> Path:
    return folder.tuning / f"{precision}.json"


def _last_words(log: Path, code: int) -> str:
    lines = log.read_text("utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if code < 0 or not last:
        return f"the process {interpreter.describe_exit(code)} (see {log})"
    return last.rstrip(".")


@dataclass(frozen=True)
class Rig:
    """A build on a device, with its files in all precisions."""

    folder: BuildFolder
    state: BuildState
    device: Device
    variants: Variants

    def contestant(self, configuration: Configuration) -> FileContestant:
        """What a configuration runs; an error in a sentence if its file cannot be made."""
        file, request = self.request(configuration)
        casts = bool(self._cast(configuration))
        return FileContestant(
            runtime=self.runtime(configuration),
            precision=configuration.precision if casts else file.precision,
            folder=self._measurements(configuration),
            request=request,
            build=self.folder,
            reference=self.state.reference,
            artifact=file.artifact,
            sha256=file.sha256,
            judged_in=configuration.precision if casts else file.judged_in,
            files=file.files,
            wants_errors=True,
            batch=configuration.batch,
            batched=self.batched if configuration.batch > 1 else (),
        )

    def request(self, configuration: Configuration) -> tuple[ModelFile, Request]:
        """The file that a configuration runs, and what its runtime is asked to open."""
        asked = self._cast(configuration)
        file = self.variants.file("fp32" if asked else configuration.precision)
        request = Request(
            threads=configuration.threads,
            model=str(self.folder.path / file.artifact),
            sha256=file.sha256,
            precision=file.precision,
            arguments=self.runtime(configuration).complete({**asked, **configuration.arguments}),
            build_folder=str(self.folder.path),
        )
        return file, request

    def _cast(self, configuration: Configuration) -> dict[str, Any]:
        """The arguments with which the runtime computes a file in fp32 in another precision; none
        if it runs a file in that precision."""
        if configuration.precision == self.variants.offered.own:
            return {}
        return dict(self.runtime(configuration).computes.get(configuration.precision, {}))

    def runtime(self, configuration: Configuration) -> Runtime:
        return find_runtime(configuration.runtime, self.device.name)

    @functools.cached_property
    def batched(self) -> tuple[str, ...]:
        """The inputs that can be repeated for larger batches; none if the batch is fixed."""
        from turnkeyml.build import batched_inputs

        own = self.variants.file(self.variants.offered.own)
        return batched_inputs(self.folder.path / own.artifact)

    def _measurements(self, configuration: Configuration) -> Any:
        name = safe_name(f"{configuration.runtime}@tune={configuration.details}")
        return self.folder.benchmark(self.device.name, name)
