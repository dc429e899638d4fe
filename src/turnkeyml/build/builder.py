"""Making a build, or finding that there is no need to."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Any

import turnkeyml
from turnkeyml import environment, events, structure
from turnkeyml.build import identity, onnx_files
from turnkeyml.build.opset import DEFAULT_ONNX_OPSET
from turnkeyml.build.sequences import find_sequence
from turnkeyml.build.stage import MODEL, ONNX, ONNX_FILE, Progress, Sequence, Workbench
from turnkeyml.build.subject import Subject
from turnkeyml.build.verify import verify_onnx
from turnkeyml.cache import state as states
from turnkeyml.cache.arrays import save_arrays
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import BuildState, read_state, write_state
from turnkeyml.errors import BuildError, describe
from turnkeyml.records import Plan, StageRecord, Verification
from turnkeyml.runtimes import machine

__all__ = ["Built", "build"]


@dataclass(frozen=True)
class Built:
    """A finished build, and how it came about."""

    state: BuildState
    reused: bool
    remarks: tuple[str, ...] = ()


def build(subject: Subject, plan: Plan, folder: BuildFolder, sink: events.Sink) -> Built:
    """The build of a subject, from the cache where it is still good. Needs the folder's lock."""
    sequence = find_sequence(plan.sequence, subject.is_onnx)
    opset = plan.onnx_opset or environment.onnx_opset()
    cached = read_state(folder)
    if plan.rebuild == "never" and cached is not None:
        return _load_regardless(subject, cached, folder, sequence, opset)
    key = _key(subject, sequence, opset)
    why = _why_not_reusable(cached, key, folder)
    if cached is not None and plan.rebuild == "if_needed" and why is None:
        sink.send(events.BuildReused(subject.record.hash))
        return Built(cached, reused=True)
    remarks = (f"The cached build was made again: {why}.",) if cached and why else ()
    state = _new_state(subject, key, sequence, opset)
    try:
        return Built(_make(subject, state, folder, sequence, opset, sink), False, remarks)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BuildError(
                f"The disk is full: {folder.path} needs more space. "
                "Free some, or choose another cache with --cache-dir."
            ) from error
        raise


def _make(
    subject: Subject,
    state: BuildState,
    folder: BuildFolder,
    sequence: Sequence,
    opset: int | None,
    sink: events.Sink,
) -> BuildState:
    folder.path.mkdir(parents=True, exist_ok=True)
    write_state(folder, state)
    folder.remove_build()
    threads = machine.usable_cores()
    reference = _reference(subject, threads, state, folder)
    save_arrays(folder.inputs, reference.inputs)
    save_arrays(folder.outputs, reference.outputs)
    finished: list[StageRecord] = []
    with folder.work() as work:
        bench = Workbench(
            folder=folder,
            work=work,
            opset=opset or DEFAULT_ONNX_OPSET,
            opset_was_chosen=opset is not None,
            reference=reference,
            model=subject.model,
            args=subject.args,
            kwargs=subject.kwargs,
            things={ONNX_FILE: subject.onnx_file} if subject.onnx_file else {},
            threads=threads,
        )
        try:
            sequence.run(bench, _progress(subject, sink, finished))
            verification = _verify(bench, sequence)
        except BuildError as error:
            failure = {"stage": error.stage or "", "message": str(error), "log": error.log or ""}
            changes: dict[str, Any] = {"build_status": states.FAILED, "failure": failure}
            write_state(folder, state.changed(stages=tuple(finished), **changes))
            raise
    done = state.changed(
        build_status=states.SUCCESSFUL,
        stages=tuple(finished),
        artifacts=_artifacts(bench, folder),
        facts={k: v for k, v in bench.facts.items() if k != "complete"},
        verification=verification,
    )
    write_state(folder, done)
    return done


def _reference(subject: Subject, threads: int, state: BuildState, folder: BuildFolder) -> Any:
    """The original's outputs; a model that cannot run by itself cannot be built."""
    try:
        return subject.reference(threads)
    except Exception as error:
        what = "The ONNX file" if subject.is_onnx else "The model"
        message = f"{what} does not run again on its recorded inputs: {describe(error)}"
        failure = {"stage": "", "message": message, "log": ""}
        write_state(folder, state.changed(build_status=states.FAILED, failure=failure))
        raise BuildError(message) from error


