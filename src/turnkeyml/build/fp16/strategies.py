"""Strategies for a model that does not verify in float16.

A strategy gets the search and the verdict on the whole model. It returns what else to keep in
float32, or None if it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from turnkeyml.build.fp16.keep import Kept, unsupported_operator
from turnkeyml.nouns import Verdict, Verification

if TYPE_CHECKING:
    from turnkeyml.build.fp16.search import Search

Strategy = Callable[["Search", Verification], "Kept | None"]


def keep_unsupported_operator(search: Search, whole: Verification) -> Kept | None:
    """Keep the operator that ONNX Runtime does not support in float16."""
    return unsupported_operator(whole)


def keep_out_of_range(search: Search, whole: Verification) -> Kept | None:
    """Keep what is out of the range of float16, if the outputs are wrong."""
    return search.out_of_range() if whole.verdict is not Verdict.NOT_CHECKED else None


def keep_subgraphs_of_unstable_model(search: Search, whole: Verification) -> Kept | None:
    """Keep subgraphs that mismatch in isolation, if the model amplifies rounding.

    Each try may find another subgraph, so half of the tries are left for other strategies.
    """
    early = search.tries < search.max_tries / 2
    return keep_subgraphs(search, whole) if search.is_unstable(whole) and early else None


def keep_all_but_multiplications(search: Search, whole: Verification) -> Kept | None:
    """Keep everything except convolutions and matrix products, which take most of the time."""
    return search.conversion.all_but_multiplications()


def keep_subgraphs(search: Search, whole: Verification) -> Kept | None:
    """Keep subgraphs that mismatch in isolation, with the graph inputs that they read."""
    found = search.subgraphs()
    return Kept(nodes=found.mismatching, inputs_outputs=found.inputs) if found else None


STRATEGIES: tuple[Strategy, ...] = (
    keep_unsupported_operator,
    keep_out_of_range,
    keep_subgraphs_of_unstable_model,
    keep_all_but_multiplications,
    keep_subgraphs,
)
"""The strategies in the order in which they are tried."""
