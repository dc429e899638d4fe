"""The paths by which runs and the processes of their tasks meet, and what they leave in a cache."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.cache.layout import LOCKS, safe_name

RUNS = ".runs"
SLURM = ".slurm"


def journal_folder(cache_dir: Path) -> Path:
    """What became of the tasks of all runs, one file per task."""
    return cache_dir / RUNS


def journal_file(cache_dir: Path, stem: str, identity: str) -> Path:
    """What became of the task with this identity, whose input has this stem."""
    return journal_folder(cache_dir) / f"{safe_name(stem)[:60]}-{identity}.json"


def input_log(cache_dir: Path, stem: str, position: int) -> Path:
    """What an input of this process's run printed, where that is not shown."""
    return cache_dir / RUNS / "logs" / f"{safe_name(stem)}-{os.getpid()}-{position}.log"


@dataclass(frozen=True)
class RunFolder:
    """The folder by which a run and the processes of its tasks meet; positions count from 1."""

    path: Path

    @classmethod
    def make_temporary(cls) -> RunFolder:
        """A new one outside of any cache."""
        return cls(Path(tempfile.mkdtemp(prefix="turnkey-")))

    @property
    def turns(self) -> Path:
        """The file by which tasks on one machine agree on who measures."""
        return self.path / "turns"

    def assignment(self, position: int) -> Path:
        """What the process of one task is to do."""
        return self.path / f"{position}.json"

    def events(self, position: int) -> Path:
        """What it tells."""
        return self.path / f"{position}.jsonl"


@dataclass(frozen=True)
class SlurmRunFolder(RunFolder):
    """The folder of a run on Slurm, by which a lost submitter is replaced.

    CACHE/.slurm/RUN/
      run.json           whose tasks these are and which jobs were submitted; gone when all is done
      POSITION.json      the assignment of one task
      POSITION.jsonl     what it tells
      from-OFFSET.sh     what an array runs; its index counts from the offset
      slurm-JOB.out      what a job printed; kept if its input failed
    """

    @classmethod
    def make(cls, cache_dir: Path, name: str) -> SlurmRunFolder:
        """A new one whose name begins with this one, and which only its owner can enter."""
        parent = cache_dir / SLURM
        parent.mkdir(parents=True, exist_ok=True)
        return cls(parent / Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent)).name)

    @property
    def record(self) -> Path:
        return self.path / "run.json"

    @property
    def lock_path(self) -> Path:
        """Held by the submitter that follows the run."""
        return self.path.parent.parent / LOCKS / f"slurm-{self.path.name}.lock"

    def script(self, offset: int) -> Path:
        """What an array runs whose index counts from the offset."""
        return self.path / f"from-{offset}.sh"

    def offset(self, script: Path) -> int | None:
        """That of a script of this run; None for any other file."""
        found = re.fullmatch(r"from-(\d+)\.sh", script.name, re.ASCII)
        return int(found[1]) if found and script.parent == self.path else None

    def log(self, job: str) -> Path:
        """What a job printed."""
        return self.path / f"slurm-{job}.out"

    def log_pattern(self, job: str) -> str:
        """The same for sbatch, which fills in the job for a pattern such as %j."""
        return str(SlurmRunFolder(Path(str(self.path).replace("%", "%%"))).log(job))

    def entries(self) -> list[Path]:
        """Every file but the logs; the record is the last."""
        found = [entry for entry in self.path.iterdir() if entry.suffix != ".out"]
        return sorted(found, key=lambda entry: entry == self.record)


def slurm_run_folders(cache_dir: Path) -> list[SlurmRunFolder]:
    """Those of runs that are unfinished or left logs, the newest first."""
    try:
        names = sorted(os.listdir(cache_dir / SLURM), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [SlurmRunFolder(cache_dir / SLURM / name) for name in names]


def slurm_lock(cache_dir: Path) -> Path:
    """Held by whoever looks for a run on Slurm to follow, or begins one."""
    return cache_dir / LOCKS / "slurm.lock"
