"""From configurations to contestants that can be loaded and timed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from turnkeyml.cache import BuildFolder, BuildState, safe_name
from turnkeyml.evaluate import FileContestant
from turnkeyml.nouns import Configuration
from turnkeyml.runtimes import Device, Request, Runtime, find_runtime
from turnkeyml.tuning.variants import ModelFile, Variants


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
