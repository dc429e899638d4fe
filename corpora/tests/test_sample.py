"""A fixed sample of every corpus, from end to end, in the environment of ``make models``."""

from __future__ import annotations

import pytest

from corpora.__main__ import CORPORA, MODELS
from turnkeyml import benchmark_files
from turnkeyml.discover import shipped_models


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What became of every script that is labelled as part of the sample."""
    cache = tmp_path_factory.mktemp("cache")
    found = benchmark_files(
        [str(MODELS / "*" / "*.py")],
        labels=["test_group::sample"],
        cache_dir=str(cache),
        lean_cache=True,
        iterations=3,
        jobs=2,
        timeout=600,
    )
    return {result.input.path.removeprefix(f"{MODELS}/"): result for result in found}


@pytest.mark.timeout(1200)
def test_every_corpus_has_a_sample(results):
    assert {path.partition("/")[0] for path in results} == {*CORPORA, "selftest"}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "name", [name for name, _ in shipped_models(wanted={"test_group": ("sample",)})]
)
def test_it_is_found_built_verified_and_measured(results, name):
    result = results[f"{name}.py"]
    assert result.ok, (result.failure, result.script.error, [i.failure for i in result.invocations])
    assert len(result.invocations) == 1
    invocation = result.invocations[0]
    assert invocation.verification.verdict == "match"
    assert [e.performance.median_latency > 0 for e in invocation.evaluations] == [True]


def test_the_sizes_in_the_labels_are_right(results):
    labels = dict(shipped_models())
    wrong = {}
    for path, result in results.items():
        counted = str(result.invocations[0].invocation.parameters)
        (labelled,) = labels[path.removesuffix(".py")]["params"]
        if counted != labelled:
            wrong[path] = (counted, labelled)
    assert wrong == {}
