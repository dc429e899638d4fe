"""Readers of all files that may come from anywhere, and mutations of files for them to read.

A target reads one file. What it raises, other than the errors that it is allowed to raise, is a
defect; so is what it does not finish, and memory that it takes without end.
"""

from __future__ import annotations

import contextlib
import functools
import io
import multiprocessing
import os
import random
import resource
import signal
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx

__all__ = [
    "CORPUS",
    "HANGS",
    "TARGETS",
    "Silent",
    "Finding",
    "fuzz",
    "mutation",
    "read_once",
    "warm_up",
]

CORPUS = Path(__file__).parent / "fuzz_corpus"
"""One folder per kind of file, with whole files that mutations begin with."""
HANGS = "it hangs"
SLOWEST = 30.0
"""Seconds after which reading one file counts as a hang."""
MOST_MEMORY = 2 << 30
"""Bytes of address space that reading files may take."""

TOKENS = [
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"-Infinity",
    b".nan",
    b"9" * 30,
    b"9" * 5000,
    b"[]",
    b"{}",
    b"[[[[",
    b"{{{{",
    b"- " * 2000,
    b"[" * 3000,
    b'{"a":' * 3000,
    b"&a [*a]",
    b"*a",
    b"!!python/object/apply:os.getpid []",
    b"<<: {}",
    b"---\n",
    b"...",
    b"../" * 8 + b"etc/passwd",
    b"/dev/zero",
    b"\0",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"\xed\xa0\x80",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b"\t",
    b"''",
    b'"',
    b"\\ud800",
    b"\\",
    b"%s%n",
    b",",
    b"::",
    b"=",
    b"*",
    b"**",
    b"[!",
    b"#",
    b"2024-99-99",
    b"0x",
    b"1_0",
    b"PK\x05\x06",
    b"\x93NUMPY\x01\x00",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x80" * 12,
]
"""What parsers have stumbled over."""
LENGTHS = [0, 1, 2, 7, 8, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1]


@dataclass(frozen=True)
class Target:
    """A kind of file and what reads it."""

    name: str
    file: str
    """Its name while it is read."""
    read: Callable[[Path], None]
    weight: int = 1
    """How often it is chosen: the readers of large files are slow."""


@dataclass(frozen=True)
class Finding:
    """A file that was not read as it should be."""

    target: str
    seed: int
    number: int
    what: str
    """Empty if it is like an earlier one."""


