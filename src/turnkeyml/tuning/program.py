"""A program that runs a model in one configuration, without turnkey."""

from __future__ import annotations

import json
import os
from pathlib import Path

import turnkeyml
from turnkeyml.build import copy_model, input_dtypes
from turnkeyml.errors import BuildError, UsageError
from turnkeyml.nouns import Configuration
from turnkeyml.tuning.variants import Rig

PROGRAM = "program.py"
"""The name of the program in the folder ``tune`` of the build."""
_SIGNATURE = "Written by 'turnkey tune'"

_TEXT = '''"""{name} with {runtime}: {details}.

    python {program} INPUTS.npz [OUTPUTS.npz]

runs the model on the arrays in a file, and says how long a run takes. Or import it:

    run = load(MODEL)
    outputs = run(inputs)  # arrays by name

{signature} {version}. It needs numpy and {library}.
"""

import sys
import time
from pathlib import Path

import numpy as np
{load}


MODEL = str(Path(__file__).resolve().parent / {model!r})
DTYPES = {dtypes}
RUNS = 100


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    arrays = dict(np.load(sys.argv[1]))
    for name in DTYPES:
        if name not in arrays:
            names = ", ".join(DTYPES)
            sys.exit(f"{{sys.argv[1]}} has no array {{name}}; the model takes {{names}}.")
    inputs = {{name: np.require(arrays[name], dtype, ["C"]) for name, dtype in DTYPES.items()}}
    run = load(MODEL)
    outputs = run(inputs)
    if len(sys.argv) > 2:
        np.savez(sys.argv[2], **outputs)
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run(inputs)
        times.append(time.perf_counter() - start)
    for name, array in outputs.items():
        print(name, array.dtype, array.shape)
    print(f"median of {{RUNS}} runs: {{1000 * np.median(times):.4g}} ms")


if __name__ == "__main__":
    main()
'''


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise a usage error if a program at a path, with its model, would overwrite other files."""
    target = Path(path)
    if target.suffix != ".py":
        raise UsageError(f"The program {str(path)!r} must have a name that ends in .py.")
    if target.is_file() and _SIGNATURE in target.read_text("utf-8", errors="replace"):
        return
    for file in (target, target.with_suffix(".onnx")):
        if file.exists():
            raise UsageError(
                f"The program {str(path)!r} would overwrite {file}, which 'turnkey tune' has not "
                "written; choose another name."
            )


def write_program(
    rig: Rig, configuration: Configuration, path: str | os.PathLike[str] | None
) -> str | None:
    """The path of the program, with its model beside it; None if the runtime has no program, or the
    model takes something else than arrays of numbers.

    Without a path it goes to the build, and uses the file that lies there.
    """
    file, request = rig.request(configuration)
    runtime = rig.runtime(configuration)
    load = runtime.program(request)
    if load is None:
        return None
    model = rig.folder.path / file.artifact
    dtypes = _dtypes(model)
    if dtypes is None:
        return None
    target = Path(path) if path else rig.folder.tuning / PROGRAM
    text = _TEXT.format(
        name=rig.folder.name,
        runtime=f"{runtime.title} {runtime.version()}",
        details=configuration.details,
        program=target.name,
        signature=_SIGNATURE,
        version=turnkeyml.__version__,
        library=runtime.library,
        load=load,
        model=_beside(model, target, is_own=path is None),
        dtypes="{"
        + ", ".join(f'{json.dumps(name)}: "{dtype}"' for name, dtype in dtypes.items())
        + "}",
    )
    target.write_text(text, encoding="utf-8")
    return str(target)


def _beside(model: Path, program: Path, *, is_own: bool) -> str:
    """The path of the model relative to the program, which gets a copy unless it is our own."""
    program.parent.mkdir(parents=True, exist_ok=True)
    if is_own:
        return Path(os.path.relpath(model, program.parent)).as_posix()
    copy = program.with_suffix(".onnx")
    copy_model(model, copy)
    return copy.name


def _dtypes(model: Path) -> dict[str, str] | None:
    """The dtypes of the inputs by name; None if numpy has no arrays of them."""
    try:
        found = input_dtypes(model)
    except BuildError:
        return None
    return None if {"bfloat16", "string"} & {*found.values()} else found
