"""Converting weights and arithmetic to float16."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from turnkeyml.build.fp16.convert import (
    Kept,
    all_but_multiplications,
    cannot_run,
    convert_to_float16,
    out_of_range,
)
from turnkeyml.build.fp16.parts import Parts, verify_parts
from turnkeyml.build.stage import ONNX, ONNX_FP32, Stage, Workbench
from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification

__all__ = ["Fp16Conversion"]

T = TypeVar("T")

MOST_TRIES = 12
"""How often a model is converted to float16 before the best result is taken."""


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
        source, target = bench.artifacts[ONNX], bench.work / bench.onnx_name("opt", "f16")
        kept, verdict = self._convert(bench, source, target)
        if bench.facts.get("precision", "fp32") == "fp32":
            bench.artifacts[ONNX_FP32] = source
        if str(kept):
            bench.facts["kept_in_fp32"] = str(kept)
        bench.facts["precision"] = "fp16"
        bench.verdicts[target.name] = verdict
        bench.artifacts[ONNX] = target

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
            exported = bench.received
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
            if verdict.verdict is not Verdict.NOT_CHECKED:
                yield ranges()
            if verdict.cause is Cause.ORIGINAL_UNSTABLE and tries < MOST_TRIES / 2:
                yield _wrong_in(look(kept))
            yield all_but_multiplications(source)
            yield _wrong_in(look(kept))

        kept = Kept()
        best: tuple[Kept, Verification] | None = None
        for tries in range(MOST_TRIES):
            if tries:
                print(f"Once more, with these in float32: {kept}", flush=True)
            convert_to_float16(source, target, kept)
            whole = bench.check(target, "fp16")
            print(f"fp16: {whole.verdict} ({whole.reason})", flush=True)
            verdict = (
                _judged(whole, look(kept)) if whole.cause is Cause.ORIGINAL_UNSTABLE else whole
            )
            more = None
            if not verdict.trusted:
                added = map(kept.plus, suspects(kept, whole, tries))
                more = next((k for k in added if k is not None), None)
                verdict = verdict if more else _judged(whole, look(kept))
            if best is None or verdict.verdict.rank < best[1].verdict.rank:
                best = kept, verdict
            if more is None:
                break
            kept = more
        assert best is not None
        if best[1] is not verdict:
            convert_to_float16(source, target, best[0])
        kept, verdict = best
        if not verdict.trusted and troubles:
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
    cannot_tell = whole.verdict is Verdict.CLOSE or whole.cause is Cause.ORIGINAL_UNSTABLE
    if (
        not cannot_tell
        or parts is None
        or parts.verdict.verdict is not Verdict.MATCH
        or parts.count == 1
    ):
        return whole
    seen = f"in each of {parts.count} subgraphs {parts.verdict.reason}"
    reason = f"{seen}; the whole is {whole.reason}"
    return replace(whole, verdict=Verdict.MATCH, cause=Cause.IN_PARTS, reason=reason)
