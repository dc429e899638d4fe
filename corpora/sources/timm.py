"""Every architecture of timm that can be made without weights, one script each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from corpora.script import WIDTH, Script

SOURCE = (
    "https://github.com/huggingface/pytorch-image-models/blob/v{version}/timm/models/{module}.py"
)

AUTHORS = {
    "beit": "microsoft",
    "cait": "meta",
    "convit": "meta",
    "convnext": "meta",
    "crossvit": "ibm",
    "davit": "microsoft",
    "deepseek_vit": "deepseek",
    "deit": "meta",
    "efficientformer": "snap",
    "efficientformer_v2": "snap",
    "efficientvit_mit": "mit",
    "efficientvit_msra": "microsoft",
    "fastvit": "apple",
    "focalnet": "microsoft",
    "gcvit": "nvidia",
    "gemma4_vit": "google",
    "ghostnet": "huawei",
    "hardcorenas": "alibaba",
    "hgnet": "baidu",
    "hiera": "meta",
    "hieradet_sam2": "meta",
    "hrnet": "microsoft",
    "inception_next": "sail",
    "inception_resnet_v2": "google",
    "inception_v3": "google",
    "inception_v4": "google",
    "levit": "meta",
    "metaformer": "sail",
    "mobilevit": "apple",
    "mvitv2": "meta",
    "nasnet": "google",
    "nest": "google",
    "nextvit": "bytedance",
    "pit": "naver",
    "pnasnet": "google",
    "qwen3_vit": "alibaba",
    "rdnet": "naver",
    "regnet": "meta",
    "rexnet": "naver",
    "swin_transformer": "microsoft",
    "swin_transformer_v2": "microsoft",
    "tiny_vit": "microsoft",
    "tnt": "huawei",
    "tresnet": "alibaba",
    "twins": "meituan",
    "vgg": "oxford",
    "vision_transformer_sam": "meta",
    "vitamin": "bytedance",
    "volo": "sail",
    "xception": "google",
    "xcit": "meta",
}
"""The authors of the models of a module; other modules have several, or those of timm."""

LICENSE = "apache-2.0"
"""The license of timm, for models whose weights have none."""

CLASSES = (1000, 11221, 11821, 19168, 21841, 21842, 21843)
"""The number of classes in subsets of ImageNet. A head of another width gives an embedding."""

LARGE = 1_000_000_000
"""Models with at least this many parameters are created in bfloat16."""

NEED_VALUES = ("gemma4_vit", "mvitv2")
"""Families that must be tried with real values: the first reads values while it runs, the second
looks up positions, whose range the meta device does not check."""

SAMPLES = ("convnext_atto", "mobilenetv3_small_100", "resnet18", "vit_tiny_patch16_224")


def survey() -> list[dict[str, Any]]:
    """One row per architecture. They are created on the meta device if possible, to save memory."""
    import timm

    return [_row(name) for name in sorted(timm.list_models())]


def _row(name: str) -> dict[str, Any]:
    import timm

    model = _make(name)
    config = model.pretrained_cfg
    channels, height, width = config["input_size"]
    return {
        "name": name,
        "module": timm.models.model_entrypoint(name).__module__.rpartition(".")[2],
        "version": timm.__version__,
        "params": sum(parameter.numel() for parameter in model.parameters()),
        "input": next(iter(inspect.signature(model.forward).parameters)),
        "channels": channels,
        "height": height,
        "width": width,
        "size": _size(name, model, (channels, height, width)),
        "num_classes": model.num_classes,
        "weights": config.get("hf_hub_id") or config.get("url") or "",
        "license": config.get("license") or "",
    }


def _make(name: str, **options: Any) -> Any:
    import timm
    import torch

    with torch.device("cpu" if name.startswith(NEED_VALUES) else "meta"):
        return timm.create_model(name, pretrained=False, **options).eval()


def _size(name: str, model: Any, shape: tuple[int, int, int]) -> str:
    """Whether a model takes images of another size as it is ("free"), only if it is created for
    that size ("made"), or not at all ("fixed").

    Twice the height is tried, as it has the same divisors as the height.
    """
    channels, height, width = shape
    other = (channels, 2 * height, width)
    if _runs(model, other):
        return "free"
    if _runs_when_made_for(name, other):
        return "made"
    _run(model, shape)
    return "fixed"


def _run(model: Any, shape: tuple[int, int, int]) -> None:
    import torch

    with torch.inference_mode():
        model(torch.zeros(1, *shape, device=next(model.parameters()).device))


def _runs(model: Any, shape: tuple[int, int, int]) -> bool:
    try:
        _run(model, shape)
    except Exception:  # noqa: BLE001 - timm raises many types of errors
        return False
    return True


def _runs_when_made_for(name: str, shape: tuple[int, int, int]) -> bool:
    try:
        _run(_make(name, img_size=shape[1:]), shape)
    except Exception:  # noqa: BLE001 - timm raises many types of errors
        return False
    return True


def scripts(rows: list[dict[str, str]]) -> Iterator[Script]:
    """One script per row of the catalogue."""
    for row in rows:
        parameters = ["batch_size"]
        if row["size"] != "fixed":
            parameters += ["height", "width"]
        if row["weights"]:
            parameters += ["pretrained"]
        defaults = {side: int(row[side]) for side in ("height", "width") if side in parameters}
        yield Script(
            corpus="timm",
            name=row["name"],
            author=AUTHORS.get(row["module"], "timm"),
            task=_task(int(row["num_classes"])),
            license=_license(row["license"]),
            source=_source(row),
            imports=("import timm",),
            parameters=tuple(parameters),
            defaults={side: value for side, value in defaults.items() if value != 224},
            body=_body(row),
            params=int(row["params"]),
            sample=row["name"] in SAMPLES,
        )


def _task(num_classes: int) -> str:
    return "image_classification" if num_classes in CLASSES else "image_feature_extraction"


def _license(stated: str) -> str:
    return {"": LICENSE, "unknown": "other"}.get(stated, stated)


def _source(row: Mapping[str, str]) -> str:
    what = "{name} of timm, for images of {height} x {width}."
    return f"{what}\n\n{SOURCE}".format(**row)


def _body(row: Mapping[str, str]) -> str:
    height, width = (row["height"], row["width"]) if row["size"] == "fixed" else ("height", "width")
    shape = f"batch_size, {row['channels']}, {height}, {width}"
    dtype = ", dtype=torch.bfloat16" if int(row["params"]) > LARGE else ""
    return f"""\
# The model and its inputs
{_create(row)}
model.eval()
inputs = {{"{row["input"]}": torch.rand({shape}{dtype})}}

# Call the model
model(**inputs)
"""


def _create(row: Mapping[str, str]) -> str:
    arguments = [f'"{row["name"]}"']
    if row["weights"]:
        arguments += ["pretrained=pretrained"]
    if row["size"] == "made":
        arguments += ["img_size=(height, width)"]
    if int(row["params"]) > LARGE:
        arguments += ["dtype=torch.bfloat16"]
    return _call("model = timm.create_model", arguments)


def _call(function: str, arguments: list[str]) -> str:
    """A formatted call: on one line, on three, or with one line per argument."""
    inside = ", ".join(arguments)
    if len(f"{function}({inside})") <= WIDTH:
        return f"{function}({inside})"
    if len(f"    {inside}") <= WIDTH:
        return f"{function}(\n    {inside}\n)"
    return f"{function}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
