"""What lies where in a cache, and the paths of its builds; ``runs`` has those of runs.

CACHE/
  .locks/BUILD.lock, slurm.lock, slurm-RUN.lock
  .locks/NAME.holder        which process holds a lock
  .runs/INPUT-IDENTITY.json what became of a task
  .runs/logs/               what failed inputs printed, where that is not shown
  .slurm/RUN/               how a run on Slurm and its jobs meet, see runs.SlurmRunFolder
  .tensorrt/KEY.timing      what TensorRT has timed on a GPU, for all builds
  .summaries.json           what ``cache list`` shows of each build, see summaries
  .peaks/MACHINE-N.json     what a machine can do with N threads, as `explain` has measured it
  BUILD/
    BUILD_state.yaml        what the build is and how far it came
    turnkey_stats.yaml      what was learned and measured
    turnkey_history.jsonl   earlier evaluations, one per line, the oldest first
    log_STAGE.txt           what a stage printed
    inputs_original.npz     the recorded inputs
    outputs_original.npz    what the original model returned for them
    outputs_original_P.npz  the same in another precision, if the verdict depended on it
    outputs_again_N.npz     what it returned in more runs, if it does not repeat its results
    inputs_held_out_N.npz   inputs that no exporter has seen
    outputs_held_out_N.npz  what the original model returned for them; _P as above
    outputs_verified.npz    what a build returned that was verified subgraph by subgraph
    outputs_held_out_N_verified.npz  the same for held-out inputs
    onnx/                   the models that the stages made
    engines/KEY.engine      what a runtime compiled from them; KEY.json says for what
    tune/                   what tuning made of them: other precisions, its journal, a program
    explanations/NAME.json  what `explain` found; NAME is DEVICE-RUNTIME-PRECISION
    explanations/NAME.trace.json  one profiled run, for Perfetto
    DEVICE_benchmark/RUNTIME/
      evaluation.json, samples.npz, log.txt
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.cache.files import TEMPORARY_PREFIX, is_regular, read_yaml
from turnkeyml.cache.locks import FileLock, Rank
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.system import start_time

LOCKS = ".locks"
TENSORRT = ".tensorrt"
PEAKS = ".peaks"
EXPLANATIONS = "explanations"
TRACE = ".trace.json"
ENGINES = "engines"
TUNING = "tune"
WORK_PREFIX = ".work-"
DELETED_PREFIX = ".deleted-"
STATS = "turnkey_stats.yaml"
HISTORY = "turnkey_history.jsonl"
INPUTS = "inputs_original.npz"
OUTPUTS = "outputs_original.npz"


@dataclass(frozen=True)
class BuildFolder:
    """The paths of one build."""

    cache_dir: Path
    name: str

    @property
    def path(self) -> Path:
        return self.cache_dir / self.name

    @property
    def state(self) -> Path:
        """The state file; a folder that was renamed still has the one of its old name."""
        usual = self.path / f"{self.name}_state.yaml"
        if not usual.exists():
            return next(iter(sorted(self.path.glob("*_state.yaml"))), usual)
        return usual

    @property
    def stats(self) -> Path:
        return self.path / STATS

    @property
    def history(self) -> Path:
        """The evaluations that later ones replaced, one JSON object per line."""
        return self.path / HISTORY

    @property
    def is_build(self) -> bool:
        """Whether the folder is one of ours, damaged or not, and so may be listed and deleted.

        A name that happens to end like one of ours is not enough. The names of two of our files
        are, and so is one file beside a folder that is named as we name them, or one that says
        which build it belongs to. None of this follows a link.
        """
        if self.path.is_symlink() or not self.name.isprintable():
            return False
        states = [p for p in self.path.glob("*_state.yaml") if is_regular(p)]
        if is_regular(self.stats):
            named = re.search(r"_[0-9a-f]{8}$", self.name)
            return bool(states or named or self._measured()) or self._claims(self.stats)
        return any(p.name == f"{self.name}_state.yaml" and self._claims(p) for p in states)

    def _measured(self) -> bool:
        return any(p.is_dir() and not p.is_symlink() for p in self.path.glob("*_benchmark"))

    def _claims(self, file: Path) -> bool:
        """Whether a file says that it was written for a build of this name."""
        data = read_yaml(file)
        return (
            isinstance(data, dict)
            and data.get("build_name") == self.name
            and {"turnkey_version", "hash", "model_hash"} <= set(data)
        )

    @property
    def inputs(self) -> Path:
        return self.path / INPUTS

    @property
    def outputs(self) -> Path:
        return self.path / OUTPUTS

    def outputs_in(self, precision: str) -> Path:
        """What the original returned in another precision."""
        return self.path / f"{Path(OUTPUTS).stem}_{precision}.npz"

    def outputs_again(self, number: int) -> Path:
        """What one more run of an original returned that is not deterministic; from 1 on."""
        return self.path / f"outputs_again_{number}.npz"

    def held_out_inputs(self, number: int) -> Path:
        """Inputs that no exporter has seen; the first set has the number 1."""
        return self.path / f"inputs_held_out_{number}.npz"

    def held_out_outputs(self, number: int, precision: str = "") -> Path:
        """What the original returned for them, in another precision if one is given."""
        suffix = f"_{precision}" if precision else ""
        return self.path / f"outputs_held_out_{number}{suffix}.npz"

    def held_out_verified(self, number: int) -> Path:
        """What a build returned for them that was verified in parts."""
        return self.held_out_outputs(number, "verified")

    @property
    def outputs_verified(self) -> Path:
        """What a build returned that was verified subgraph by subgraph."""
        return self.path / "outputs_verified.npz"

    def recorded(self) -> list[Path]:
        """The recorded inputs and all that the original returned: what a runtime is verified by."""
        return sorted([*self.path.glob("inputs_*.npz"), *self.path.glob("outputs_*.npz")])

    @property
    def onnx(self) -> Path:
        return self.path / "onnx"

    @property
    def tuning(self) -> Path:
        """The files in other precisions, the journal and the program of tuning."""
        return self.path / TUNING

    def log(self, stage: str) -> Path:
        return self.path / f"log_{safe_name(stage)}.txt"

    def benchmark(self, device: str, runtime: str) -> Path:
        return self.path / f"{device.replace('::', '_')}_benchmark" / runtime

    def explanation(self, device: str, runtime: str, precision: str) -> Path:
        """Why a runtime takes as long as it does; ``trace_file`` has the path of its trace."""
        name = safe_name("-".join(filter(None, (device, runtime, precision))).replace("::", "_"))
        return self.path / EXPLANATIONS / f"{name}.json"

    def explanations(self) -> list[Path]:
        """Those that the build has."""
        found = (self.path / EXPLANATIONS).glob("*.json")
        return sorted(path for path in found if not path.name.endswith(TRACE))

    @property
    def lock_path(self) -> Path:
        return self.cache_dir / LOCKS / f"{self.name}.lock"

    def lock(
        self,
        on_wait: Callable[[str], None] | None = None,
        on_taken: Callable[[], None] | None = None,
    ) -> FileLock:
        """The lock of what writes to this build; see ``FileLock`` for the functions."""
        return FileLock(self.lock_path, Rank.BUILD, f"the build {self.name}", on_wait, on_taken)

    @property
    def is_held(self) -> bool:
        """Whether a living process builds or measures this build: its lock is held.

        It can be asked of a cache that cannot be written to.
        """
        return self.lock().is_held

    def try_locked(self, action: Callable[[], None]) -> bool:
        """Do something under the lock, unless another process holds it."""
        lock = self.lock()
        if not lock.try_acquire():
            return False
        try:
            action()
        finally:
            lock.release()
        return True

    def delete(self) -> None:
        """Remove the whole build, in one step as others see it. Needs the lock."""
        own = f"{os.getpid()}-{start_time(os.getpid())}"
        gone = self.cache_dir / f"{DELETED_PREFIX}{own}-{self.name}"
        try:
            self.path.rename(gone)
        except FileNotFoundError:  # another process has deleted it before we had the lock
            return
        while gone.exists():  # another process may sweep it too, from another machine
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(gone)

    @contextlib.contextmanager
    def work(self) -> Iterator[Path]:
        """A folder for files in the making; gone when the block ends. Needs the lock."""
        self.remove_leftovers()
        folder = self.path / f"{WORK_PREFIX}{os.getpid()}"
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def remove_leftovers(self) -> None:
        """Remove what a killed process left half made. Needs the lock."""
        for leftover in self.path.glob(f"{WORK_PREFIX}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        for leftover in self.path.rglob(f"{TEMPORARY_PREFIX}*"):
            if not leftover.is_dir() or leftover.is_symlink():
                leftover.unlink(missing_ok=True)

    def remove_artifacts(self) -> None:
        """Remove everything but logs, state and stats. Needs the lock."""
        for folder, _, names in os.walk(self.path, topdown=False):
            for path in (Path(folder, name) for name in names):
                if not self._is_kept(path):
                    path.unlink()
            if not os.listdir(folder):
                os.rmdir(folder)

    def _is_kept(self, path: Path) -> bool:
        if path.name.startswith("log") and path.suffix == ".txt":
            return path.parent == self.path or path.lstat().st_size > 0
        return path.parent == self.path and (path.suffix == ".yaml" or path.name == HISTORY)

    def file_sizes(self) -> dict[str, int]:
        """The files that a build consists of, by their paths in its folder."""
        files = [*self.onnx.rglob("*"), *self.path.glob("inputs_*.npz")]
        files += self.path.glob("outputs_*.npz")
        return {
            file.relative_to(self.path).as_posix(): file.stat().st_size
            for file in sorted(files)
            if file.is_file()
        }

    def remove_build(self) -> None:
        """Remove what an earlier build left, but not what was measured. Needs the lock."""
        if self.onnx.is_symlink():  # what we write there would land where it leads
            self.onnx.unlink()
        shutil.rmtree(self.onnx, ignore_errors=True)
        for made in (self.path / ENGINES, self.path / EXPLANATIONS, self.tuning):
            shutil.rmtree(made, ignore_errors=True)
        kept = [*self.path.glob("inputs_*.npz"), *self.path.glob("outputs_*.npz")]
        for entry in [*self.path.glob("log_*.txt"), *kept]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            entry.unlink(missing_ok=True)


def measurement_log(folder: Path) -> Path:
    """What a measurement printed, in the folder of its runtime."""
    return folder / "log.txt"


def evaluation_file(folder: Path) -> Path:
    """The record of the last measurement with a runtime, in the folder of the runtime."""
    return folder / "evaluation.json"


def samples_file(folder: Path) -> Path:
    """The raw samples that it was made from."""
    return folder / "samples.npz"


def trace_file(explanation: Path) -> Path:
    """The trace that belongs to an explanation."""
    return explanation.with_suffix(TRACE)


def worker_request(folder: Path) -> Path:
    """What a worker is asked to measure; it removes the file when it has read it."""
    return folder / "request.json"


def engine_file(build_folder: Path, key: str) -> Path:
    """What a runtime compiled from a build; its description lies beside it, as JSON."""
    return build_folder / ENGINES / f"{key}.engine"


def timing_file(cache_dir: Path, key: str) -> Path:
    """How long the kernels of TensorRT take on one GPU, for all builds of a cache."""
    return cache_dir / TENSORRT / f"{key}.timing"


def summaries_file(cache_dir: Path) -> Path:
    """What a list shows of each build, so that only changed ones are read again."""
    return cache_dir / ".summaries.json"


def peaks_file(cache_dir: Path, key: str) -> Path:
    """What a machine can do, for all builds of a cache."""
    return cache_dir / PEAKS / f"{safe_name(key)}.json"


def safe_name(name: str) -> str:
    """A printable name that is one folder on any file system."""
    printable = "".join(c if c.isprintable() else "_" for c in name)
    cleaned = re.sub(r'[/\\:*?"<>|]', "_", printable).strip(" .")
    while len(cleaned.encode()) > 120:
        cleaned = cleaned[:-1]
    return cleaned or "_"


def build_name(stem: str, digest: str) -> str:
    """The name of the build of an invocation in a file; the hash is always whole."""
    return f"{safe_name(stem)}_{digest}"


def build_folders(cache_dir: Path) -> list[BuildFolder]:
    """Every build in a cache, damaged ones as well, sorted by name."""
    if not cache_dir.is_dir():
        return []
    names = sorted(
        entry.name
        for entry in os.scandir(cache_dir)
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
    )
    folders = [BuildFolder(cache_dir, name) for name in names]
    return [f for f in folders if f.is_build]


def sweep_deleted(cache_dir: Path) -> None:
    """Remove the rest of builds whose deletion was killed: their process is gone."""
    for rest in cache_dir.glob(f"{DELETED_PREFIX}*"):
        found = re.match(rf"{re.escape(DELETED_PREFIX)}(\d+)-(?:(\d+)-)?", rest.name)
        if found is None or rest.is_symlink():
            continue
        began = start_time(int(found[1]))
        if began is None or str(began) != found[2]:
            shutil.rmtree(rest, ignore_errors=True)


def check_writable(cache_dir: Path) -> None:
    """Raise, before anything runs, where a cache cannot be written to."""
    try:
        (cache_dir / LOCKS).mkdir(parents=True, exist_ok=True)
        probe = cache_dir / LOCKS / f".probe-{os.getpid()}"
        probe.write_bytes(b"x")
        probe.unlink()
    except (NotADirectoryError, FileExistsError):
        raise UsageError(f"The cache directory {cache_dir} is not a directory.") from None
    except OSError as error:
        raise TurnkeyError(
            f"The cache directory {cache_dir} cannot be written to ({error.strerror}); "
            "choose another with --cache-dir or TURNKEY_CACHE_DIR."
        ) from None
