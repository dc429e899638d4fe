"""The command that repeats a measurement."""

from __future__ import annotations

import shlex

from turnkeyml.nouns import TUNED, Evaluation, UnderLoad
from turnkeyml.report.compared_rows import text_of
from turnkeyml.report.contract import Record

RULES = ("quick", "rigorous")
"""The rules that have an option of their name."""


def command_of(model: Record, evaluation: Evaluation | None = None) -> str:
    """The command that builds and measures a model as it was; empty if its file is unknown."""
    file, digest = text_of(model, "file"), text_of(model, "hash")
    if not file:
        return ""
    is_script = file.endswith(".py")
    words = ["turnkey", f"{file}::{digest}" if digest and is_script else file]
    opset = text_of(model, "build_onnx_opset")
    if evaluation is None:
        return shlex.join([*words, "--build-only", *_option("onnx-opset", opset)])
    if TUNED in evaluation.parameters:
        return shlex.join(["turnkey", "tune", *words[1:], *_tuned(evaluation)])
    words += _option("device", evaluation.device_type) + _option("runtime", evaluation.runtime)
    if is_script and evaluation.precision != "mixed":
        words += _option("precision", evaluation.precision)
    return shlex.join([*words, *_option("onnx-opset", opset), *_conditions(evaluation)])


def _tuned(evaluation: Evaluation) -> list[str]:
    """The options that make tuning try a configuration again."""
    words = _option("device", evaluation.device_type) + _option("runtime", evaluation.runtime)
    words += _option("precision", evaluation.parameters[TUNED].partition(",")[0])
    threads = evaluation.conditions.threads if evaluation.conditions else 0
    return words + _option("threads", str(threads or ""))


def _conditions(evaluation: Evaluation) -> list[str]:
    conditions, words = evaluation.conditions, []
    if evaluation.parameters:
        words += ["--sweep", *(f"{name}={value}" for name, value in evaluation.parameters.items())]
    words += [*_load(evaluation.under_load), *_option("host", evaluation.host)]
    if conditions is None:
        return words
    if evaluation.python:
        words += _option("python", f"{evaluation.python}={conditions.python}")
    if conditions.threads not in (0, conditions.usable_cores):
        words += _option("threads", str(conditions.threads))
    rule, iterations = conditions.rule.get("name"), conditions.rule.get("iterations")
    if iterations:
        return [*words, *_option("iterations", str(iterations))]
    return [*words, f"--{rule}"] if rule in RULES else words


def _load(load: UnderLoad | None) -> list[str]:
    """The options of a load; its pattern is spelled like them."""
    if load is None:
        return []
    name, _, value = load.pattern.partition("=")
    return [*_option(name, value), *_option("instances", str(load.instances))]


def _option(name: str, value: str) -> list[str]:
    return [f"--{name}", value] if value else []
