"""The image classifiers that torch.hub offers as ``pytorch/vision``.

They are created from the installed torchvision, which torch.hub would download.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from corpora.script import Script
from corpora.sources import torchvision as library

AUTHORS = {
    "alexnet": "toronto",
    "convnext": "meta",
    "densenet": "cornell",
    "efficientnet": "google",
    "googlenet": "google",
    "inception": "google",
    "maxvit": "google",
    "mnasnet": "google",
    "mobilenet": "google",
    "regnet": "meta",
    "resnet": "microsoft",
    "resnext": "meta",
    "shufflenet": "megvii",
    "squeezenet": "berkeley",
    "swin": "microsoft",
    "vgg": "oxford",
    "vit": "google",
}
"""The authors of the models of a family, by the prefix of their names."""

LICENSES = {
    "": library.LICENSE,
    "https://github.com/facebookresearch/SWAG/blob/main/LICENSE": "cc-by-nc-4.0",
}
"""The licenses by the page that the published weights refer to."""

SAMPLES = ("mobilenet_v2", "resnet18", "squeezenet1_1")


def survey() -> list[dict[str, Any]]:
    """One row per model. Models are created in memory, as RegNet cannot use the meta device."""
    from torchvision import models

    return [_row(name) for name in sorted(models.list_models(module=models))]


def _row(name: str) -> dict[str, Any]:
    from torchvision import models

    published = models.get_model_weights(name).DEFAULT
    side = published.transforms().crop_size[0]
    # Vision transformers are created for one size, that of their weights.
    made_for = {"image_size": side} if name.startswith("vit_") else {}
    model = models.get_model(name, weights=None, **made_for).to("meta").eval()
    return {
        **library.about(name, model),
        "license": published.meta.get("license", ""),
        "input": next(iter(inspect.signature(model.forward).parameters)),
        "height": side,
        "width": side,
        "size": library.size(model, (3, side, side)),
        "image_size": made_for.get("image_size", ""),
    }


def scripts(rows: list[dict[str, str]]) -> Iterator[Script]:
    """One script per row of the catalogue."""
    for row in rows:
        family = re.sub("[^a-z].*", "", row["name"])
        yield Script(
            corpus="torch_hub",
            name=row["name"],
            author=AUTHORS.get(family, "torchvision"),
            task="image_classification",
            license=LICENSES[row["license"]],
            source=library.source(row, "images of"),
            imports=("import torchvision",),
            parameters=library.parameters(row),
            defaults=library.defaults(row),
            body=_body(row),
            params=int(row["params"]),
            sample=row["name"] in SAMPLES,
        )


def _body(row: Mapping[str, str]) -> str:
    image_size = f"\n    image_size={row['image_size']}," if row["image_size"] else ""
    return f"""\
# The model and its inputs
model = torchvision.models.get_model(
    "{row["name"]}",
    weights="DEFAULT" if pretrained else None,{image_size}
)
model.eval()
inputs = {{"{row["input"]}": torch.rand(batch_size, 3, {library.sides(row)})}}

# Call the model
model(**inputs)
"""
