"""The stats of a build, for people and reports, with the history of its evaluations.

While a process works on a build, the section ``working`` says so: it is written with the first
stats and goes with the last. It has a record of each planned measurement, as it will be if its
process dies. What outlives the process gives it its end with ``end_work``; otherwise readers find
that no process holds the build.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import turnkeyml
from turnkeyml.cache.files import (
    MOST_BYTES,
    DamagedFile,
    load_yaml,
    open_regular,
    printable,
    replacing,
    set_aside,
    write_yaml,
)
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import (
    ABANDONED,
    BuildState,
    PhaseEnd,
    read_state,
    state_as_written,
    state_damage,
    write_state,
)
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import (
    BuildStatus,
    ContestantKey,
    DamagedRecord,
    Evaluation,
    EvaluationStatus,
    InvocationRecord,
    Phase,
    StageRecord,
    Steps,
    Verification,
    from_dict,
    to_dict,
)

WORKING = "working"
"""The section that only the stats of a build have that a process works on, or worked on."""


LOCK_POLL_SECONDS = 0.02
"""Between two attempts to take the lock of a process that was killed."""


@dataclass(frozen=True)
class BuildSection:
    """What is known of the build itself, besides the facts that its stages note."""

    status: str = ""
    sequence: tuple[str, ...] = ()
    stages: tuple[StageRecord, ...] = ()
    seconds: float = 0.0
    verification: Verification | None = None
    failure: str | None = None


@dataclass(frozen=True)
class Work:
    """What a process is about to do with a build that it holds."""

    builds: bool = False
    """Whether it builds, or looks whether it has to."""
    evaluations: tuple[Evaluation, ...] = ()
    """A record without a reason of each measurement that it plans."""


@dataclass(frozen=True)
class _Labels:
    labels: dict[str, list[str]] | None = None


@dataclass(frozen=True)
class Sections:
    """The sections that whoever reads stats relies on, all of which may be missing."""

    turnkey_version: str = ""
    build_name: str = ""
    model_name: str = ""
    model_class: str = ""
    model_type: str = ""
    model_hash: str = ""
    hash: str = ""
    file: str = ""
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: int = 0
    parameter_bytes: int = 0
    input_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    input_dtypes: dict[str, str] = field(default_factory=dict)
    phase: Phase | None = None
    tokens: int = 0
    steps: Steps | None = None
    build: BuildSection | None = None
    evaluations: tuple[Any, ...] = ()
    working: Work | None = None


def read_stats(folder: BuildFolder) -> dict[str, Any]:
    """The stats of a build; empty where there are none that can be read.

    They never call a build or a measurement running that no process holds: see ``end_work``.
    """
    stats = _as_written(folder)
    if not stats or not _is_open(folder, stats):
        return stats
    if folder.is_held:
        state = read_state(folder)
        running = state is not None and state.build_status is BuildStatus.RUNNING
        return {**stats, "build": {"status": str(BuildStatus.RUNNING)}} if running else stats
    again = _as_written(folder)  # it may have finished before we asked for the lock
    if not again or not _is_open(folder, again):
        return again
    return _settle(again, state_as_written(folder), ABANDONED).stats


def _as_written(folder: BuildFolder) -> dict[str, Any]:
    try:
        return _load(folder)
    except DamagedFile:
        return {}


def _load(folder: BuildFolder) -> dict[str, Any]:
    """The stats as they are; a ``DamagedFile`` where they have no sections at all."""
    try:
        data = load_yaml(folder.stats)
    except FileNotFoundError:
        return {}
    if not isinstance(data, dict):
        raise DamagedFile(folder.stats, "it has no sections")
    return data


def _before_change(folder: BuildFolder) -> dict[str, Any]:
    """The stats that are about to be changed; empty where they are damaged.

    Stats that a disk does not give at the moment are an error: they must not be replaced.
    """
    try:
        return _load(folder)
    except DamagedFile as error:
        if error.may_be_whole:
            raise
        return {}


def stats_damages(folder: BuildFolder) -> list[str]:
    """What in the stats of a build cannot be used, in sentences."""
    try:
        stats = _load(folder)
        from_dict(Sections, stats)
    except DamagedFile as error:
        return [f"The stats of build {folder.name} cannot be read: {error.why}."]
    except DamagedRecord as error:
        why = printable(str(error).removeprefix("Sections."))
        return [f"The stats of build {folder.name} are damaged: {why}."]
    reasons = dict.fromkeys(_why_damaged(e) for e in _all_evaluations(stats))
    return [
        f"An evaluation of build {folder.name} cannot be read: {printable(reason)}."
        for reason in reasons
        if reason
    ]


def load_labels(cache_dir: str | Path, build_name: str) -> dict[str, list[str]]:
    """The labels of the script that a build came from; empty where it had none."""
    folder = BuildFolder(Path(cache_dir).expanduser(), build_name)
    if not folder.stats.exists():
        raise TurnkeyError(f"There is no build {build_name!r} in the cache {folder.cache_dir}.")
    try:
        return from_dict(_Labels, _load(folder)).labels or {}
    except DamagedRecord as error:
        raise DamagedFile(folder.stats, str(error)) from None


def update_stats(folder: BuildFolder, **sections: Any) -> str | None:
    """Replace some sections of the stats and keep the others. Needs the build's lock.

    ``working=None`` removes that section, and so does one without anything that is open. Stats
    that cannot be read are set aside, not overwritten; a sentence then says so.
    """
    told = None
    try:
        stats = _load(folder)
    except DamagedFile as error:
        if error.may_be_whole:
            raise
        aside = set_aside(folder.stats)
        stats = {}
        told = f"The earlier stats could not be read ({error.why}); they are in {aside.name}."
    stats.update(to_dict(sections))
    working = stats.get(WORKING)
    if WORKING in stats and not (isinstance(working, dict) and any(working.values())):
        del stats[WORKING]
    write_yaml(folder.stats, stats)
    return told


def update_invocation(
    folder: BuildFolder,
    record: InvocationRecord,
    labels: dict[str, tuple[str, ...]],
    work: Work | None = None,
) -> str | None:
    """Record what a build is of, like ``update_stats``, and the work that begins with it, if any.

    Work that a killed process has left open gets its end first.
    """
    if work is not None:
        end_held_work(folder, ABANDONED)
    more: dict[str, Any] = {} if work is None else {WORKING: work}
    if record.phase is not None:
        more |= {"phase": record.phase, "tokens": record.tokens, "steps": record.steps}
    return update_stats(
        folder,
        turnkey_version=turnkeyml.__version__,
        build_name=record.build_name,
        model_name=record.name,
        model_class=record.class_name,
        model_type=record.model_type,
        model_hash=record.model_hash,
        hash=record.hash,
        file=record.file,
        labels=labels,
        parameters=record.parameters,
        parameter_bytes=record.parameter_bytes,
        input_shapes=record.shapes,
        input_dtypes=record.dtypes,
        **more,
    )


def evaluations_in(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """The evaluations among some stats; what does not read as one is left out."""
    return [e for e in _all_evaluations(stats) if _why_damaged(e) is None]


def _all_evaluations(stats: Mapping[str, Any]) -> list[Any]:
    found = stats.get("evaluations")
    return found if isinstance(found, list) else []


def _why_damaged(data: Any) -> str | None:
    """Why something is no evaluation; None for one that is."""
    try:
        from_dict(Evaluation, data)
    except DamagedRecord as error:
        return str(error)
    return None


def add_evaluation(folder: BuildFolder, evaluation: Evaluation) -> None:
    """Record an evaluation; an older one of the same kind moves to the history of the build."""
    new = to_dict(evaluation)
    stats = _before_change(folder)
    before = _all_evaluations(stats)
    add_history(folder, [e for e in before if _is_same_kind(e, new)])
    kept = [e for e in before if not _is_same_kind(e, new)]
    planned = [e for e in _planned(stats) if not _is_same_kind(e, new)]
    working = {WORKING: {"evaluations": planned}} if WORKING in stats else {}
    update_stats(folder, evaluations=[*kept, new], **working)


def retire_evaluations(folder: BuildFolder, *, keep_live: bool = False) -> list[dict[str, Any]]:
    """Move evaluations to the history, because what they measured is built anew; return them.

    ``keep_live``: those of live models stay, as the model is the same.
    """
    every = [e for e in _all_evaluations(_before_change(folder)) if e]
    kept = [e for e in every if keep_live and isinstance(e, dict) and e.get("artifact") is None]
    retired = [e for e in every if e not in kept]
    add_history(folder, retired)
    update_stats(folder, build={"status": BuildStatus.RUNNING}, evaluations=kept)
    return retired


def reinstate_evaluations(
    folder: BuildFolder, retired: list[dict[str, Any]], checksums: Iterable[str]
) -> None:
    """Make evaluations current again if the new build has the file that they measured."""
    known = set(checksums)
    same = [e for e in retired if isinstance(e, dict) and e.get("artifact_sha256") in known]
    if same:
        update_stats(folder, evaluations=[*_all_evaluations(_before_change(folder)), *same])
        take_from_history(folder, same)  # a process that is killed before it leaves two, not none


def begin_work(folder: BuildFolder, work: Work) -> None:
    """Note what is about to be done, before it is. Needs the build's lock.

    Work that a killed process has left open gets its end first.
    """
    end_held_work(folder, ABANDONED)
    update_stats(folder, working=work)


def record_build(folder: BuildFolder, state: BuildState) -> None:
    """Note in the stats how a build has ended, from its state."""
    planned = _planned(_before_change(folder))
    working = {"evaluations": planned} if state.succeeded and planned else None
    update_stats(folder, build=_section_of(state), working=working)


def close_work(folder: BuildFolder) -> None:
    """Note that all work is done, in case a planned measurement has no record of its own."""
    if WORKING in _as_written(folder):
        update_stats(folder, working=None)


def end_work(folder: BuildFolder, end: PhaseEnd, seconds: float = 0.0) -> BuildStatus | None:
    """Give what a dead process has left open its end, and return the status of the build.

    This is the one place that decides how an end that nobody foresaw is recorded: a build that was
    running has the status of the end; measurements that were planned for a finished build have
    failed. Whoever holds the lock of the build knows that what is open in its records is dead.

    Waits up to ``seconds`` for the lock; None if another process has it, whose result counts.
    """
    if not folder.path.is_dir():
        return None
    lock, deadline = folder.lock(), time.monotonic() + seconds
    while not lock.try_acquire():
        if time.monotonic() >= deadline:
            return None
        time.sleep(LOCK_POLL_SECONDS)
    try:
        return end_held_work(folder, end)
    finally:
        lock.release()


def end_held_work(folder: BuildFolder, end: PhaseEnd) -> BuildStatus | None:
    """The same for a process that holds the lock."""
    stats, state = _as_written(folder), state_as_written(folder)
    if not _is_open(folder, stats):
        return state.build_status if state is not None else None
    settled = _settle(stats, state, end)
    if settled.state is not None and settled.state != state:
        write_state(folder, settled.state)
    add_history(folder, settled.retired)
    if stats:
        write_yaml(folder.stats, to_dict(settled.stats))
    return settled.state.build_status if settled.state is not None else None


@dataclass(frozen=True)
class _Settled:
    """The records of a build after its open work has ended."""

    stats: dict[str, Any]
    state: BuildState | None
    retired: tuple[Any, ...]
    """Evaluations for the history."""


def _is_open(folder: BuildFolder, stats: Mapping[str, Any]) -> bool:
    """Whether some work has begun, but not ended, according to the records of a build.

    Older versions noted nothing but the status of the build, in its state.
    """
    status = _build_section(stats).get("status")
    if WORKING in stats or status == BuildStatus.RUNNING:
        return True
    if status is not None:
        return False
    state = state_as_written(folder)
    return state is not None and state.build_status is BuildStatus.RUNNING


def _settle(stats: Mapping[str, Any], state: BuildState | None, end: PhaseEnd) -> _Settled:
    working = stats.get(WORKING)
    builds = isinstance(working, dict) and working.get("builds") is True
    status = _build_section(stats).get("status")
    left = {name: section for name, section in stats.items() if name != WORKING}
    if state is not None and state.build_status is BuildStatus.RUNNING:
        state, before = state.ended(end), _all_evaluations(stats)
        live = [e for e in before if isinstance(e, dict) and e.get("artifact") is None]
        gone = tuple(
            e for e in before if e and e not in live
        )  # what they measured has been removed
        if live:  # a report has a row for the build itself only if it has no evaluations
            left_out = [e for e in _planned(stats) if not any(_is_same_kind(o, e) for o in live)]
            live += [_lost(e, end) for e in left_out]
        left |= {"build": to_dict(_section_of(state)), "evaluations": live}
        return _Settled(left, state, gone)
    if state is None and (builds or status == BuildStatus.RUNNING):
        section = {"status": str(end.status), "failure": end.message}
        return _Settled({**left, "build": section}, None, ())
    if state is not None and (builds or status in (None, BuildStatus.RUNNING)):
        left["build"] = to_dict(_section_of(state))
    kept, retired = _all_evaluations(stats), []
    for planned in _planned(stats) if state is None or state.succeeded else ():
        lost = _lost(planned, end)
        same = [e for e in kept if _is_same_kind(e, lost)]
        if end.says_nothing and any(_succeeded(e) for e in same):
            retired.append(lost)
        else:
            retired += same
            kept = [*(e for e in kept if e not in same), lost]
    return _Settled({**left, "evaluations": kept}, state, tuple(retired))


def _lost(planned: dict[str, Any], end: PhaseEnd) -> dict[str, Any]:
    """The record of a planned measurement that did not come about."""
    lost = {**planned, "status": str(EvaluationStatus.FAILED), "reason": end.message}
    if end is not ABANDONED:  # of which nobody knows when it was
        lost["measured_at"] = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return lost


def _section_of(state: BuildState) -> dict[str, Any]:
    """What the stats say of a build, from its state."""
    seconds = sum(stage.seconds for stage in state.stages)
    known = {"status": state.build_status, "sequence": state.sequence}
    costs = {"stages": state.stages, "seconds": seconds}
    if state.succeeded:
        return {**known, **state.facts, **costs, "verification": state.verification}
    failure = state.failure or {}
    told = {"failure": failure.get("message"), "failed_stage": failure.get("stage")}
    return {**known, **{name: text for name, text in told.items() if text}, **costs}


def _build_section(stats: Mapping[str, Any]) -> dict[str, Any]:
    found = stats.get("build")
    return found if isinstance(found, dict) else {}


def _planned(stats: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The measurements that were planned and have no result, as their records will begin."""
    working = stats.get(WORKING)
    found = working.get("evaluations") if isinstance(working, dict) else None
    return [e for e in found if _why_damaged(e) is None] if isinstance(found, list) else []


