"""A model is found by whichever method the script enters it, as one model and not as its parts.

All the scripts are analysed in one run of the program; some of them are built in a second one.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from turnkeyml import benchmark_files
from turnkeyml.nouns import InputResult

from .conftest import SMALL_MODEL

TOWERS = """
    class Towers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.visual = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 4))
            self.tokens = torch.nn.Embedding(9, 4)
            self.norm = torch.nn.LayerNorm(4)
        def encode_image(self, image): return self.visual(image)
        @torch.no_grad()
        def encode_text(self, text):
            text = text.long()
            x = self.tokens(text)
            x = self.norm(x)
            return x[:, 0]
        def forward(self, image, text): return self.encode_image(image) @ self.encode_text(text).T
    towers = Towers()
"""

SCRIPTS = {
    "two_towers": TOWERS
    + """
    towers.encode_image(torch.rand(2, 3, 4)); towers.encode_text(torch.ones(2, 5))
    towers(torch.rand(2, 3, 4), torch.ones(2, 5))
    """,
    "predict_step": """
    class Lit(SmallModel):
        def compute_loss(self, x): return self(x).sum()
        def predict_step(self, batch, batch_idx): return self(batch[0]).argmax(-1)
        def training_step(self, batch, batch_idx): return (self(batch[0]) - batch[1]).sum()
    class Trainer:
        def predict(self, model, batches):
            return [model.predict_step(batch, i) for i, batch in enumerate(batches)]
    lit = Lit()
    Trainer().predict(lit, [(torch.rand(2, 4), torch.rand(2, 3))] * 3)
    lit.compute_loss(torch.rand(7, 4))
    lit.training_step((torch.rand(7, 4), torch.rand(7, 3)), 0)
    """,
    "arrays": """
    import numpy
    class Policy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.features = SmallModel(4, 8); self.head = SmallModel(8, 2)
        def predict(self, observation):
            x = torch.from_numpy(observation)
            return self.head(self.features(x).relu()).detach().numpy()
    policy = Policy()
    policy.predict(numpy.ones((2, 4), "float32"))
    """,
    "texts": """
    class Sentences(torch.nn.Module):
        def __init__(self):
            super().__init__(); self.tokens = torch.nn.Embedding(256, 4); self.out = SmallModel()
        def forward(self, features): return self.out(self.tokens(features["ids"]).mean(1))
        def encode(self, sentences):
            return self.forward({"ids": torch.tensor([list(s.encode()) for s in sentences])})
    sentences = Sentences()
    sentences.encode(["hello", "world"])
    """,
    "loops": """
    class Writer(SmallModel):
        def complete(self, x, n):
            for _ in range(n): x = torch.cat([x, self(x[-1:])[:, :1].expand(1, 4)])
            return x
    class Diffusion(torch.nn.Module):
        def __init__(self):
            super().__init__(); self.net = SmallModel(4, 4)
        def sample(self, x):
            for _ in range(9): x = x - self.net(x)
            return x
    writer, diffusion = Writer(), Diffusion()
    writer.complete(torch.rand(1, 4), 2)
    diffusion.sample(torch.rand(5, 4)); diffusion.sample(torch.rand(5, 4))
    """,
    "own_call": """
    class Scaled(SmallModel):
        def __call__(self, x, scale): return super().__call__(x * scale) + 1
    class Raw(torch.nn.Module):
        def __init__(self):
            super().__init__(); self.weight = torch.nn.Parameter(torch.rand(4, 2))
        def __call__(self, x): return x @ self.weight
    scaled, raw = Scaled(), Raw()
    scaled(torch.rand(2, 4), 2.0); raw(torch.rand(2, 4))
    """,
    "probes": """
    class Detector(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = SmallModel(4, 4)
            self.stride = self.measure(torch.zeros(1, 4)).shape[-1]
            self.head = SmallModel(self.backbone(torch.zeros(2, 4)).shape[-1], 2)
        def measure(self, x): return self.backbone(x)
        def forward(self, x): return self.head(self.backbone(x))
    detector = Detector()
    detector(torch.rand(3, 4))
    """,
    "probes_of_a_library": """
    import sys
    sys.path.append(__file__.replace("probes_of_a_library.py", "site-packages"))
    from site_packages import make
    whole = make(SmallModel, torch)
    whole(torch.rand(3, 4))
    """,
    "nothing_but_probes": """
    class Detector(torch.nn.Module):
        def __init__(self):
            super().__init__(); self.backbone = SmallModel(); self.backbone(torch.zeros(1, 4))
    Detector()
    """,
    "reassigned": """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__(); self.a = SmallModel(4, 4); self.b = SmallModel(4, 2)
        def encode(self, x, *, scale=255):
            x = x.float() / scale
            x = self.a(x)
            return self.b(x)
    class Known(Net): pass
    net, known = Net(), Known()
    pixels = torch.ones(2, 4, dtype=torch.uint8)
    known.encode(pixels, scale=128)
    net.encode(torch.ones(2, 4, dtype=torch.uint8))
    """,
    "defaults": """
    class Switch(SmallModel):
        def forward(self, x, flag=False, mode="a"): return self.fc(x)
    switch = Switch()
    x = torch.rand(2, 4)
    switch(x); switch(x, flag=True); switch(x, False); switch(x, mode="a", flag=False)
    """,
    "partial_methods": """
    import functools, types
    class Partial(SmallModel):
        def act(self, x, kind): return self.fc(x)
        forward = functools.partialmethod(act, kind="hard")
    partial = Partial()
    words = functools.partial(lambda word, self: word, "int8")
    partial.fc.extra_repr = types.MethodType(words, partial.fc)
    partial(torch.rand(2, 4))
    """,
    "compiled_and_not": """
    def make(): return torch.nn.Sequential(SmallModel(4, 4), torch.nn.ReLU())
    model, in_place, by_forward = make(), make(), SmallModel()
    x = torch.rand(2, 4)
    fast = torch.compile(model, backend="eager")
    in_place.compile(backend="eager")
    model(x); fast(x); in_place(x)
    other = SmallModel(); other(x)
    by_forward.forward = torch.compile(by_forward.forward, backend="eager"); by_forward(x)
    """,
    "meta_device": """
    with torch.device("meta"): big = SmallModel(4000, 4000)
    big(torch.rand(2, 4000, device="meta"))
    """,
    "other_processes": """
    import multiprocessing
    worker = multiprocessing.get_context("fork").Process(target=SmallModel(), args=[torch.rand(4)])
    worker.start(); worker.join()
    """,
    "no_inputs": """
    class Prior(SmallModel):
        def __init__(self):
            super().__init__(); self.z = torch.nn.Parameter(torch.rand(2, 4))
        def forward(self): return self.fc(self.z)
    prior = Prior()
    prior()
    """,
    "wants_arguments": """
    import argparse
    parser = argparse.ArgumentParser(); parser.add_argument("--size", required=True)
    parser.parse_args()
    """,
    "a_compiled_function": """
    model = SmallModel()
    torch.compile(lambda x: model(x), backend="eager")(torch.rand(4))
    """,
}


def write(folder: Path) -> None:
    for name, body in SCRIPTS.items():
        (folder / f"{name}.py").write_text(SMALL_MODEL + textwrap.dedent(body))
    library = folder / "site-packages" / "site_packages.py"
    library.parent.mkdir()
    library.write_text(
        "def make(kind, torch):\n"
        "    part = kind(4, 4)\n"
        "    size = part(torch.zeros(1, 4)).shape[-1]\n"
        "    return torch.nn.Sequential(part, kind(size, 2))\n"
    )
    package = folder / "package" / "inner"
    package.mkdir(parents=True)
    (folder / "package" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "nets.py").write_text(SMALL_MODEL)
    (package / "run.py").write_text(
        "import sys, torch\nfrom .nets import SmallModel\n"
        "assert __name__ == '__main__' and __spec__.name == 'package.inner.run'\n"
        "assert sys.argv[0] == __file__ and __package__ == 'package.inner'\n"
        "net = SmallModel()\nnet(torch.rand(4))\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ways")
    write(path)
    return path


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, InputResult]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = benchmark_files(
            [*(f"{name}.py" for name in SCRIPTS), "package/inner/run.py", "-m package.inner.run"],
            analyze_only=True,
            cache_dir=str(folder / "cache"),
        )
    return {r.input.name.removesuffix(".py"): r for r in found}


def listed(result: InputResult) -> dict[str, int]:
    assert result.script.error is None, result.script.traceback
    return {row.invocation.name: row.invocation.executed for row in result.invocations}


@pytest.mark.parametrize(
    ("script", "expected"),
    {
        "two_towers": {"towers.encode_image": 1, "towers.encode_text": 1, "towers": 1},
        "predict_step": {"lit.predict_step": 3, "lit": 2},
        "arrays": {"policy.predict": 1},
        "texts": {"sentences": 1},
        "loops": {"writer": 2, "net": 18},
        "own_call": {"scaled": 1, "raw": 1},
        "probes": {"detector": 1},
        "probes_of_a_library": {"whole": 1},
        "reassigned": {"known.encode": 1, "net.encode": 1},
        "partial_methods": {"partial": 1},
        "compiled_and_not": {"model": 3, "other": 2},
        "-m package.inner.run": {"net": 1},
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_whole_model_is_listed_by_its_way_in(results, script, expected):
    assert listed(results[script]) == expected


def test_each_way_in_has_a_hash_and_a_line_of_its_own(results):
    image, text, both = (row.invocation for row in results["two_towers"].invocations)
    assert len({image.hash, text.hash, both.hash}) == 3
    assert image.model_hash == text.model_hash == both.model_hash
    assert (image.method, text.method, both.method) == ("encode_image", "encode_text", "")
    assert image.file.endswith("two_towers.py")


def test_arguments_are_those_that_the_script_passed(results):
    known, net = (row.invocation for row in results["reassigned"].invocations)
    assert set(known.dtypes.values()) == {"uint8"}
    assert known.arguments == {"scale": "128"}
    assert not known.remarks
    assert "reassigns x" in net.remarks[0]  # nobody holds the first value any more


def test_a_default_and_its_value_are_one_and_a_difference_is_shown(results):
    from turnkeyml.display import listing

    plain, flagged = (row.invocation for row in results["defaults"].invocations)
    assert (plain.executed, flagged.executed) == (3, 1)
    assert (plain.arguments, flagged.arguments) == ({}, {"flag": "True"})
    text = listing(results["defaults"], show_status=False)
    assert "Arguments:      flag=True" in text
    assert "Arguments:      flag=default" in text


def test_what_is_not_seen_is_named(results):
    for script, words in {
        "nothing_but_probes": "The constructor of a module calls its parts",
        "other_processes": "The script starts other processes",
        "a_compiled_function": "torch.compile",
    }.items():
        assert not results[script].invocations, script
        assert any(words in remark for remark in results[script].script.remarks), script
    (big,) = results["meta_device"].invocations
    assert "meta device" in big.invocation.obstacle


def test_a_script_that_was_started_in_the_wrong_way_says_how_to_start_it(results):
    assert "--script-args" in results["wants_arguments"].script.complaint
    relative = results["run"].script.error
    assert relative.endswith("Run it as a module of its package: turnkey -m package.inner.run")


def test_a_model_is_built_and_measured_through_its_way_in(folder):
    found = benchmark_files(
        [str(folder / f"{name}.py") for name in ("two_towers", "arrays", "own_call", "reassigned")],
        build_only=True,
        cache_dir=str(folder / "built"),
    )
    rows = {row.invocation.name: row for result in found for row in result.invocations}
    assert {name: row.failure for name, row in rows.items() if row.failure} == {}
    verdicts = {name: str(row.verification.verdict) for name, row in rows.items()}
    assert verdicts == dict.fromkeys(rows, "match")


@pytest.mark.slow
def test_a_model_without_tensor_inputs_is_measured_live_alone(folder):
    script = str(folder / "no_inputs.py")
    settings = {"cache_dir": str(folder / "live"), "iterations": 5}
    (refused,) = benchmark_files(script, **settings)
    assert "--runtime torch-eager measures it" in refused.invocations[0].skipped
    assert not refused.ok
    (measured,) = benchmark_files(script, runtime=["ort", "torch-eager"], **settings)
    (row,) = measured.invocations
    assert measured.ok, row.failure
    assert [evaluation.runtime for evaluation in row.evaluations] == ["torch-eager"]
    assert any(remark.startswith("Not measured with ort") for remark in row.remarks)