def _verify(bench: Workbench, sequence: Sequence) -> Verification:
    """The verdict on the last ONNX file, naming the stage at fault where one is."""
    if ONNX not in bench.things:
        return Verification("not checked", "the sequence made no ONNX file")
    path, precision = bench.things[ONNX], bench.facts.get("precision", "fp32")
    exported = bench.verification
    only_exported = sequence.stage_names[-2:] == ["export_pytorch", "set_success"]
    if exported is not None and only_exported:
        return exported
    verdict = verify_onnx(str(path), bench.reference, precision, bench.threads)
    if verdict.verdict in ("close", "mismatch") and exported is not None and exported.trusted:
        later = [s for s in sequence.stage_names if s not in ("export_pytorch", "set_success")]
        note = f"{verdict.reason}; it still matched after export_pytorch, not after {later[-1]}"
        return Verification(
            verdict.verdict,
            note,
            verdict.max_absolute_error,
            verdict.max_relative_error,
            verdict.cosine,
        )
    return verdict


def _progress(subject: Subject, sink: events.Sink, finished: list[StageRecord]) -> Progress:
    name = subject.record.hash

    def started(stage: str, message: str, position: int, total: int) -> None:
        sink.send(events.StageStarted(name, stage, message, position, total))

    def ended(record: StageRecord) -> None:
        finished.append(record)
        sink.send(
            events.StageFinished(name, record.name, record.seconds, record.succeeded)
        )

    return Progress(started, ended)


def _artifacts(bench: Workbench, folder: BuildFolder) -> dict[str, str]:
    return {
        kind: path.relative_to(folder.path).as_posix()
        for kind, path in bench.things.items()
        if kind not in (ONNX_FILE, MODEL)
    }


def _new_state(
    subject: Subject, key: dict[str, str], sequence: Sequence, opset: int | None
) -> BuildState:
    record = subject.record
    return BuildState(
        build_name=record.build_name,
        build_status=states.RUNNING,
        turnkey_version=turnkeyml.__version__,
        model_type=record.model_type,
        hash=record.hash,
        model_hash=record.model_hash,
        key=key,
        config={
            "build_name": record.build_name,
            "onnx_opset": opset or DEFAULT_ONNX_OPSET,
            "sequence": sequence.stage_names,
        },
        input_shapes=record.shapes,
        input_dtypes=record.dtypes,
    )


def _key(subject: Subject, sequence: Sequence, opset: int | None) -> dict[str, str]:
    """Everything that a build depends on; each part named, to say what has changed."""
    common = {
        "turnkey version": ".".join(turnkeyml.__version__.split(".")[:2]),
        "sequence": " ".join(sequence.stage_names),
        "opset": str(opset or DEFAULT_ONNX_OPSET),
        "input shapes": str(subject.record.shapes),
        "input dtypes": str(subject.record.dtypes),
    }
    if subject.onnx_file is not None:
        files = [subject.onnx_file, *onnx_files.data_files(subject.onnx_file)]
        return {**common, "ONNX file": identity.file_digest(files)}
    arguments = structure.constants((subject.args, subject.kwargs))
    return {
        **common,
        "other inputs": identity.digest(arguments),
        "model": identity.model_fingerprint(subject.model),
        "weights": identity.weights_digest(subject.model),
    }


def _why_not_reusable(
    cached: BuildState | None, key: dict[str, str], folder: BuildFolder
) -> str | None:
    """What stands against a cached build, in words; None for a good one."""
    if cached is None:
        return "there is none"
    changed = [part for part in key if cached.key.get(part) != key[part]]
    if changed:
        return f"{' and '.join(changed)} changed"
    if cached.build_status == states.RUNNING:
        return "it was interrupted"
    if not cached.succeeded:
        return "it had failed"
    needed = [folder.path / a for a in cached.artifacts.values()]
    if not all(path.exists() for path in [*needed, folder.inputs]):
        return "its files had been removed"
    return None


def _load_regardless(
    subject: Subject,
    cached: BuildState,
    folder: BuildFolder,
    sequence: Sequence,
    opset: int | None,
) -> Built:
    if not all((folder.path / a).exists() for a in cached.artifacts.values()):
        raise BuildError(f"The build in {folder.path} has no model, and may not be made again.")
    if not cached.artifacts:
        raise BuildError(
            f"The build in {folder.path} is not finished ({cached.build_status}), "
            "and --rebuild never forbids to make it again."
        )
    why = _why_not_reusable(cached, _key(subject, sequence, opset), folder)
    remark = f"The cached build was loaded although {why}, as --rebuild never asks."
    return Built(cached, reused=True, remarks=(remark,) if why else ())
