"""Stages that take an ONNX file and leave a better one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from turnkeyml.build import onnx_files
from turnkeyml.build.fp16.convert import (
    Kept,
    all_but_multiplications,
    cannot_run,
    convert_to_float16,
    out_of_range,
)
from turnkeyml.build.fp16.parts import IN_PARTS, Parts, verify_parts
from turnkeyml.build.stage import ONNX, ONNX_FILE, ONNX_FP32, Stage, Workbench
from turnkeyml.errors import describe
from turnkeyml.nouns import Verification
from turnkeyml.verify.compare import GOOD_ENOUGH, UNSTEADY, rank, verify_onnx

__all__ = ["Fp16Conversion", "OptimizeOnnx", "ReceiveOnnx", "SetSuccess"]

T = TypeVar("T")

MOST_TRIES = 12
"""How often a model is converted to float16 before the best result is taken."""


class ReceiveOnnx(Stage):
    """Take an ONNX file into the build, external data included."""

    name = "receive_onnx"
    message = "Receiving the ONNX file"
    needs = frozenset({ONNX_FILE})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        source = bench.things[ONNX_FILE]
        target = bench.work / source.name
        onnx_files.copy_model(source, target)
        bench.opset = bench.facts["onnx_opset"] = onnx_files.opset_of(target)
        bench.facts["precision"] = "fp16" if onnx_files.has_half_precision(target) else "fp32"
        bench.things[ONNX] = target


class OptimizeOnnx(Stage):
    """Simplify the graph with ONNX Runtime, without tying it to a runtime or a processor.

    Only the basic level is saved: it leaves standard operators alone, so that any runtime can take
    the file. What depends on the processor is done by ONNX Runtime each time it loads the file.
    """

    name = "optimize_onnx"
    message = "Optimizing the ONNX file"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        import onnxruntime

        from turnkeyml.runtimes.ort_session import unsound_optimizers

        source = bench.things[ONNX]
        if onnx_files.has_half_precision(source):
            print(
                "Left as it is: the model is in half precision, for which ONNX Runtime adds casts."
            )
            return
        target = bench.work / bench.onnx_name("opt")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(target)
        options.log_severity_level = 3
        options.intra_op_num_threads = bench.threads
        options.add_session_config_entry("session.disable_prepacking", "1")
        if onnx_files.total_bytes(source) > onnx_files.ONE_FILE_BYTES:
            entry = "session.optimized_model_external_initializers_file_name"
            options.add_session_config_entry(entry, f"{target.name}.data")
        onnxruntime.InferenceSession(
            str(source),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=[
                "MatMulAddFusion",  # loaded again, it repeats names of its own
                *unsound_optimizers(str(source)),
            ],
        )
        onnx_files.take_in(target, source)
        bench.things[ONNX] = target


class Fp16Conversion(Stage):
    """Convert weights and arithmetic to float16, inputs and outputs included.

    What ONNX Runtime cannot compute in float16 stays in float32. Where the result is wrong, so does
    what float16 cannot hold; then the parts that are wrong by themselves, if the whole cannot tell
    rounding that grew from an error; then everything but the multiplications, which is where the
    time goes; and at last the parts that are wrong even so.
    """

    name = "fp16_conversion"
    message = "Converting to FP16"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        source, target = bench.things[ONNX], bench.work / bench.onnx_name("opt", "f16")
        kept, verdict = self._convert(bench, source, target)
        if bench.facts.get("precision", "fp32") == "fp32":
            bench.things[ONNX_FP32] = source
        if str(kept):
            bench.facts["kept_in_fp32"] = str(kept)
        bench.facts["precision"] = "fp16"
        bench.verdicts[self.name] = verdict
        bench.things[ONNX] = target

    def _convert(self, bench: Workbench, source: Path, target: Path) -> tuple[Kept, Verification]:
        """Write the target; what of it is in float32 besides the usual."""
        inputs, threads = bench.reference.inputs, bench.threads
        troubles: list[str] = []

        @functools.cache
        def ranges() -> Kept:
            found = partial(out_of_range, source, inputs, threads)
            return _tried("its numbers", found, troubles) or Kept()

        @functools.cache
        def look(kept: Kept) -> Parts | None:
            exported = bench.verdicts.get("export_pytorch")
            if exported is not None and not exported.trusted:
                return None  # what they would be compared with
            found = partial(verify_parts, source, target, inputs, "fp16", threads)
            parts = _tried("its parts", found, troubles)
            if parts is not None:
                seen = f"{parts.verdict.verdict} ({parts.verdict.reason})"
                print(f"fp16, in {parts.count} parts: {seen}", flush=True)
            return parts

        def suspects(kept: Kept, verdict: Verification, tries: int) -> Iterator[Kept]:
            yield cannot_run(verdict)
            if verdict.verdict != "not checked":
                yield ranges()
            if UNSTEADY in verdict.reason and tries < MOST_TRIES / 2:
                yield _wrong_in(look(kept))
            yield all_but_multiplications(source)
            yield _wrong_in(look(kept))

        kept = Kept()
        best: tuple[Kept, Verification] | None = None
        for tries in range(MOST_TRIES):
            if tries:
                print(f"Once more, with these in float32: {kept}", flush=True)
            convert_to_float16(source, target, kept)
            whole = verify_onnx(str(target), bench.reference, "fp16", threads)
            print(f"fp16: {whole.verdict} ({whole.reason})", flush=True)
            verdict = _judged(whole, look(kept)) if UNSTEADY in whole.reason else whole
            more = None
            if rank(verdict) > GOOD_ENOUGH:
                added = map(kept.plus, suspects(kept, whole, tries))
                more = next((k for k in added if k is not None), None)
                verdict = verdict if more else _judged(whole, look(kept))
            if best is None or rank(verdict) < rank(best[1]):
                best = kept, verdict
            if more is None:
                break
            kept = more
        assert best is not None
        if best[1] is not verdict:
            convert_to_float16(source, target, best[0])
        kept, verdict = best
        if rank(verdict) > GOOD_ENOUGH and troubles:
            verdict = replace(verdict, reason="; ".join([verdict.reason, *dict.fromkeys(troubles)]))
        return kept, verdict


def _tried(what: str, look: Callable[[], T], troubles: list[str]) -> T | None:
    """What a look at something found; None if it could not be looked at, which is remembered."""
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - there are other things to try; the verdict tells
        troubles.append(f"{what} could not be looked at: {describe(error)}")
        print(troubles[-1], flush=True)
        return None


def _wrong_in(parts: Parts | None) -> Kept:
    """The nodes of parts that are wrong by themselves."""
    return Kept(nodes=parts.wrong if parts else ())


def _judged(whole: Verification, parts: Parts | None) -> Verification:
    """Another verdict where the whole cannot tell rounding that grew from an error."""
    cannot_tell = whole.verdict == "close" or UNSTEADY in whole.reason
    if not cannot_tell or parts is None or parts.verdict.verdict != "match" or parts.count == 1:
        return whole
    reason = f"{IN_PARTS} {parts.count} parts {parts.verdict.reason}; the whole is {whole.reason}"
    return replace(whole, verdict="match", reason=reason)


class SetSuccess(Stage):
    """The end of a build that went well."""

    name = "set_success"
    message = "Finishing up"

    def fire(self, bench: Workbench) -> None:
        print("The build is complete.")
