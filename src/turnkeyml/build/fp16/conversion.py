"""One model that is to be converted to float16."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from turnkeyml.build.check import check_onnx
from turnkeyml.build.fp16 import keep
from turnkeyml.build.fp16.convert import convert_to_float16
from turnkeyml.build.fp16.keep import Kept
from turnkeyml.build.fp16.subgraphs import Subgraphs, verify_subgraphs
from turnkeyml.nouns import Verification
from turnkeyml.verify.reference import Reference

__all__ = ["Conversion"]


@dataclass(frozen=True)
class Conversion:
    """A source and its target: what can be done to them, and what can be seen of them."""

    source: Path
    target: Path
    reference: Reference
    threads: int
    source_is_trusted: bool = True
    """Whether subgraphs may be compared with what the source computes."""
    may_specialise: bool = False
    """Whether the source holds for the recorded inputs only."""

    def convert(self, kept: Kept) -> None:
        """Write the target."""
        convert_to_float16(self.source, self.target, kept)

    def check(self) -> Verification:
        """The verdict on the target as a whole."""
        return check_onnx(
            str(self.target),
            self.reference,
            "fp16",
            self.threads,
            may_specialise=self.may_specialise,
        )

    def out_of_range(self) -> Kept:
        """What float16 cannot hold, on the recorded inputs or on held-out ones."""
        found = Kept()
        for reference in (self.reference, *self.reference.held_out):
            more = keep.out_of_range(self.source, reference.inputs, self.threads)
            found = found.plus(more) or found
        return found

    def all_but_multiplications(self) -> Kept:
        """Every operator of the source that takes little of the time."""
        return keep.all_but_multiplications(self.source)

    def subgraphs(self) -> Subgraphs:
        """The verdict on the subgraphs of the target."""
        inputs = self.reference.inputs
        return verify_subgraphs(self.source, self.target, inputs, "fp16", self.threads)
