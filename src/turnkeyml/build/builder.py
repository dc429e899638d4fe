"""Building a model, or reusing its build from the cache."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import turnkeyml
from turnkeyml.build import fingerprint
from turnkeyml.build.captured_model import CapturedModel
from turnkeyml.build.reuse import SHARE, SharedBuild, why_rebuild
from turnkeyml.build.sequences import DEFAULT_ONNX_OPSET
from turnkeyml.build.stage import (
    ONNX,
    ONNX_FP32,
    WIDENED_FROM,
    BuildContext,
    Sequence,
    StageCallbacks,
)
from turnkeyml.cache import (
    BuildFolder,
    BuildState,
    checksum,
    read_state,
    reinstate_evaluations,
    retire_evaluations,
    state_damage,
    write_state,
)
from turnkeyml.errors import BuildError, describe
from turnkeyml.nouns import (
    BuildReused,
    BuildStatus,
    Cause,
    Plan,
    Sink,
    StageFinished,
    StageRecord,
    StageStarted,
    Verdict,
    Verification,
)
from turnkeyml.system import captured, peak_memory_bytes, reset_peak_memory, usable_cores
from turnkeyml.verify import (
    Outputs,
    Reference,
    calibrate,
    loosest,
    save_inputs,
    save_reference,
)

OF_THE_FILE = frozenset({"turnkey version", "sequence", "opset", "widening"})
"""The parts of a key that a measurement of the live model does not depend on."""


@dataclass(frozen=True)
class Built:
    """A finished build, and whether it was reused."""

    state: BuildState
    reused: bool
    remarks: tuple[str, ...] = ()


def build(
    subject: CapturedModel,
    sequence: Sequence,
    plan: Plan,
    folder: BuildFolder,
    sink: Sink,
    *,
    shared: SharedBuild | None = None,
    widens: bool = False,
) -> Built:
    """The build of a subject, from the cache if it is still valid. Needs the folder's lock.

    ``shared`` is the build of another length of its cache, whose files serve if they verify.
    ``widens``: the runtime does not run the precision of the model, so it is built in fp32.
    """
    cached = read_state(folder)
    builder = _Builder(subject, folder, sink, sequence, plan.onnx_opset, widens)
    key = builder.key()
    why = why_rebuild(cached, key, folder) if cached is not None else None
    if cached is not None and plan.rebuild == "never":
        return _load_regardless(cached, why, folder)
    if cached is not None and plan.rebuild == "if_needed" and why is None:
        sink.send(BuildReused(subject.record.hash))
        return Built(cached, reused=True)
    remarks = (f"The cached build was rebuilt: {why}.",) if why else ()
    if damage := state_damage(folder):
        remarks = (f"The cached build was rebuilt. {damage}",)
    if shared is None:
        return Built(builder.make(key), reused=False, remarks=remarks)
    state, why = builder.adopt(key, shared)
    if state is None:
        more = f"Built on its own: the build of another length does not serve this one ({why})."
        return Built(builder.make(key), reused=False, remarks=(*remarks, more))
    return Built(state, reused=False, remarks=remarks)


@dataclass
class _Builder:
    """One build in progress."""

    subject: CapturedModel
    folder: BuildFolder
    sink: Sink
    sequence: Sequence
    chosen_opset: int | None
    widens: bool = False
    _retired: list[dict[str, Any]] = field(default_factory=list)
    """The evaluations of what was in the folder before."""

    @property
    def opset(self) -> int:
        return self.chosen_opset or DEFAULT_ONNX_OPSET

    def key(self) -> dict[str, str]:
        """Everything that the build depends on, by names that messages show if one changed."""
        record = self.subject.record
        return {
            "turnkey version": ".".join(turnkeyml.__version__.split(".")[:2]),
            "sequence": " ".join([*self.sequence.stage_names, *self._custom_code()]),
            "input shapes": str(record.shapes),
            "input dtypes": str(record.dtypes),
            **({"recorded call": str(record.recorded_call)} if record.recorded_call > 1 else {}),
            **({"widening": self.subject.precision} if self.widens else {}),
            **self.subject.key(self.opset),
        }

    def _custom_code(self) -> list[str]:
        """The fingerprints of the user's own stages, which change with their code or settings."""
        return [
            fingerprint.object_fingerprint(stage)
            for stage in self.sequence
            if not type(stage).__module__.startswith("turnkeyml.")
        ]

    def _begin(self, key: dict[str, str]) -> BuildState:
        """Write the state of a build that is running, and remove what an earlier one left."""
        cached = read_state(self.folder)
        state = self._new_state(key)
        self.folder.path.mkdir(parents=True, exist_ok=True)
        write_state(self.folder, state)
        self.folder.remove_build()
        self._retired = retire_evaluations(self.folder, keep_live=self._has_same_model(cached, key))
        return state

    def _has_same_model(self, cached: BuildState | None, key: dict[str, str]) -> bool:
        """Whether the build in the cache is of this model: the sequence may be another one."""
        parts = key.keys() - OF_THE_FILE
        return cached is None or all(cached.key.get(part) == key[part] for part in parts)

    def adopt(self, key: dict[str, str], shared: SharedBuild) -> tuple[BuildState | None, str]:
        """Use the files of another length, if they verify at this one; else None and the reason."""
        state = self._begin(key)
        finished: list[StageRecord] = []
        progress = self._progress(finished)
        with self._noting_failure(state, finished):
            bench = self._workbench(self.folder.onnx, self._reference())
            save_inputs(self.folder, bench.reference)
            progress.started(SHARE, "Verifying the build of another length", 1, 1)
            reset_peak_memory()
            begin = time.perf_counter()
            with captured(self.folder.log(SHARE)):
                verification = shared.serve(bench)
                print(f"{verification.verdict}: {verification.reason}", flush=True)
                verified = _verified_outputs(bench, verification)
                _calibrate(bench)
            seconds, good = time.perf_counter() - begin, shared.accepts(verification)
            progress.finished(StageRecord(SHARE, seconds, peak_memory_bytes(), good))
        if not good:
            return None, verification.reason
        return self._finish(state, bench, verification, finished, verified), ""

    def make(self, key: dict[str, str]) -> BuildState:
        """Build from scratch; the state file on disk always shows the current status."""
        state = self._begin(key)
        finished: list[StageRecord] = []
        with self._noting_failure(state, finished):
            reference = self._reference()
            save_inputs(self.folder, reference)
            with self.folder.work() as work:
                bench = self._workbench(work, reference)
                self.sequence.run(bench, self._progress(finished))
                with captured(self.folder.log("verification")):
                    verification = _verify(bench)
                    verified = _verified_outputs(bench, verification)
                    _calibrate(bench)
        return self._finish(state, bench, verification, finished, verified)

    @contextlib.contextmanager
    def _noting_failure(self, state: BuildState, finished: list[StageRecord]) -> Iterator[None]:
        """Within the block, a build error is written to the state on its way out."""
        try:
            yield
        except BuildError as error:
            failure = {"stage": error.stage or "", "message": str(error), "log": error.log or ""}
            failed = replace(state, build_status=BuildStatus.FAILED, failure=failure)
            write_state(self.folder, replace(failed, stages=tuple(finished)))
            raise

    def _finish(
        self,
        state: BuildState,
        bench: BuildContext,
        verification: Verification,
        finished: list[StageRecord],
        verified: Outputs | None,
    ) -> BuildState:
        """Write the state of a build that succeeded."""
        done = replace(
            state,
            build_status=BuildStatus.SUCCESSFUL,
            stages=tuple(finished),
            artifacts=self._artifacts(bench),
            artifact_files=self._artifact_files(bench),
            facts={**bench.facts, **self._facts(bench)},
            verification=verification,
            reference=save_reference(self.folder, bench.reference, verification, verified),
        )
        done = replace(done, files=self.folder.file_sizes())
        write_state(self.folder, done)
        reinstate_evaluations(self.folder, self._retired, done.facts.get("sha256", {}).values())
        return done

    def _reference(self) -> Reference:
        """The outputs of the original; a build error if it cannot run."""
        try:
            with captured(self.folder.log("verification")):
                reference = self.subject.reference(usable_cores())
        except (Exception, SystemExit) as error:
            raise BuildError(f"{self.subject.cannot_run}: {describe(error)}") from error
        if not reference.outputs:
            raise BuildError("The model returns no tensor, so there is nothing to build.")
        return reference

    def _workbench(self, work: Path, reference: Reference) -> BuildContext:
        return BuildContext(
            folder=self.folder,
            work=work,
            opset=self.opset,
            opset_was_chosen=self.chosen_opset is not None,
            reference=reference,
            subject=self.subject,
            widens=self.widens,
        )

    def _progress(self, finished: list[StageRecord]) -> StageCallbacks:
        name, sink = self.subject.record.hash, self.sink

        def started(stage: str, message: str, position: int, total: int) -> None:
            sink.send(StageStarted(name, stage, message, position, total))

        def ended(record: StageRecord) -> None:
            finished.append(record)
            sink.send(StageFinished(name, record.name, record.seconds, record.succeeded))

        return StageCallbacks(started, ended)

    def _artifacts(self, bench: BuildContext) -> dict[str, str]:
        return {
            kind: path.relative_to(self.folder.path).as_posix()
            for kind, path in bench.artifacts.items()
        }

    def _facts(self, bench: BuildContext) -> dict[str, Any]:
        """The precision of the last ONNX file, that in which it was judged and its operators, and
        the checksums of all."""
        from turnkeyml.build.onnx_facts import folded_shares, operators_of, precision_of

        if ONNX not in bench.artifacts:
            return {"sha256": {}}
        precision = precision_of(bench.artifacts[ONNX])
        if precision == "fp32" and ONNX_FP32 in bench.artifacts:
            precision = "mixed"  # a conversion that had to keep nearly all of it in fp32
        return {
            "precision": precision,
            "judged_in": _judged_in(bench),
            "operators": operators_of(bench.artifacts[ONNX]),
            "folded": folded_shares(_first_file(bench)),
            "sha256": self._checksums(bench),
        }

    def _artifact_files(self, bench: BuildContext) -> dict[str, tuple[str, ...]]:
        """Each ONNX file with its data files, by their paths in the build folder."""
        from turnkeyml.build import onnx_graph

        made = {kind: path for kind, path in bench.artifacts.items() if kind in (ONNX, ONNX_FP32)}
        return {
            kind: tuple(
                file.relative_to(self.folder.path).as_posix()
                for file in (path, *onnx_graph.data_files(path))
            )
            for kind, path in made.items()
        }

    def _checksums(self, bench: BuildContext) -> dict[str, str]:
        """The SHA-256 of each ONNX file with its data, like ``cat FILE DATA… | sha256sum``."""
        return {
            kind: checksum(self.folder.path / file for file in files)
            for kind, files in self._artifact_files(bench).items()
        }

    def _new_state(self, key: dict[str, str]) -> BuildState:
        record = self.subject.record
        return BuildState(
            build_name=record.build_name,
            build_status=BuildStatus.RUNNING,
            turnkey_version=turnkeyml.__version__,
            model_type=record.model_type,
            hash=record.hash,
            model_hash=record.model_hash,
            key=key,
            config={
                "build_name": record.build_name,
                "onnx_opset": self.opset,
                "sequence": self.sequence.stage_names,
            },
            input_shapes=record.shapes,
            input_dtypes=record.dtypes,
        )


