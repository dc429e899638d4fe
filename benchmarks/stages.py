"""Show where the time of a turnkey command goes: when each stage begins, and how long it takes.

    python benchmarks/stages.py cache benchmark --all --device nvidia --runtime trt …

The parent and its workers write a line per call of the functions below, on one clock. Functions
that are called often are added up, and shown when their process ends. Here each process imports
these modules first of all, so that less of it overlaps than without this program.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEAST_SECONDS = 0.003
"""Shorter stages are not shown."""

PARENT = {
    "turnkeyml.cli.parser": ["parse", "run"],
    "turnkeyml.cli.cache_benchmark": ["tell_damages", "remeasure", "build_lines"],
    "turnkeyml.api.builds": ["plan_of", "select_builds"],
    "turnkeyml.system.interpreters": ["Standby.__init__", "Standby.answer", "Standby.close"],
    "turnkeyml.runtimes.elsewhere": ["require_elsewhere"],
    "turnkeyml.evaluate.remeasure": [
        "measure_again",
        "read_state",
        "read_stats",
        "evaluations_in",
        "add_evaluation",
    ],
    "turnkeyml.evaluate.contestants": ["checksum"],
    "turnkeyml.evaluate.measuring": ["measure", "save_evaluation"],
    "turnkeyml.evaluate.race": ["memory_speed", "Runner.outcome"],
    "turnkeyml.measure.spawn": [
        "Worker.__init__",
        "Worker.sample",
        "Worker.observe",
        "Worker.costs",
        "Worker.close",
    ],
}
WORKER = {
    "turnkeyml.runtimes.ready": ["find_runtime", "main"],
    "turnkeyml.measure.worker": [
        "main",
        "open_session",
        "load_arrays",
        "_verify",
        "load_reference",
        "judge",
        "sample",
        "to_dict",
        "_reply",
    ],
    "turnkeyml.measure.session": [
        "MachineFacts",
        "find_device",
        "_run_once",
        "observe",
        "OpenSession.costs",
        "OpenSession.forget_outputs",
    ],
    "turnkeyml.measure.accelerator": ["_device_times", "_steady_loop"],
    "turnkeyml.measure.meter": ["SessionMeter.warm_up"],
    "turnkeyml.runtimes.nvidia.nvml": ["_load", "require_gpu"],
    "turnkeyml.runtimes.nvidia.cuda": ["library_path", "library", "set_device"],
}
TRT = {
    "turnkeyml.runtimes.tensorrt.session": [
        "load_tensorrt",
        "logger",
        "TrtSession.__init__",
        "TrtSession.feed",
        "TrtSession._load",
        "BoundContext",
    ],
}
OFTEN = {
    "turnkeyml.system.activity": ["read_activity"],
    "turnkeyml.measure.stopping": ["Stopping.reason"],
    "turnkeyml.measure.meter": ["SessionMeter.take", "SessionMeter._look_around", "_time"],
    "turnkeyml.measure.sampler": ["Series.count"],
    "turnkeyml.measure.interference": ["Interference.wait_until_quiet"],
    "turnkeyml.runtimes.nvidia.nvml": [
        "NvmlMonitor.look",
        "NvmlMonitor.energy",
        "NvmlGpu.processes",
    ],
}

HEAD = """
import atexit, functools, importlib, json, os, sys, time
TURNKEY_DEPTH, TURNKEY_SUMS = [0], {}

def turnkey_note(text, begin, seconds):
    row = [begin - START, seconds, TURNKEY_DEPTH[0], f"{WHO} {os.getpid()}", text]
    with open(LOG, "a") as file:
        file.write(json.dumps(row) + "\\n")

def turnkey_wrapped(real, name, often):
    @functools.wraps(real)
    def call(*arguments, **settings):
        begin = time.time()
        TURNKEY_DEPTH[0] += 1
        try:
            return real(*arguments, **settings)
        finally:
            TURNKEY_DEPTH[0] -= 1
            seconds = time.time() - begin
            if often:
                times, total, most = TURNKEY_SUMS.get(name, (0, 0.0, 0.0))
                TURNKEY_SUMS[name] = times + 1, total + seconds, max(most, seconds)
            else:
                turnkey_note(name, begin, seconds)
    return call

def turnkey_watch(functions, often=False):
    for module, names in functions.items():
        begin = time.time()
        owner = importlib.import_module(module)
        turnkey_note("import " + module, begin, time.time() - begin)
        for name in names:
            *outer, last = name.split(".")
            holder = functools.reduce(getattr, outer, owner)
            setattr(holder, last, turnkey_wrapped(getattr(holder, last), name, often))

def turnkey_end():
    now = time.time()
    turnkey_note("(ends)", now, 1.0)
    for name, (times, total, most) in TURNKEY_SUMS.items():
        text = f"(all {times} calls of {name} took {total:.3f} s, the longest {most * 1e3:.1f} ms)"
        turnkey_note(text, now, total)

atexit.register(turnkey_end)
turnkey_note("(begins)", time.time(), 1.0)
"""

AROUND = """
import turnkeyml.interpreter
turnkey_command = turnkey_watched = turnkeyml.interpreter.command

def turnkey_watched(module, *arguments, python=""):
    words = turnkey_command(module, *arguments, python=python)
    if module in ("turnkeyml.system.on_call", "turnkeyml.measure.worker"):
        begin = f"from {module} import"
        words[2] = words[2].replace(begin, f"exec(open({INNER!r}).read()); {begin}", 1)
    return words

turnkeyml.interpreter.command = turnkey_watched
"""


def main() -> None:
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        log, inner, outer = (Path(name, file) for file in ("log", "inner.py", "outer.py"))
        start = time.time()
        known = f"LOG, INNER, START = {str(log)!r}, {str(inner)!r}, {start!r}\n"
        watched = {**WORKER, **TRT} if "trt" in words else WORKER
        inner.write_text(
            f"WHO = 'worker'\n{known}{HEAD}\nturnkey_watch({watched})\nturnkey_watch({OFTEN}, True)"
        )
        outer.write_text(f"WHO = 'parent'\n{known}{HEAD}{AROUND}\nturnkey_watch({PARENT})")
        program = f"exec(open({str(outer)!r}).read()); from turnkeyml.cli.entry import main; main()"
        subprocess.run([sys.executable, "-c", program, *words], check=True)
        taken = time.time() - start
        rows = sorted(map(json.loads, log.read_text().splitlines()))
    for begin, seconds, depth, who, text in rows:
        if seconds >= LEAST_SECONDS:
            shown = "" if text.startswith("(") else f"{seconds:.3f}"
            print(f"{begin:8.3f} {shown:>8}  {who:<14} {'  ' * depth}{text}")
    print(f"{taken:8.3f} in all")


if __name__ == "__main__":
    main()
