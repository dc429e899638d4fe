"""The catalogues still say what the installed libraries have. Surveys that take minutes are looked
at by the names alone."""

from __future__ import annotations

import pytest

from corpora import catalogue
from corpora.__main__ import CORPORA, source


def names(corpus: str) -> list[str]:
    return sorted(row["name"] for name in CORPORA[corpus] for row in catalogue.read(name))


def test_timm_has_these_architectures():
    import timm

    assert names("timm") == sorted(timm.list_models())


def test_torchvision_has_these_models():
    import torchvision

    every = torchvision.models.list_models()
    quantized = torchvision.models.list_models(module=torchvision.models.quantization)
    found = [*names("torchvision"), *names("torch_hub")]
    assert sorted(found) == sorted(set(every) - set(quantized))


def test_transformers_has_these_architectures():
    from corpora.sources.transformers_common import model_types

    assert names("transformers") == model_types()


@pytest.mark.parametrize("name", ["graph_convolutions"])
def test_a_survey_finds_what_the_catalogue_says(name):
    found = [{k: str(v) for k, v in row.items()} for row in source(name).survey()]
    kept = [{k: v for k, v in row.items() if v or k in found[0]} for row in catalogue.read(name)]
    assert found == kept


@pytest.mark.parametrize("corpus", CORPORA)
def test_what_is_left_out_has_a_reason(corpus):
    for name in CORPORA[corpus]:
        made = len(list(source(name).scripts(catalogue.read(name))))
        assert made > 0
        reasons = [row.get("left_out", "") for row in catalogue.read(name)]
        assert not any("TODO" in reason for reason in reasons)