def _succeeded(evaluation: Any) -> bool:
    found = evaluation.get("status") if isinstance(evaluation, dict) else None
    return bool(found == EvaluationStatus.SUCCESSFUL)


def _is_same_kind(one: Any, other: dict[str, Any]) -> bool:
    """Whether two evaluations of a build answer the same question."""
    return isinstance(one, dict) and ContestantKey.of(one).stands_for(ContestantKey.of(other))


def read_history(folder: BuildFolder) -> list[Any]:
    """The earlier evaluations of a build, the oldest first, as they were recorded.

    One that cannot be read is None, so that a reader can say that something is missing.
    """
    try:
        lines = _content(folder).splitlines()
    except DamagedFile:
        return [None]
    return [_parsed(line) for line in lines if line.strip()]


def add_history(folder: BuildFolder, evaluations: Iterable[Any]) -> None:
    """Keep evaluations that are about to be replaced. Needs the build's lock.

    A history that cannot be read is set aside, not overwritten.
    """
    lines = [json.dumps(evaluation).encode() + b"\n" for evaluation in evaluations]
    if not lines:
        return
    try:
        before = _content(folder)
    except DamagedFile as error:
        if error.may_be_whole:
            raise
        set_aside(folder.history)
        before = b""
    with replacing(folder.history) as temporary:
        temporary.write_bytes(before + b"".join(lines))


def take_from_history(folder: BuildFolder, evaluations: Iterable[Any]) -> None:
    """Remove evaluations that are current again. Needs the build's lock."""
    lines = {json.dumps(evaluation).encode() for evaluation in evaluations}
    kept = [line for line in _content(folder).splitlines() if line not in lines]
    with replacing(folder.history) as temporary:
        temporary.write_bytes(b"".join(line + b"\n" for line in kept))


def _content(folder: BuildFolder) -> bytes:
    """All lines; none if there is no history yet."""
    try:
        handle = open_regular(folder.history)
    except FileNotFoundError:
        return b""
    try:
        with os.fdopen(handle, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DamagedFile(folder.history, error.strerror or str(error), error) from None
    if len(content) > MOST_BYTES:
        raise DamagedFile(folder.history, f"it has more than {MOST_BYTES // 10**6} MB")
    return content


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def damages(folder: BuildFolder) -> list[str]:
    """What cannot be read of the records of a build; empty for one that is well."""
    of_state = state_damage(folder)
    return [*([of_state] if of_state else []), *stats_damages(folder)]