def _verify(bench: BuildContext) -> Verification:
    """The verdict on the last ONNX file; on a mismatch it names the stage that caused it."""
    if ONNX not in bench.artifacts:
        reason = "the sequence made no ONNX file"
        return Verification(Verdict.NOT_CHECKED, Cause.NO_FILE, reason)
    path = bench.artifacts[ONNX]
    verdict = bench.verdicts.get(path.name)
    if verdict is None:
        verdict = bench.check(path, _judged_in(bench))
    earlier = next((name for name, found in bench.verdicts.items() if found.trusted), None)
    if earlier is not None and verdict.verdict in (Verdict.CLOSE, Verdict.MISMATCH):
        good, bad = bench.made_by[earlier], bench.made_by[path.name]
        return replace(
            verdict, reason=f"{verdict.reason}; it matched after {good}, but not after {bad}"
        )
    return verdict


def _judged_in(bench: BuildContext) -> str:
    """The precision whose tolerance holds for the last ONNX file, here and wherever it runs."""
    from turnkeyml.build.onnx_facts import precision_of

    path = bench.artifacts[ONNX]
    made = str(bench.facts.get("precision", "fp32"))
    original = str(bench.facts.get(WIDENED_FROM, made))
    if path.name in bench.verdicts:  # by the stage that made it, in the precision that it made
        return loosest(made, original)
    return loosest(made, original, precision_of(path))