def mutation(target: str, seed: int, number: int) -> bytes:
    """The same content for the same numbers, on any machine."""
    rng = random.Random(f"{target} {seed} {number}")
    seeds = _whole_files(target)
    data = rng.choice(seeds)
    if zipfile.is_zipfile(io.BytesIO(data)) and rng.random() < 0.8:
        return _changed_archive(data, rng)
    if target == "onnx" and rng.random() < 0.7:
        return _changed_model(data, rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        data = _changed(data, rng, rng.choice(seeds))
    return data


@functools.cache
def _whole_files(target: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def _changed(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Bytes with one change."""
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice([1, 1, 2, 4, 16, 200]))
    match rng.randrange(9):
        case 0:
            flipped = bytes(byte ^ (1 << rng.randrange(8)) for byte in data[at:end])
            return data[:at] + flipped + data[end:]
        case 1:
            return data[:at] + data[end:]
        case 2:
            return data[:at] + data[at:end] * rng.choice([2, 3, 50]) + data[end:]
        case 3:
            return data[:at] + rng.choice(TOKENS) + data[at:]
        case 4:
            return data[:at] + rng.choice(TOKENS) + data[end:]
        case 5:
            return _with_another_word(data, rng)
        case 6:
            size = rng.choice([1, 2, 4, 8])
            number = (rng.choice(LENGTHS) + rng.choice([-1, 0, 1])) % 256**size
            return data[:at] + number.to_bytes(size, "little") + data[at + size :]
        case 7:
            start = rng.randrange(len(other) + 1)
            return data[:at] + other[start : start + rng.choice([8, 100, 2000])] + data[end:]
        case _:
            return data[:at] if rng.random() < 0.5 else data + data[at:]


def _with_another_word(data: bytes, rng: random.Random) -> bytes:
    """The value after a random colon, equals sign or comma replaced by a token."""
    marks = [n for n, byte in enumerate(data) if byte in b":=,"]
    if not marks:
        return data
    at = rng.choice(marks) + 1
    ends = [found for end in b",\n}]" if (found := data.find(bytes([end]), at)) >= 0]
    return data[:at] + b" " + rng.choice(TOKENS) + data[min(ends, default=len(data)) :]


def _changed_archive(data: bytes, rng: random.Random) -> bytes:
    """An archive with right checksums and one entry that is changed, missing or doubled."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    at = rng.randrange(len(entries))
    name, content = entries[at]
    match rng.randrange(6):
        case 0:
            del entries[at]
        case 1:
            entries.append((name, content))
        case 2:
            entries[at] = (rng.choice(["", "a\0b", "../x.npy", "x", name[:-4] + "é.npy"]), content)
        case 3:
            entries[at] = (name, _changed_array(rng))
        case _:
            head = content[:128]
            changed = _changed(head, rng, head)
            entries[at] = (name, changed + content[128:])
    made = io.BytesIO()
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with contextlib.suppress(ValueError), zipfile.ZipFile(made, "w", method) as archive:
        for key, value in entries:
            archive.writestr(key or "_", value)
    return made.getvalue()


def _changed_array(rng: random.Random) -> bytes:
    """A whole array of another dtype or shape than any that we write."""
    dtype = rng.choice(["f8", "i8", "u1", "u8", "?", "S3", "U5", "c16", "M8[s]", "V4", "f2", "m8"])
    shape = rng.choice([(), (0,), (1,), (3,), (2, 2), (1, 0, 3), (64,)])
    array = np.frombuffer(rng.randbytes(8000), np.uint8)[: 16 * 64]
    whole = np.resize(array.view(np.uint8), 16 * int(np.prod(shape)) or 16)
    made = io.BytesIO()
    try:
        values = whole.view(dtype)[: int(np.prod(shape))].reshape(shape)
    except (ValueError, TypeError):
        values = np.zeros(shape, dtype)
    np.lib.format.write_array(made, np.array(values), allow_pickle=False)
    return made.getvalue()


def _changed_model(data: bytes, rng: random.Random) -> bytes:
    """An ONNX file that can be parsed, with some fields of another value, missing or doubled."""
    model = onnx.ModelProto.FromString(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        message = rng.choice(list(_messages(model)))
        field = rng.choice(message.DESCRIPTOR.fields)
        value = getattr(message, field.name)
        if rng.random() < 0.2:
            message.ClearField(field.name)
        elif field.is_repeated and field.message_type:
            if value and rng.random() < 0.6:
                value.add().CopyFrom(rng.choice(list(value)))
            else:
                value.add()
        elif field.is_repeated:
            value.append(_another_value(field, rng))
            if rng.random() < 0.5:
                del value[rng.randrange(len(value))]
        elif field.message_type:
            value.SetInParent()
        else:
            setattr(message, field.name, _another_value(field, rng))
    return model.SerializeToString()


def _messages(message: Any) -> Iterator[Any]:
    """A message and all below it."""
    yield message
    for kind, value in message.ListFields():
        if kind.message_type:
            for one in value if kind.is_repeated else [value]:
                yield from _messages(one)


def _another_value(field: Any, rng: random.Random) -> Any:
    """A value that a field may have, whatever it means."""
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return rng.choice([0.0, -1.0, 1e30, float("nan"), float("inf")])
    if field.type == field.TYPE_BYTES:
        return rng.choice(TOKENS)
    if field.cpp_type == field.CPPTYPE_STRING:
        words = ["x", "y", "w", "Loop", "Scan", "If", "batch", "a\0b", "\x1b[31m", "9" * 500]
        return rng.choice([*words, "../weights.data", "/dev/zero", ""])
    if field.cpp_type == field.CPPTYPE_ENUM:
        return rng.choice([value.number for value in field.enum_type.values])
    most = 2**31 - 1 if field.cpp_type == field.CPPTYPE_INT32 else 2**63 - 1
    return rng.choice([0, 1, 2, 7, 16, 1000, most, *([-1, -most] if field.cpp_type < 3 else [])])


# What reads each kind.


def _build_around(path: Path) -> Path:
    """The cache in which a file of a build lies."""
    return path.parent.parent


def _read_stats(path: Path) -> None:
    from turnkeyml.cache import BuildFolder, damages, evaluations_in, read_stats, read_summary
    from turnkeyml.report import read_build

    folder = BuildFolder(path.parent.parent, path.parent.name)
    assert folder.is_build
    for sentence in damages(folder):
        _check_sentence(sentence)
    evaluations_in(read_stats(folder))
    read_summary(folder)
    read_build(folder, with_history=True)


def _read_state(path: Path) -> None:
    from turnkeyml.cache import BuildFolder, read_state, state_damage

    folder = BuildFolder(path.parent.parent, path.parent.name)
    state = read_state(folder)
    sentence = state_damage(folder)
    assert (state is None) == (sentence is not None)
    if sentence is not None:
        _check_sentence(sentence)
    if state is not None:
        assert isinstance(state.precisions, list)


def _read_history(path: Path) -> None:
    _read_stats(path)


def _read_events(path: Path) -> None:
    from turnkeyml.launch import Follower
    from turnkeyml.nouns import Input, Plan, Task

    follower = Follower(Task(Input("a.py"), Plan(cache_dir=str(path.parent))), path, Silent())
    follower.read()
    for remark in follower.result("killed").script.remarks:
        _check_sentence(remark)


class Silent:
    """A watcher that shows nothing."""

    def event(self, *_: object) -> None:
        return


def _read_journal(path: Path) -> None:
    from turnkeyml.cache import read_json
    from turnkeyml.nouns import DamagedRecord, InputResult, from_dict
    from turnkeyml.report import read_inputs

    with contextlib.suppress(DamagedRecord):
        from_dict(InputResult, read_json(path))
    read_inputs(path.parent.parent)


def _read_samples(path: Path) -> None:
    from turnkeyml.measure import load_distances, load_samples
    from turnkeyml.nouns import DamagedRecord

    with _sentence(DamagedRecord):
        load_samples(path)
        load_distances(path)


def _read_arrays(path: Path) -> None:
    from turnkeyml.cache import load_arrays
    from turnkeyml.errors import MeasureError

    with _sentence(MeasureError):
        load_arrays(path)


def _read_evaluation(path: Path) -> None:
    from turnkeyml.errors import TurnkeyError
    from turnkeyml.report import read_side

    with _sentence(TurnkeyError):
        read_side(str(path))


def _read_project(path: Path) -> None:
    from turnkeyml.cli import find_settings
    from turnkeyml.errors import UsageError

    for command in ("benchmark", "race", "cache report"):
        with _sentence(UsageError):
            find_settings(command, path.parent)


def _read_list(path: Path) -> None:
    from turnkeyml.discover import find_inputs
    from turnkeyml.errors import UsageError

    with _sentence(UsageError, lines=10):
        find_inputs([str(path)])


def _read_labels(path: Path) -> None:
    from turnkeyml.discover import read_labels

    read_labels(str(path))


def _read_given(path: Path) -> None:
    from turnkeyml.errors import TurnkeyError
    from turnkeyml.frameworks import InputType, read_inputs

    wanted = InputType("x", "tensor", onnx.TensorProto.FLOAT, (2, "n"))
    with _sentence(TurnkeyError):
        read_inputs(str(path), [wanted])


def _read_onnx(path: Path) -> None:
    from turnkeyml.discover import find_invocations
    from turnkeyml.nouns import Input

    found = find_invocations(Input(str(path)))
    assert found.subjects or found.outcome.error
    if found.outcome.error:
        _check_sentence(found.outcome.error)


def _read_summaries(path: Path) -> None:
    from turnkeyml.cache import BuildFolder
    from turnkeyml.cache.summary_index import _load

    assert isinstance(_load(path.parent), dict)
    assert not BuildFolder(path.parent, "none").is_build


def _read_explanation(path: Path) -> None:
    from turnkeyml.cache import BuildFolder
    from turnkeyml.report import explanations_of

    explanations_of(BuildFolder(path.parent.parent.parent, path.parent.parent.name))


def _read_tuning(path: Path) -> None:
    from turnkeyml.cache import BuildFolder
    from turnkeyml.tuning import Journal

    Journal(BuildFolder(path.parent.parent.parent, path.parent.parent.name), {}).read()


def _read_peaks(path: Path) -> None:
    from turnkeyml.explanation.peaks import _read

    _read(path)


def _read_slurm(path: Path) -> None:
    from turnkeyml.cache import SlurmRunFolder
    from turnkeyml.launch.slurm.run import _read

    _read(SlurmRunFolder(path.parent), lambda sentence: None)


def _check_sentence(text: str, lines: int = 1) -> None:
    """Raise unless a message is one that a terminal can show."""
    assert text.strip(), "an empty message"
    assert len(text.splitlines()) <= lines, f"a message of many lines: {text!r}"
    assert not set(text) & {"\x1b", "\0"}, f"control characters: {text!r}"


@contextlib.contextmanager
def _sentence(*errors: type[Exception], lines: int = 1) -> Iterator[None]:
    """Nothing else may be raised, and its message is a sentence."""
    try:
        yield
    except errors as error:
        _check_sentence(str(error), lines)


BUILD = "cache/net_24adc42f"
TARGETS = {
    target.name: target
    for target in (
        Target("stats", f"{BUILD}/turnkey_stats.yaml", _read_stats, 2),
        Target("state", f"{BUILD}/net_24adc42f_state.yaml", _read_state, 3),
        Target("history", f"{BUILD}/turnkey_history.jsonl", _read_history, 1),
        Target("events", "run/1.jsonl", _read_events, 8),
        Target("journal", "cache/.runs/net-0123456789abcdef.json", _read_journal, 8),
        Target("summaries", "cache/.summaries.json", _read_summaries, 8),
        Target("samples", f"{BUILD}/x86_benchmark/ort/samples.npz", _read_samples, 12),
        Target("arrays", f"{BUILD}/inputs_original.npz", _read_arrays, 12),
        Target("evaluation", "evaluation.json", _read_evaluation, 8),
        Target("report", "report.csv", _read_evaluation, 4),
        Target("json_report", "report.json", _read_evaluation, 4),
        Target("explanation", f"{BUILD}/explanations/x86-ort-fp32.json", _read_explanation, 2),
        Target("tuning", f"{BUILD}/tune/journal.json", _read_tuning, 4),
        Target("peaks", "cache/.peaks/cpu-2.json", _read_peaks, 12),
        Target("slurm", "cache/.slurm/run/run.json", _read_slurm, 12),
        Target("project", "project/turnkey.toml", _read_project, 12),
        Target("list", "lists/models.txt", _read_list, 1),
        Target("labels", "script.py", _read_labels, 16),
        Target("inputs", "given.npz", _read_given, 12),
        Target("onnx", "model.onnx", _read_onnx, 20),
    )
}


def read_once(name: str, content: bytes, folder: Path) -> None:
    """Write a file and read it; raises what a user would see as a traceback."""
    target = TARGETS[name]
    path = folder / name / target.file
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True)
        if name == "list":
            (path.parent / "a.py").write_text("")
        if name == "history":
            stats = next((CORPUS / "stats").iterdir())
            (path.parent / "turnkey_stats.yaml").write_bytes(stats.read_bytes())
        if name == "project":
            (path.parent / ".git").mkdir()
    path.write_bytes(content)
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        target.read(path)


@dataclass
class _Part:
    """A part of the numbers of a target, done in a process of its own."""

    target: str
    seed: int
    start: int
    end: int
    position: object = field(default_factory=lambda: multiprocessing.Value("q", -1))


def fuzz(name: str, seed: int, count: int, folder: Path) -> Iterator[Finding]:
    """Read so many mutations of a kind of file, in processes that may die or hang."""
    start = 0
    while start < count:
        part = _Part(name, seed, start, count)
        findings = multiprocessing.get_context("fork").SimpleQueue()
        process = multiprocessing.get_context("fork").Process(
            target=_read_part, args=(part, folder, findings)
        )
        process.start()
        told: list[Finding] = []
        ended = _watch(process, part, functools.partial(_take, findings, part, told))
        yield from told
        position = part.position.value  # type: ignore[attr-defined]
        if ended is not None:
            yield Finding(name, seed, position, ended)
        start = count if ended is None else position + 1


def _take(findings: Any, part: _Part, told: list[Finding]) -> None:
    """Take what a process has told by now, which must not fill the pipe."""
    while not findings.empty():
        told.append(Finding(part.target, part.seed, *findings.get()))


def _watch(
    process: multiprocessing.process.BaseProcess, part: _Part, take: Callable[[], None]
) -> str | None:
    """How a process ended that did not read all its files; None if it did."""
    seen, since = -2, time.monotonic()
    while process.is_alive():
        process.join(0.2)
        take()
        position = part.position.value  # type: ignore[attr-defined]
        if position != seen:
            seen, since = position, time.monotonic()
        elif time.monotonic() - since > SLOWEST:
            process.kill()
            process.join()
            return HANGS
    take()
    if process.exitcode:
        number = -process.exitcode
        return f"the process died of {signal.Signals(number).name if number > 0 else number}"
    return None


def _read_part(part: _Part, folder: Path, findings: object) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, used + MOST_MEMORY))
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    told: set[str] = set()
    for number in range(part.start, part.end):
        part.position.value = number  # type: ignore[attr-defined]
        try:
            read_once(part.target, mutation(part.target, part.seed, number), folder)
        except BaseException as error:  # noqa: BLE001 - each is a finding
            where = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} {where.filename}:{where.lineno}"
            text = "" if kind in told else "".join(traceback.format_exception(error))[-1500:]
            findings.put((number, text))  # type: ignore[attr-defined]
            told.add(kind)
    os._exit(0)


def warm_up() -> None:
    """Import what the targets need, once, before processes are forked for them."""
    import turnkeyml.cli.defaults
    import turnkeyml.explanation.peaks
    import turnkeyml.frameworks.onnx.file
    import turnkeyml.launch.slurm.run
    import turnkeyml.measure.record
    import turnkeyml.report.sides
    import turnkeyml.tuning.tuner  # noqa: F401
