"""What waits uses no processor: contestants between their turns, and whoever compiled for them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
import pytest

from turnkeyml.cache import BuildFolder
from turnkeyml.errors import MeasureError
from turnkeyml.measure import Rule, SessionMeter, Worker, WorkerRequest, spawn
from turnkeyml.runtimes import LiveModel, Request

from .conftest import EXAMPLES

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are stopped on Linux only")


def worker_in(folder: object) -> Worker:
    build = BuildFolder(folder, "build")
    build.path.mkdir()
    np.savez(build.inputs, x=np.ones((1, 10), np.float32))
    wanted = Request(threads=2, model=str(EXAMPLES / "onnx" / "sample.onnx"), precision="fp32")
    request = WorkerRequest("x86", "ort", wanted, str(folder), "build")
    return Worker("turnkeyml.measure.worker", request, folder / "log", "ort")


@pytest.fixture
def worker(tmp_path):
    found = worker_in(tmp_path)
    yield found
    found.close()


def process_of(worker: Worker) -> psutil.Process:
    return psutil.Process(worker._process.pid)


@linux
def test_a_worker_at_rest_uses_no_processor(worker):
    worker.take(1000, 1)
    worker.rest()
    process = process_of(worker)
    before = process.cpu_times()
    time.sleep(0.3)
    after = process.cpu_times()
    assert process.status() == psutil.STATUS_STOPPED
    assert (after.user, after.system) == (before.user, before.system)


@linux
def test_a_worker_wakes_when_it_is_asked(worker):
    worker.rest()
    worker.rest()
    assert len(worker.take(3, 1).times) == 3
    assert process_of(worker).status() != psutil.STATUS_STOPPED


@linux
def test_a_worker_at_rest_can_be_closed(tmp_path):
    worker = worker_in(tmp_path)
    worker.rest()
    worker.close()
    assert worker._process.returncode == 0


@linux
def test_a_worker_that_another_program_stops_is_given_up_and_told_as_that(tmp_path, monkeypatch):
    monkeypatch.setattr(spawn, "LOOK_SECONDS", 0.05)
    worker = worker_in(tmp_path)
    process_of(worker).suspend()
    with pytest.raises(MeasureError, match=r"was stopped by a signal, .* nothing continued it"):
        worker.take(3, 1)
    worker.close()


@linux
def test_a_worker_that_rests_is_not_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(spawn, "LOOK_SECONDS", 0.02)
    worker = worker_in(tmp_path)
    worker.rest()
    time.sleep(0.02 * (spawn.STOPPED_LOOKS + 5))
    assert len(worker.take(3, 1).times) == 3
    worker.close()


@linux
def test_a_worker_that_is_killed_is_not_said_to_have_used_too_much_memory(worker, monkeypatch):
    monkeypatch.setattr("turnkeyml.system.process_tree.out_of_memory_kills", lambda: 0)
    worker._memory_kills = 0
    process_of(worker).kill()
    with pytest.raises(MeasureError, match=r"signal 9 \(SIGKILL\), by itself or by"):
        worker.take(3, 1)


ORPHAN = """
import os, pathlib, signal, sys
from tests.test_rest import worker_in

worker = worker_in(pathlib.Path(sys.argv[1]))
worker.rest()
print(worker._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@linux
def test_a_worker_at_rest_goes_with_whoever_started_it(tmp_path):
    command = [sys.executable, "-c", ORPHAN, str(tmp_path)]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60)
    number = int(found.stdout)
    deadline = time.monotonic() + 10
    while psutil.pid_exists(number) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(number) or psutil.Process(number).status() == "zombie"


class Spinning:
    """A session that leaves a thread behind which spins for a moment."""

    changes_inputs = False
    asynchronous = False
    thread: threading.Thread | None = None

    def prepare(self) -> None: ...

    def run(self) -> None:
        self.thread = threading.Thread(target=self._spin)
        self.thread.start()

    def _spin(self) -> None:
        hashlib.sha256(bytes(100_000_000))  # without Python's lock, as the threads of a runtime


@linux
def test_a_session_of_this_process_rests_when_its_threads_do():
    session = Spinning()
    meter = SessionMeter(session)
    meter.take(1, 1)
    meter.rest()
    assert session.thread is not None
    assert not session.thread.is_alive()


def test_the_processes_that_compiled_a_model_end_before_it_is_timed():
    import torch
    from torch._inductor import async_compile

    from turnkeyml.runtimes import CompiledSession

    class Pool:
        """Starting a real one takes longer than all the tests beside this."""

        ended = False

        def shutdown(self) -> None:
            self.ended = True

    pool = Pool()
    async_compile._pool_set.add(pool)
    live = LiveModel(torch.neg, (torch.ones(2),), {})
    session = CompiledSession(live.function, Request(threads=1, live=live))
    session.run()
    assert not pool.ended
    session.outputs()
    assert pool.ended


def test_a_worker_tells_how_it_goes_while_it_measures(worker):
    heard = []
    rule = Rule(least_seconds=2.5, cap_seconds=2.5, warmup_seconds=0.05, warmup_cap_seconds=0.1)
    samples = worker.sample(rule, on_progress=heard.append)
    assert 1 <= len(heard) <= 3
    assert {p.doing for p in heard} == {"timing"}
    assert heard[-1].seconds > 0
    assert samples.runs > 100
