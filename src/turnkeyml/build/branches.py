"""Branches of an ONNX graph that are taken out of it, so that what is in them can be looked at."""

from __future__ import annotations

from collections.abc import Callable

import onnx


def take_out(graph: onnx.GraphProto, wanted: Callable[[onnx.NodeProto], bool]) -> dict[str, bool]:
    """Replace each If node that has a wanted node in one branch by the nodes of that branch.

    Returns what the conditions must be for the graph to mean the same. A branch that uses a name of
    the graph for something else, and one with a constant condition, stay where they are.
    """
    made = {name for node in graph.node for name in node.output}
    conditions: dict[str, bool] = {}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        branch = _branch(node, wanted)
        if branch is None or node.input[0] not in made or _names(branch[1]) & made:
            nodes.append(node)
            continue
        conditions[node.input[0]] = branch[0]
        made |= _names(branch[1])
        nodes += _contents(node, branch[1])
        graph.initializer.extend(branch[1].initializer)
        graph.value_info.extend(branch[1].value_info)
    if conditions:
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(copies)
    return conditions


def _branch(
    node: onnx.NodeProto, wanted: Callable[[onnx.NodeProto], bool]
) -> tuple[bool, onnx.GraphProto] | None:
    """The branch of an If node with a wanted node in it, and when it is taken; None for others."""
    if node.op_type != "If":
        return None
    branches = [(a.name == "then_branch", a.g) for a in node.attribute]
    found = [branch for branch in branches if any(map(wanted, branch[1].node))]
    return found[0] if len(found) == 1 else None


def _names(branch: onnx.GraphProto) -> set[str]:
    """The names that a branch gives to values."""
    computed = {name for node in branch.node for name in node.output}
    return computed | {weight.name for weight in branch.initializer}


def _contents(node: onnx.NodeProto, branch: onnx.GraphProto) -> list[onnx.NodeProto]:
    """The nodes of a branch, with its results under the names of those of the If node."""
    pairs = zip(branch.output, node.output, strict=True)
    named = [onnx.helper.make_node("Identity", [a.name], [b]) for a, b in pairs]
    return [*branch.node, *named]
