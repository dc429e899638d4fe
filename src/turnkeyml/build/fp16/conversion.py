"""One conversion of a model to float16: source, target and what can be done with them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from turnkeyml.build.check import check_onnx
from turnkeyml.build.fp16.convert import convert_to_float16
from turnkeyml.build.fp16.keep import Kept, all_but_multiplications, out_of_range
from turnkeyml.build.fp16.subgraphs import Exact, Subgraphs, verify_subgraphs
from turnkeyml.nouns import Verification
from turnkeyml.verify import Reference, loosest


@dataclass(frozen=True)
class Conversion:
    """A source file and the float16 file that is made from it."""

    source: Path
    target: Path
    reference: Reference
    threads: int
    source_is_trusted: bool = True
    """Whether the outputs of the source may serve as reference for subgraphs."""
    may_specialise: bool = False
    """Whether the source is valid for the recorded inputs only."""
    source_in_parts: bool = False
    """Whether the source itself could only be verified in parts."""

    def convert(self, kept: Kept) -> None:
        """Write the target."""
        convert_to_float16(self.source, self.target, kept)

    @property
    def judged_in(self) -> str:
        """The precision whose tolerance holds: that of the original if it is the less exact."""
        return loosest("fp16", self.reference.precision)

    def check(self) -> Verification:
        """The verdict on the target as a whole."""
        return check_onnx(
            str(self.target),
            self.reference,
            self.judged_in,
            self.threads,
            may_specialise=self.may_specialise,
        )

    def out_of_range(self) -> Kept:
        """What is out of the range of float16, on recorded or held-out inputs."""
        found = Kept()
        for reference in (self.reference, *self.reference.held_out):
            more = out_of_range(self.source, reference.inputs, self.threads)
            found = found.plus(more) or found
        return found

    def all_but_multiplications(self) -> Kept:
        """Every operator of the source except matrix products and convolutions."""
        return all_but_multiplications(self.source)

    def subgraphs(self) -> Subgraphs:
        """The verdicts on the subgraphs of the target in isolation."""
        return verify_subgraphs(self._exact, self.target, "fp16", self.threads)

    @functools.cached_property
    def _exact(self) -> Exact:
        return Exact(self.source, self.reference.inputs, self.threads)