def _first_file(bench: BuildContext) -> Path:
    """The ONNX file as it was exported or received: later stages fold what is constant."""
    made = (bench.folder.onnx / name for name in bench.made_by if name.endswith(".onnx"))
    return next((path for path in made if path.is_file()), bench.artifacts[ONNX])


def _verified_outputs(bench: BuildContext, verification: Verification) -> Outputs | None:
    """The outputs of the build, if they replace those of an unstable original as reference; the
    held-out sets then have those of the build too, if it runs on all of them."""
    if verification.verdict is not Verdict.IN_PARTS:
        return None
    from turnkeyml.runtimes import run_once

    reference, path = bench.reference, str(bench.artifacts[ONNX])
    try:
        made = [run_once(path, held.inputs, bench.threads) for held in reference.held_out]
    except Exception as error:  # noqa: BLE001 - later it is judged on the recorded inputs only
        print(f"The build does not run on all held-out inputs: {describe(error)}", flush=True)
        made = []
    for held, outputs in zip(reference.held_out, made, strict=False):
        held.verified = outputs
    return run_once(path, reference.inputs, bench.threads)


def _calibrate(bench: BuildContext) -> None:
    """Have the build hold what every file of it is judged by where it is measured."""
    precisions = [bench.facts.get("precision", "fp32")]
    if ONNX_FP32 in bench.artifacts:
        precisions.append("fp32")
    for precision in precisions:
        calibrate(bench.reference, precision)


def _load_regardless(cached: BuildState, why: str | None, folder: BuildFolder) -> Built:
    """The build in the cache, stale or not; a build error if it has no files to load."""
    files = [folder.path / artifact for artifact in cached.artifacts.values()]
    if not files or not all(file.exists() for file in files):
        raise BuildError(
            f"The build in {folder.path} has no model to load ({cached.build_status}), and the "
            "rebuild policy 'never' does not allow a rebuild; use 'if_needed'."
        )
    remark = f"The cached build was reused because the rebuild policy is 'never', although {why}."
    return Built(cached, reused=True, remarks=(remark,) if why else ())
