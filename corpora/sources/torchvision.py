"""torchvision's models that detect, segment, recognise actions and follow motion.

Its image classifiers are in ``torch_hub``. The quantized ones are left out: the operators of int8
models are a subject of their own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from corpora.script import Script

SOURCE = "https://github.com/pytorch/vision/blob/v{version}/{file}"

LICENSE = "bsd-3-clause"

MODULES = ("detection", "segmentation", "video", "optical_flow")

AUTHORS = {
    "deeplabv3": "google",
    "fasterrcnn": "microsoft",
    "fcn": "berkeley",
    "keypointrcnn": "meta",
    "lraspp": "google",
    "maskrcnn": "meta",
    "mc3": "meta",
    "mvit": "meta",
    "r2plus1d": "meta",
    "r3d": "meta",
    "raft": "princeton",
    "retinanet": "meta",
    "s3d": "google",
    "ssdlite320": "google",
    "swin3d": "microsoft",
}
"""The authors of the models of a family, by the first word of their names."""

TASKS = {
    "detection": "object_detection",
    "keypointrcnn": "keypoint_detection",
    "maskrcnn": "instance_segmentation",
    "segmentation": "semantic_segmentation",
    "video": "video_classification",
    "optical_flow": "optical_flow",
}
"""The tasks by the family of the model, or by its module."""

FRAME = (440, 1024)
"""The frames of Sintel, on which optical flow is measured, padded to a multiple of eight."""

SAMPLES = ("lraspp_mobilenet_v3_large", "mc3_18")


def survey() -> list[dict[str, Any]]:
    """One row per model. Models are created on the meta device, to save memory."""
    from torchvision import models

    return [
        _row(module, name)
        for module in MODULES
        for name in sorted(models.list_models(module=getattr(models, module)))
    ]


def _row(module: str, name: str) -> dict[str, Any]:
    import torch
    from torchvision import models

    backbone = "weights_backbone" in inspect.signature(models.get_model_builder(name)).parameters
    with torch.device("meta"):
        model = models.get_model(name, weights=None, **_no_weights(backbone)).eval()
    published = models.get_model_weights(name).DEFAULT
    row = {
        **about(name, model),
        "module": module,
        "backbone": "yes" if backbone else "",
        "input": next(iter(inspect.signature(model.forward).parameters)),
    }
    if module == "detection":
        # What the model itself rescales images to
        row["height"] = row["width"] = model.transform.min_size[-1]
        row["size"] = "free"
    elif module == "optical_flow":
        row["height"], row["width"] = FRAME
        row["size"] = "free"
    elif module == "segmentation":
        row["height"] = row["width"] = published.transforms().resize_size[0]
        row["size"] = size(model, (3, row["height"], row["width"]))
    else:
        row["height"], row["width"] = published.transforms().crop_size
        row["frames"] = int(re.findall(r"clip_len=(\d+)", published.meta["_docs"])[0])
        row["size"] = size(model, (3, row["frames"], row["height"], row["width"]))
    return row


def _no_weights(backbone: bool) -> dict[str, Any]:
    return {"weights_backbone": None} if backbone else {}


def about(name: str, model: Any) -> dict[str, Any]:
    """The columns of a catalogue that every model of torchvision has."""
    import torchvision
    from torchvision import models

    published = models.get_model_weights(name).DEFAULT
    return {
        "name": name,
        "title": type(published).__name__.removesuffix("_Weights").replace("_", "-"),
        "file": models.get_model_builder(name).__module__.replace(".", "/") + ".py",
        "version": torchvision.__version__.partition("+")[0],
        "params": sum(parameter.numel() for parameter in model.parameters()),
        "weights": f"{type(published).__name__}.{published.name}",
    }


def size(model: Any, shape: tuple[int, ...]) -> str:
    """Whether a model on the meta device takes inputs of another size ("free") or not ("fixed")."""
    import torch

    *rest, height, width = shape
    with torch.inference_mode():
        model(torch.empty(2, *shape, device="meta"))
        try:
            model(torch.empty(2, *rest, 2 * height, width, device="meta"))
        except Exception:  # noqa: BLE001 - models raise many types of errors
            return "fixed"
    return "free"


def scripts(rows: list[dict[str, str]]) -> Iterator[Script]:
    """One script per row of the catalogue."""
    for row in rows:
        family = row["name"].partition("_")[0]
        yield Script(
            corpus="torchvision",
            name=row["name"],
            author=AUTHORS.get(family, "torchvision"),
            task=TASKS.get(family) or TASKS[row["module"]],
            license=LICENSE,
            source=source(row, "clips of {frames} frames of" if row["frames"] else "images of"),
            imports=("import torchvision",),
            parameters=parameters(row),
            defaults=defaults(row),
            body=_body(row),
            params=int(row["params"]),
            sample=row["name"] in SAMPLES,
        )


def parameters(row: Mapping[str, str]) -> tuple[str, ...]:
    """The command line parameters of a model."""
    sides = () if row["size"] == "fixed" else ("height", "width")
    return ("batch_size", *sides, "pretrained")


def defaults(row: Mapping[str, str]) -> dict[str, int]:
    """The published image size of the model, unless it is the default."""
    sides = [side for side in ("height", "width") if side in parameters(row)]
    return {side: int(row[side]) for side in sides if row[side] != "224"}


def sides(row: Mapping[str, str]) -> str:
    """The height and the width in a script: as numbers if they cannot be chosen."""
    return "{height}, {width}".format(**row) if row["size"] == "fixed" else "height, width"


def source(row: Mapping[str, str], kind: str) -> str:
    """The docstring of a script."""
    return f"{{title}} of torchvision, for {kind} {{height}} x {{width}}.\n\n{SOURCE}".format(**row)


def _body(row: Mapping[str, str]) -> str:
    backbone = "\n    weights_backbone=None," if row["backbone"] else ""
    inputs, call = _INPUTS[row["module"]]
    made = inputs.format(input=row["input"], frames=row["frames"], sides=sides(row))
    return f"""\
# The model and its inputs
model = torchvision.models.get_model(
    "{row["name"]}",
    weights="DEFAULT" if pretrained else None,{backbone}
)
model.eval()
{made}

# Call the model
{call}
"""


_INPUTS = {
    "detection": (
        "images = list(torch.rand(batch_size, 3, {sides}))",
        "model(images)",
    ),
    "segmentation": (
        'inputs = {{"{input}": torch.rand(batch_size, 3, {sides})}}',
        "model(**inputs)",
    ),
    "video": (
        'inputs = {{"{input}": torch.rand(batch_size, 3, {frames}, {sides})}}',
        "model(**inputs)",
    ),
    "optical_flow": (
        """\
inputs = {{
    "image1": 2 * torch.rand(batch_size, 3, {sides}) - 1,
    "image2": 2 * torch.rand(batch_size, 3, {sides}) - 1,
}}""",
        "model(**inputs)",
    ),
}
"""How the models of a module are called: the inputs, and the call."""
