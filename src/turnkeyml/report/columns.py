"""The columns of a report: their order, their meaning and their units.

``python -m turnkeyml.report.columns`` prints the reference; ``docs/columns.md`` is a copy.
"""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of a report; a family of columns if its name has a placeholder in capitals."""

    name: str
    about: str
    unit: str = ""
    group: str = ""

    @functools.cached_property
    def pattern(self) -> str:
        """A wildcard for the names of a family."""
        words = self.name.split("_")
        return "_".join("*" if word.isupper() else word for word in words)


def _columns(group: str, text: str) -> tuple[Column, ...]:
    """The columns in a table with the cells name, meaning and unit."""
    lines = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return tuple(Column(name, about, unit, group) for name, about, unit in lines)


COLUMNS = (
    *_columns(
        "What people read",
        """
        build_name | The name of the build, which is that of its folder in the cache. |
        model_name | The name of the variable that holds the model in the script. |
        model_class | The class of the model. |
        parameters | The number of parameters of the model. |
        device | The name of the hardware. |
        runtime | The runtime that executed the build. |
        runtime_version | The version of the runtime. |
        precision | The precision that was measured: fp32, fp16, …. |
        status | `successful` or `failed` for a measurement; otherwise the status of the build (`timeout` and `killed` are failures as well), `not measured`, or `unreadable`. |
        reason | Why the measurement or the build failed, or what of a damaged build cannot be read. |
        median_latency | The median latency. | ms
        median_low | The lower end of the 95% interval of the median. | ms
        median_high | The upper end of the 95% interval of the median. | ms
        mean_latency | The mean latency. | ms
        throughput | Inferences per second of wall time. | 1/s
        verdict | Whether the outputs agree with those of the original. A build that was not measured has its own verdict here. |
        grade | How reliable the median is, from A to D. |
        flags | The kinds of the cautions about the measurement, separated by spaces. |
        peak_memory_bytes | The peak memory of the process that measured. | bytes
        measured_at | When the measurement ended. | ISO 8601
        """,
    ),
    *_columns(
        "Identity",
        """
        model_hash | The hash of the model. |
        hash | The hash of the invocation: the model with the shapes and dtypes of its inputs. |
        model_type | The framework of the model. |
        file | The path of the script or the ONNX file. |
        labels | The labels of the script, as `key::value,value`, separated by spaces. |
        input_shapes | The shapes of the inputs, as JSON. |
        input_dtypes | The dtypes of the inputs, as JSON. |
        parameter_bytes | The memory that the parameters take. | bytes
        cache_dir | The path of the cache. |
        turnkey_version | The version of turnkey that built it. |
        """,
    ),
    *_columns(
        "Where it was measured",
        """
        device_type | The device: x86, nvidia, …. |
        python | The name of the interpreter that measured, from `--python`; empty for that of turnkey. |
        host | The name of the machine that measured, from `--host`; empty for that of turnkey. |
        artifact | The file that was measured, relative to the build folder. |
        artifact_sha256 | The SHA-256 of that file and its data. |
        samples_file | The file of the raw samples, relative to the build folder. |
        """,
    ),
    *_columns(
        "Measurement",
        """
        iterations | The number of timed runs. |
        warmup_iterations | The number of runs before them. |
        latency_standard_deviation | The standard deviation of the latencies. | ms
        min_latency | The shortest latency. | ms
        max_latency | The longest latency. | ms
        p90_latency | The 90th percentile; empty if there are too few samples. | ms
        p95_latency | The 95th percentile; empty if there are too few samples. | ms
        p99_latency | The 99th percentile; empty if there are too few samples. | ms
        samples | The number of samples. |
        runs_per_sample | The number of runs that were timed together. |
        outliers | Samples beyond 1.5 times the interquartile range. |
        far_outliers | Samples beyond 3 times the interquartile range. |
        samples_set_aside | Samples that do not count, because others had the machine meanwhile. |
        empty_call_latency | The latency of an empty call in the same loop; included in the latencies. | ms
        timer_latency | How long reading the clock takes. | ms
        wall_seconds | The duration of the timed runs. | s
        paused_seconds | Time that was spent on waiting for other load to pass. | s
        processes | The number of processes that measured. |
        stopped | Why the measurement stopped: precise, settled, restless, cap, count, lost, answered or time. |
        load_seconds | How long the runtime took to load the build. | s
        memory_before_bytes | The memory of the process before it loaded the build. | bytes
        load_peak_memory_bytes | The peak memory while the build was loaded. | bytes
        device_latency | The median time of a run on the accelerator, without transfers. | ms
        device_latency_low | The lower end of its 95% interval. | ms
        device_latency_high | The upper end of its 95% interval. | ms
        device_peak_memory_bytes | The peak memory on the accelerator. | bytes
        energy_per_inference | The energy of the accelerator per run, idle power included. | J
        time_to_first_token | The median latency of a prefill. | ms
        time_per_output_token | The median latency of a decode step. | ms
        tokens_per_second | What decode steps of this length give, over all sequences of the batch. |
        """,
    ),
    *_columns(
        "Under load",
        """
        under_load_pattern | The load as it was asked for: `rate=20`, `concurrency=4` or `slo=p99=50ms`. Empty for one run at a time; otherwise every latency counts from when a request was due to its answer. |
        under_load_rate | The requests that were sent per second, at random times. | 1/s
        under_load_concurrency | The number of clients that waited for their answers. |
        under_load_instances | The number of requests that were executed at the same time. |
        under_load_threads_per_instance | The number of threads of each. |
        under_load_requests | The number of requests. |
        under_load_answered | The number of answers; fewer than the requests if a backlog was given up. |
        under_load_seed | The seed of the random times. |
        under_load_p90_low | The lower end of the 95% interval of the 90th percentile. | ms
        under_load_p90_high | The upper end of the 95% interval of the 90th percentile. | ms
        under_load_p95_low | The lower end of the 95% interval of the 95th percentile. | ms
        under_load_p95_high | The upper end of the 95% interval of the 95th percentile. | ms
        under_load_p99_low | The lower end of the 95% interval of the 99th percentile. | ms
        under_load_p99_high | The upper end of the 95% interval of the 99th percentile. | ms
        under_load_mean_queueing | How long a request waited until an instance took it, on average. | ms
        under_load_median_queueing | The median of the same. | ms
        under_load_p99_queueing | The 99th percentile of the same. | ms
        under_load_mean_service | How long an instance took for a request, on average. | ms
        under_load_median_service | The median of the same. | ms
        under_load_p99_service | The 99th percentile of the same. | ms
        under_load_utilisation | The share of the time that an instance was busy, on average. |
        under_load_overloaded | Whether requests arrived faster than they were answered. |
        under_load_p99_lateness | The 99th percentile of how late requests were sent; included in the latency. | ms
        under_load_worst_lateness | How late a request was sent, at worst. | ms
        under_load_generator_share | The processor time of the generator. | cores
        under_load_answers_checked | The number of answers under load that were compared with that to a single request. |
        under_load_capacity | The answers per second if every instance is always busy. | 1/s
        under_load_objective_rate | The largest rate that kept the objective of `--slo`. | 1/s
        under_load_objective_exceeded_at | The smallest rate that was seen to break it. | 1/s
        under_load_objective_resolution | How close the search came to the boundary, relative to the rate. |
        under_load_probes | The rates that the search tried, as JSON. |
        """,
    ),
    *_columns(
        "Verification",
        """
        verification_cause | What decided the verdict. |
        verification_reason | The cause in a sentence. |
        verification_max_absolute_error | The largest absolute error of an output. |
        verification_max_relative_error | The largest error relative to the magnitude of the output. |
        verification_cosine | The cosine between the outputs and those of the original. |
        verification_held_out | The number of held-out sets of inputs on which it matches too. |
        verification_frozen | Where the export froze a value, as JSON. |
        verification_stable_weights | Whether a copy with stable weights was judged. |
        verification_operator | The operator that the runtime cannot run, if that is the cause. |
        """,
    ),
    *_columns(
        "Conditions",
        """
        conditions_turnkey_version | The version of turnkey that measured. |
        conditions_python_version | The version of Python. |
        conditions_python | The path of the interpreter. |
        conditions_platform | The operating system. |
        conditions_machine | The name of another machine in its network. |
        conditions_cpu | The name of the CPU. |
        conditions_usable_cores | The number of cores that could be used. |
        conditions_processors | The logical processors that could be used. |
        conditions_threads | The number of threads that the runtime was asked to use. |
        conditions_cpu_quota | The limit of CPU time of the container. | cores
        conditions_governor | The frequency governor. |
        conditions_frequency_mhz | The frequency of the CPU. | MHz
        conditions_load_average | The load average before. |
        conditions_other_cores | The average number of processors that other programs used meanwhile. | cores
        conditions_worst_other_cores | The same for the worst half second. | cores
        conditions_own_cores | The average number of processors that what the script left running used. | cores
        conditions_stolen_share | The share of the processor time that the hypervisor gave to others. |
        conditions_processor_distance | How many times as long reading another processor's data took as reading one's own. |
        conditions_processors_apart | Whether the hypervisor ran the processors on different core complexes. |
        conditions_memory_speed | How fast memory was copied. | GB/s
        conditions_throttled_seconds | How long the container was throttled. | s
        conditions_overheated | How often the CPU was too hot. |
        """,
    ),
    *_columns(
        "Build",
        """
        build_sequence | The stages of the build, as JSON. |
        build_seconds | The duration of the build. | s
        build_failed_stage | The stage that failed. |
        build_onnx_opset | The ONNX opset. |
        build_exporter | The exporter: torchscript or dynamo. |
        build_exporter_reason | Why this exporter was chosen. |
        build_precision | The precision of the last ONNX file. |
        build_judged_in | The precision by whose tolerance it is judged. |
        build_kept_in_fp32 | What the conversion to fp16 kept in fp32. |
        build_operators | The operators of the last ONNX file with their counts, as JSON. |
        build_folded_weights | The share of the weights that no input reaches. |
        build_folded_work | The share of the multiply-accumulates that depend on no input. |
        """,
    ),
)
"""The columns that every report has, in this order."""

FAMILIES = _columns(
    "Families",
    """
    parameters_NAME | A script argument that belongs to a sweep. |
    build_STAGE_seconds | The duration of a stage. | s
    build_STAGE_peak_memory_bytes | The peak memory of a stage. | bytes
    build_STAGE_succeeded | Whether a stage succeeded. |
    build_NAME | Another fact that a stage noted. |
    conditions_rule_NAME | The rule by which the measurement was stopped. |
    conditions_libraries_NAME | The version of a library. |
    conditions_settings_NAME | A setting of the runtime. |
    conditions_accelerator_NAME | The accelerator: its clocks, temperature, power, throttling and other processes. |
    stats_NAME | A value that the runtime reports by itself. |
    NAME | Another section of the stats. |
    """,
)
"""Columns of which a report has as many as its rows need, after those that it always has."""


@functools.cache
def _known() -> dict[str, tuple[int, Column]]:
    return {column.name: (number, column) for number, column in enumerate(COLUMNS)}


@functools.lru_cache(maxsize=10_000)
def _place(name: str) -> tuple[int, Column]:
    if name in _known():
        return _known()[name]
    found = (n for n, family in enumerate(FAMILIES) if fnmatch.fnmatchcase(name, family.pattern))
    number = next(found)
    return len(COLUMNS) + number, FAMILIES[number]


def column_of(name: str) -> Column:
    """The declaration of a column, or of the family that it belongs to."""
    return _place(name)[1]


def ordered_columns(seen: Iterable[str]) -> tuple[str, ...]:
    """The columns that every report has and those that were seen, always in the same order."""
    return tuple(sorted({*_known(), *seen}, key=lambda name: (_place(name)[0], name)))


def reference() -> str:
    """The reference of all columns, in Markdown."""
    lines = ["# Columns of a report", "", _INTRODUCTION]
    for group in dict.fromkeys(column.group for column in (*COLUMNS, *FAMILIES)):
        lines += ["", f"## {group}", ""]
        lines += [_ABOUT_FAMILIES, ""] if group == "Families" else []
        lines += ["| column | meaning | unit |", "|---|---|---|"]
        lines += [_line(column) for column in (*COLUMNS, *FAMILIES) if column.group == group]
    return "\n".join(lines)


def _line(column: Column) -> str:
    return f"| `{column.name}` | {column.about} | {column.unit} |"


_INTRODUCTION = """\
A [report](report.md) has one record per evaluation. Every report has the columns of the first eight tables, in this
order, whatever its rows hold; the [families](#families) follow. An unknown value is an empty cell, or null in JSON.
`python -m turnkeyml.report.columns` generates this page."""
_ABOUT_FAMILIES = """\
A report has as many of these columns as its rows need: one per sweep argument, stage, library and so on, sorted by name
within a family. Lists are JSON."""


if __name__ == "__main__":
    print(reference())
