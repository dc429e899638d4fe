"""Models are found however they are held and called, and nothing else is taken for one.

All the scripts are analysed in one run of the program; each test looks at one of them.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from turnkeyml import benchmark_files
from turnkeyml.nouns import InputResult

from .conftest import SMALL_MODEL

SCRIPTS = {
    "a_global": """
        model = SmallModel()
        model(torch.rand(4))
        """,
    "a_local": """
        def work():
            inner_model = SmallModel()
            return inner_model(torch.rand(4))
        work()
        """,
    "in_a_list_and_a_dict": """
        models = [SmallModel(4, 1), SmallModel(4, 2)]
        table = {"big": SmallModel(4, 7)}
        for m in models: pass
        del m
        [models[i](torch.rand(4)) for i in range(2)]
        table["big"](torch.rand(4))
        """,
    "an_attribute_of_a_plain_class": """
        class Engine:
            def __init__(self): self.network = SmallModel()
            def go(self): return self.network(torch.rand(4))
        Engine().go()
        """,
    "without_a_name": """
        SmallModel()(torch.rand(4))
        """,
    "under_main": """
        if __name__ == "__main__":
            guarded = SmallModel()
            guarded(torch.rand(4))
        """,
    "in_a_thread": """
        import threading
        threaded = SmallModel()
        threading.Thread(target=lambda: threaded(torch.rand(4))).start()
        """,
    "named_like_a_layer": """
        module = SmallModel(4, 1); layer = SmallModel(4, 2); child = SmallModel(4, 5)
        for m in (module, layer, child): m(torch.rand(4))
        """,
    "compiled": """
        original = SmallModel()
        fast = torch.compile(original, backend="eager")
        fast(torch.rand(4)); fast(torch.rand(4))
        """,
    "compiled_in_place": """
        original = SmallModel()
        original.compile(backend="eager")
        original(torch.rand(4))
        """,
    "by_keyword_and_by_position": """
        class Two(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.fc = torch.nn.Linear(4, 3)
            def forward(self, x, y=None, *, scale=1.0): return self.fc(x + y) * scale
        model = Two()
        model(torch.rand(4), torch.rand(4))
        model(torch.rand(4), y=torch.rand(4), scale=2.0)
        model(x=torch.rand(4), y=torch.rand(4))
        """,
    "nested_inputs": """
        from dataclasses import dataclass
        @dataclass
        class Batch:
            x: torch.Tensor
            name: str
        class Deep(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.fc = torch.nn.Linear(4, 3)
            def forward(self, batch, extra, flag, mode, nothing):
                return self.fc(batch.x + extra["a"][0] + extra["b"]["c"])
        deep = Deep()
        deep(Batch(torch.rand(4), "n"), {"a": [torch.rand(4)], "b": {"c": torch.rand(4)}},
             True, "fast", None)
        """,
    "no_models": """
        loss = torch.nn.CrossEntropyLoss(weight=torch.ones(3))
        loss(torch.rand(2, 3), torch.tensor([0, 1]))
        torch.nn.ReLU()(torch.rand(3)); torch.nn.Sequential(torch.nn.Flatten())(torch.rand(2, 2))
        """,
    "children_are_not_top_level": """
        model = torch.nn.Sequential(SmallModel(4, 4), torch.nn.ReLU(), SmallModel(4, 2))
        model(torch.rand(4))
        """,
    "nothing_but_arithmetic": """
        class Inner(torch.nn.Module):
            def forward(self, x):
                return x * 2

        class Arithmetic(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x):
                return self.inner(x).relu() + 1

        torch.nn.ReLU()(torch.rand(3))
        Arithmetic()(torch.rand(2, 3))
    """,
    "a_loss_of_its_own": """
        class Loss(torch.nn.Module):
            def forward(self, x):
                return x.square().sum()

        Loss()(SmallModel(10, 5)(torch.rand(2, 10)))
    """,
    "a_shell_without_parameters": """
        class Shell(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.parts = [SmallModel()]
            def forward(self, x): return self.parts[0](x)
        Shell()(torch.rand(4))
        """,
    "forward_called_directly": """
        class Outer(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.a = SmallModel(4, 4); self.b = SmallModel(4, 2)
            def forward(self, x): return self.b(self.a(x))
        outer = Outer()
        outer.forward(torch.rand(4)); outer.forward(torch.rand(4))
        """,
    "a_call_of_its_own": """
        class Own(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.fc = torch.nn.Linear(4, 2)
            def __call__(self, x): return self.fc(x)
            forward = None
        own = Own()
        own(torch.rand(4))
        """,
    "same_repr_other_forward": """
        class Twice(torch.nn.Module):
            def __init__(self, twice):
                super().__init__(); self.fc = torch.nn.Linear(4, 4); self.twice = twice
            def forward(self, x): return self.fc(self.fc(x)) if self.twice else self.fc(x)
        once = Twice(False); twice = Twice(True)
        once(torch.rand(4)); twice(torch.rand(4))
        """,
    "same_model_twice": """
        first = SmallModel(); second = SmallModel()
        first(torch.rand(4)); second(torch.rand(4))
        """,
    "flags_make_a_difference": """
        class Switch(torch.nn.Module):
            def __init__(self):
                super().__init__(); self.fc = torch.nn.Linear(4, 4)
            def forward(self, x, double=False): return self.fc(self.fc(x)) if double else self.fc(x)
        switch = Switch()
        switch(torch.rand(4), double=False); switch(torch.rand(4), double=True)
        """,
    "traced_exported_scripted": """
        model = SmallModel()
        x = torch.rand(4)
        traced = torch.jit.trace(model, x)
        torch.export.export(model, (x,))
        torch.export.export(model, (x,), strict=True)
        torch.fx.symbolic_trace(model)
        traced(x)
        """,
    "lazy": """
        lazy = torch.nn.LazyLinear(3)
        lazy(torch.rand(2, 5))
        """,
    "many_shapes": """
        model = SmallModel()
        for n in range(1, 21): model(torch.rand(n, 4))
        """,
    "deleted": """
        import gc, weakref
        model = SmallModel()
        model(torch.rand(4))
        ref = weakref.ref(model)
        del model; gc.collect()
        assert ref() is None, "the model is still alive"
        """,
    "copied_and_pickled": """
        import copy, pickle
        model = SmallModel()
        x = torch.rand(4)
        before = model(x)
        twin = copy.deepcopy(model)
        with torch.no_grad(): twin.fc.weight.zero_()
        assert torch.equal(model(x), before)
        assert not torch.equal(twin(x), before)
        again = pickle.loads(pickle.dumps(model))
        assert torch.equal(again(x), before)
        assert not model._forward_hooks and not model._forward_pre_hooks
        assert set(vars(model)) == set(vars(SmallModel()))
        """,
    "trained": """
        model = SmallModel()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(3):
            loss = model(torch.rand(4)).sum(); loss.backward(); optimizer.step()
        assert model.fc.weight.grad is not None and model.training
        """,
    "random_numbers_are_undisturbed": """
        torch.manual_seed(1)
        model = SmallModel(); model(torch.rand(4))
        a = torch.rand(1).item()
        torch.manual_seed(1)
        SmallModel(); torch.rand(4)
        assert a == torch.rand(1).item()
        """,
    "half_the_calls_fail": """
        model = SmallModel()
        try: model(torch.rand(5))
        except RuntimeError: pass
        model(torch.rand(4))
        """,
    "raises": """
        model = SmallModel()
        model(torch.rand(4))
        raise ValueError("the script is broken")
        """,
    "exits": """
        import sys
        model = SmallModel()
        model(torch.rand(4))
        sys.exit(3)
        """,
    "exits_well": """
        import sys
        model = SmallModel()
        model(torch.rand(4))
        sys.exit()
        """,
    "dies": """
        import os, signal
        model = SmallModel()
        model(torch.rand(4))
        os.kill(os.getpid(), signal.SIGSEGV)
        """,
    "leaves_without_a_word": """
        import os
        model = SmallModel()
        model(torch.rand(4))
        os._exit(0)
        """,
    "forks": """
        import os
        model = SmallModel()
        if os.fork() == 0:
            model(torch.rand(9, 4))
        else:
            os.wait()
            model(torch.rand(4))
        """,
    "uses_multiprocessing": """
        import multiprocessing
        def work(n): return n + 1
        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(1) as pool:
                    assert pool.map(work, [1]) == [2]
            model = SmallModel()
            model(torch.rand(4))
        """,
    "wrecks_its_process": """
        import os, sys
        model = SmallModel()
        model(torch.rand(4))
        os.chdir("/"); sys.stdout = None; sys.argv = []; sys.path.clear(); os.closerange(0, 200)
        """,
    "is_what_python_makes_it": """
        import os, sys
        assert __name__ == "__main__"
        assert sys.modules["__main__"].SmallModel is SmallModel
        assert __file__ == os.path.abspath(sys.argv[0])
        assert sys.argv[1:] == ["--size", "4 4"], sys.argv
        assert sys.path[0] == os.path.dirname(os.path.realpath(__file__))
        import neighbour
        assert os.getcwd() == os.environ["EXPECTED_FOLDER"]
        model = SmallModel()
        model(torch.rand(4))
        """,
    "an_unusual_class": """
        class Odd(SmallModel):
            def __eq__(self, other): raise RuntimeError("not comparable")
            __hash__ = SmallModel.__hash__
            def __bool__(self): raise RuntimeError("neither true nor false")
            def __len__(self): return 0
        odd = Odd()
        odd(torch.rand(4))
        """,
    "a_thread_pool": """
        from concurrent.futures import ThreadPoolExecutor
        model = SmallModel()
        pool = ThreadPoolExecutor(2)
        pool.submit(model, torch.rand(4)).result()
        """,
    "circular_inputs": """
        class Node:
            def __init__(self): self.x = torch.rand(4)
        nodes = [Node() for _ in range(14)]
        for node in nodes: node.others = list(nodes)
        class Graph(SmallModel):
            def forward(self, node, again): return self.fc(node.x)
        graph = Graph()
        graph(nodes[0], nodes[0])
        """,
    "inputs_are_left_alone": """
        from collections.abc import MutableMapping
        class Batch(MutableMapping):
            def __init__(self, **d): self._d = d
            def __getitem__(self, k): return self._d[k]
            def __setitem__(self, k, v): self._d[k] = v
            def __delitem__(self, k): del self._d[k]
            def __iter__(self): return iter(self._d)
            def __len__(self): return len(self._d)
        class Takes(SmallModel):
            def forward(self, batch): return self.fc(batch["x"])
        x = torch.rand(4, requires_grad=True)
        batch = Batch(x=x)
        model = Takes()
        model(batch).sum().backward()
        assert batch["x"] is x and x.grad is not None
        """,
    "awkward_names": """
        class OptimizedModule(SmallModel):
            def forward(self, x, module=None, original=None): return self.fc(x)
        model = OptimizedModule()
        model(torch.rand(4), module=3, original=4)
        """,
    "forks_with_exit_codes": """
        import os, sys
        model = SmallModel(); model(torch.rand(4))
        for code in (3, 0):
            pid = os.fork()
            if pid == 0:
                sys.exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code
        """,
    "decorated_forward": """
        class Decorated(SmallModel):
            @torch.no_grad()
            def forward(self, x): return self.fc(x)
        decorated = Decorated()
        decorated.forward(torch.rand(4))
        sequential = torch.nn.Sequential(SmallModel(4, 4), SmallModel(4, 2))
        sequential.forward(torch.rand(4))
        """,
    "alike_but_for_settings": """
        def make(k):
            class Made(SmallModel):
                def forward(self, x): return self.fc(x) * k
            return Made()
        class With(SmallModel):
            def __init__(self, **settings):
                super().__init__(); self.__dict__.update(settings)
        models = [With(fn=torch.relu), With(fn=torch.tanh), With(cfg={"k": 1}), With(cfg={"k": 2}),
                  With(_k=1), With(_k=2), make(1), make(2)]
        for model in models: model(torch.rand(4))
        del model
        """,
    "lazy_inside": """
        lazy_inside = torch.nn.Sequential(torch.nn.LazyLinear(8), torch.nn.Linear(8, 2))
        lazy_inside(torch.rand(4)); lazy_inside(torch.rand(4))
        """,
    "deleted_inside_a_function": """
        import gc, weakref
        def work(direct):
            model = SmallModel()
            model.forward(torch.rand(4)) if direct else model(torch.rand(4))
            ref = weakref.ref(model)
            del model; gc.collect()
            assert ref() is None, direct
        model = SmallModel(); model(torch.rand(4))
        work(False); work(True)
        """,
    "hostile_repr": """
        class Hostile(SmallModel):
            def __repr__(self): raise RuntimeError("no words")
        hostile = Hostile()
        hostile(torch.rand(4))
        """,
    "parametrized": """
        normed = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 3))
        normed(torch.rand(4))
        torch.jit.script(torch.nn.ReLU())(torch.rand(3))
        """,
    "a_class_that_cannot_be_looked_at": """
        class Shy(SmallModel):
            def __hash__(self): raise RuntimeError("not hashable")
        shy = Shy()
        print(shy(torch.rand(4)).shape)
        """,
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, InputResult]:
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "neighbour.py").write_text("")
    for name, body in SCRIPTS.items():
        (folder / f"{name}.py").write_text(SMALL_MODEL + textwrap.dedent(body))
    with pytest.MonkeyPatch.context() as patch:
        import os

        patch.setenv("EXPECTED_FOLDER", os.getcwd())
        found = benchmark_files(
            [str(folder / f"{name}.py") for name in SCRIPTS],
            analyze_only=True,
            script_args="--size '4 4'",
            cache_dir=str(folder / "cache"),
        )
    return {r.input.stem: r for r in found}


def names(result: InputResult) -> list[str]:
    return [row.invocation.name for row in result.invocations]


def shapes(result: InputResult) -> list[list[tuple[int, ...]]]:
    return [list(row.invocation.shapes.values()) for row in result.invocations]


@pytest.mark.parametrize(
    ("script", "expected"),
    {
        "a_global": ["model"],
        "a_local": ["inner_model"],
        "in_a_list_and_a_dict": ["models[0]", "models[1]", "table['big']"],
        "an_attribute_of_a_plain_class": ["network"],
        "without_a_name": ["SmallModel"],
        "under_main": ["guarded"],
        "in_a_thread": ["threaded"],
        "named_like_a_layer": ["module", "layer", "child"],
        "compiled": ["original"],
        "compiled_in_place": ["original"],
        "nested_inputs": ["deep"],
        "children_are_not_top_level": ["model"],
        "nothing_but_arithmetic": ["Arithmetic"],
        "a_loss_of_its_own": ["SmallModel"],
        "a_shell_without_parameters": ["SmallModel"],
        "forward_called_directly": ["outer"],
        "a_call_of_its_own": ["own"],
        "same_repr_other_forward": ["once", "twice"],
        "same_model_twice": ["first"],
        "lazy": ["lazy"],
        "an_unusual_class": ["odd"],
        "no_models": [],
        "traced_exported_scripted": ["traced"],
        "wrecks_its_process": ["model"],
        "a_thread_pool": ["model"],
        "circular_inputs": ["graph"],
        "awkward_names": ["model"],
        "forks_with_exit_codes": ["model"],
        "decorated_forward": ["decorated", "sequential"],
        "alike_but_for_settings": ["model"] * 8,
        "lazy_inside": ["lazy_inside"],
        "hostile_repr": ["hostile"],
        "parametrized": ["normed"],
        "uses_multiprocessing": ["model"],
        "a_class_that_cannot_be_looked_at": ["shy"],
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_models_are_found_by_their_names(results, script, expected):
    assert results[script].script.error is None, results[script].script.traceback
    assert results[script].ok, results[script].failure
    assert names(results[script]) == expected


@pytest.mark.parametrize(
    "script",
    [
        "deleted",
        "copied_and_pickled",
        "trained",
        "random_numbers_are_undisturbed",
        "is_what_python_makes_it",
        "half_the_calls_fail",
        "exits_well",
        "inputs_are_left_alone",
        "deleted_inside_a_function",
    ],
)
def test_the_script_does_not_notice_us(results, script):
    assert results[script].ok, results[script].script.traceback or results[script].failure
    assert "model" in names(results[script])


def test_calls_are_counted_and_timed(results):
    (row,) = results["compiled"].invocations
    assert row.invocation.executed == 2
    assert row.invocation.seconds > 0
    assert results["same_model_twice"].invocations[0].invocation.executed == 2
    assert results["forward_called_directly"].invocations[0].invocation.executed == 2


def test_a_lazy_model_is_counted_from_its_first_call(results):
    assert results["lazy_inside"].invocations[0].invocation.executed == 2


def test_the_record_says_what_and_where(results):
    record = results["a_global"].invocations[0].invocation
    assert record.model_type == "Pytorch (torch.nn.Module)"
    assert (record.class_name, record.class_repr) == ("SmallModel", "<class '__main__.SmallModel'>")
    assert record.file.endswith("a_global.py")
    assert "model(torch.rand(4))" in Path(record.file).read_text().splitlines()[record.line - 1]
    assert (record.parameters, record.parameter_bytes) == (15, 60)
    assert record.build_name == f"a_global_{record.hash}"


def test_each_way_of_calling_is_an_invocation(results):
    assert len(results["by_keyword_and_by_position"].invocations) == 3
    assert shapes(results["nested_inputs"]) == [[(4,), (4,), (4,)]]
    assert list(results["nested_inputs"].invocations[0].invocation.shapes) == [
        "Positional Arg 1.x",
        "Positional Arg 2.a.0",
        "Positional Arg 2.b.c",
    ]
    first, second = results["flags_make_a_difference"].invocations
    assert first.invocation.hash != second.invocation.hash


def test_models_that_only_look_alike_are_kept_apart(results):
    once, twice = results["same_repr_other_forward"].invocations
    assert once.invocation.model_hash != twice.invocation.model_hash
    assert once.invocation.hash != twice.invocation.hash


def test_a_lazy_model_is_seen_as_it_became(results):
    record = results["lazy"].invocations[0].invocation
    assert (record.class_name, record.parameters) == ("Linear", 18)


def test_all_shapes_are_listed_but_few_are_built(results):
    rows = results["many_shapes"].invocations
    assert len(rows) == 20
    assert [r.invocation.obstacle is None for r in rows] == [True] * 8 + [False] * 12


def test_a_call_that_always_fails_is_listed_as_such(results):
    failing, working = results["half_the_calls_fail"].invocations
    assert "failed" in failing.invocation.obstacle
    assert working.invocation.obstacle is None


def test_what_was_called_before_the_end_is_kept(results):
    for script in ("raises", "exits", "dies", "leaves_without_a_word", "forks"):
        assert names(results[script])[-1] == "model", script
    raised = results["raises"]
    assert raised.script.error == "ValueError: the script is broken"
    assert "raises.py" in raised.script.traceback
    assert "turnkeyml" not in raised.script.traceback
    assert results["exits"].script.exit_code == 3
    assert "signal 11 (SIGSEGV" in results["dies"].failure
    assert "while the script ran" in results["dies"].failure
    assert "exited with code 0 while the script ran" in results["leaves_without_a_word"].failure
    for script in ("raises", "exits", "dies", "leaves_without_a_word"):
        assert not results[script].ok


def test_a_forked_child_is_not_taken_for_the_script(results):
    assert shapes(results["forks"]) == [[(4,)]]
    assert results["forks"].ok


def test_sub_models_are_found_down_to_the_depth(tmp_path):
    path = tmp_path / "deep.py"
    path.write_text(
        SMALL_MODEL
        + textwrap.dedent(
            """
            class Outer(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.one = torch.nn.Sequential(SmallModel(4, 4), torch.nn.ReLU())
                    self.two = SmallModel(4, 2)
                def forward(self, x): return self.two(self.one(self.one(x)))
            model = Outer()
            model(torch.rand(4))
            """
        )
    )
    found = {
        depth: benchmark_files(str(path), analyze_only=True, max_depth=depth)[0].invocations
        for depth in (0, 1, 2)
    }
    listed = {
        depth: {(r.invocation.name, r.invocation.depth): r.invocation.executed for r in rows}
        for depth, rows in found.items()
    }
    assert listed[0] == {("model", 0): 1}
    assert listed[1] == {("model", 0): 1, ("one", 1): 2, ("two", 1): 1}
    assert listed[2] == {
        ("model", 0): 1,
        ("one", 1): 2,
        ("two", 1): 1,
        ("0", 2): 2,
        ("fc", 2): 1,
    }
    outer = found[1][0].invocation
    assert all(r.invocation.parent_hash == outer.hash for r in found[1][1:])
