"""Turn settled options into a ``Launch``: where tasks run, with which limits and sequence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from turnkeyml.build import check_file, pickle_sequence
from turnkeyml.errors import UsageError
from turnkeyml.launch import Launch, Limits, default_seconds
from turnkeyml.nouns import InputResult, SequenceSource

if TYPE_CHECKING:
    from turnkeyml.launch import SlurmOptions


def launch_of(
    options: Mapping[str, Any],
    on_result: Callable[[InputResult], None] | None,
    as_race: bool = False,
) -> Launch:
    """The ``Launch`` that settled options describe."""
    return Launch(
        labels=options["labels"],
        sweep=options["sweep"],
        source=_sequence_source(options),
        limits=_limits(options),
        resume=options["resume"] or options["retry"] is not None,
        retry=options["retry"] is not None,
        slurm=_slurm_options(options),
        on_result=on_result,
        as_race=as_race,
    )


def _limits(options: Mapping[str, Any]) -> Limits:
    isolated = options["process_isolation"]
    return Limits(
        jobs=options.get("jobs", 1),
        seconds=options["timeout"] or (default_seconds() if isolated else None),
        memory_bytes=options["memory_limit"],
    )


def _slurm_options(options: Mapping[str, Any]) -> SlurmOptions | None:
    if not options.get("use_slurm"):
        if options.get("slurm_args") or options.get("slurm_python"):
            raise UsageError("--slurm-args and --slurm-python have no effect without --use-slurm.")
        return None
    if options["memory_limit"] is not None:
        raise UsageError(
            '--memory-limit does not apply to Slurm jobs; use --slurm-args "mem=8G" instead.'
        )
    if options["jobs"] != 1:
        raise UsageError("--jobs does not apply to Slurm; use --slurm-max-jobs instead.")
    from turnkeyml.launch import SlurmOptions, parse_arguments

    return SlurmOptions(
        arguments=parse_arguments(options["slurm_args"] or ""),
        max_jobs=options["slurm_max_jobs"],
        python=options["slurm_python"],
    )


def _sequence_source(options: Mapping[str, Any]) -> SequenceSource | None:
    """A custom sequence, in a form that can be passed to other processes; None for a named one."""
    file, sequence = options.get("sequence_file"), options.get("sequence")
    if file is not None:
        check_file(file)
        return SequenceSource(file=os.path.abspath(file))
    if sequence is None or isinstance(sequence, str):
        return None
    ours = any(type(stage).__module__ == "__main__" for stage in sequence)
    main = getattr(sys.modules["__main__"], "__file__", None) if ours else None
    return SequenceSource(pickled=pickle_sequence(sequence), main=main)
