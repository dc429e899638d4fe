"""Nested values are walked, named, copied and rebuilt."""

from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.frameworks.torch import modules  # noqa: F401 - teaches what a tensor is

Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True)
class Point:
    x: torch.Tensor
    label: str = "a point"


class Cache:
    def __init__(self):
        self.layers = [torch.zeros(1), torch.ones(2)]
        self.seen = 3


def everything():
    return {
        "plain": torch.zeros(2),
        "list": [torch.zeros(3), None, True, "text"],
        "pair": Pair(torch.zeros(4), 7),
        "point": Point(torch.zeros(5)),
        "cache": Cache(),
        "array": np.zeros(6),
        "ordered": OrderedDict(a=torch.zeros(7)),
    }


def test_every_tensor_is_found_under_its_path():
    assert list(structure.leaves(everything())) == [
        "plain",
        "list.0",
        "pair.left",
        "point.x",
        "cache.layers.0",
        "cache.layers.1",
        "array",
        "ordered.a",
    ]


def test_replacing_keeps_classes_constants_and_the_original():
    value = everything()
    result = structure.replace(value, lambda path, tensor: path)
    assert result["list"] == ["list.0", None, True, "text"]
    assert result["pair"] == Pair("pair.left", 7)
    assert result["point"] == Point("point.x")
    assert type(result["cache"]) is Cache
    assert result["cache"].layers == ["cache.layers.0", "cache.layers.1"]
    assert result["cache"].seen == 3
    assert type(result["ordered"]) is OrderedDict
    assert torch.is_tensor(value["list"][0])
    assert torch.is_tensor(value["cache"].layers[0])


def test_a_clone_shares_no_memory():
    value = everything()
    copy = structure.clone(value)
    copy["plain"].fill_(9)
    copy["cache"].layers[0].fill_(9)
    assert value["plain"].sum() == 0
    assert value["cache"].layers[0].sum() == 0


def test_a_value_that_contains_itself_ends():
    loop = {"x": torch.zeros(1)}
    loop["self"] = loop
    assert list(structure.leaves(loop)) == ["x"]


SENTINEL = type("Sentinel", (), {"__module__": __name__})()


def test_what_a_call_may_fill_is_copied_while_it_is_empty():
    class Context:
        pass

    empty = [Context(), set(), {}, [], deque()]
    copies = structure.clone(empty)
    assert all(one is not other for one, other in zip(empty, copies, strict=True))
    assert structure.clone([SENTINEL])[0] is SENTINEL


def test_constants_tell_flags_apart_but_not_values_of_tensors():
    assert structure.constants({"a": torch.zeros(1), "b": True}) == structure.constants(
        {"a": torch.ones(1), "b": True}
    )
    assert structure.constants({"b": True}) != structure.constants({"b": False})


def test_a_tensor_that_occurs_twice_stays_one():
    x, y = torch.ones(2), torch.ones(2)
    first, (second, third) = structure.clone((x, [x, y]))
    assert first is second
    assert first is not x
    assert third is not first
