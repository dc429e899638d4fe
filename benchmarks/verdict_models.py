"""Small models of every kind of output, for benchmarks/verdicts.py to build and to sabotage.

They come from four places: modules written here, one for each kind of output that a verdict could
be wrong about; modules that decide by value (verdict_decisions.py); architectures of transformers
made small; scripts of every folder of models/, as far as what they import is installed.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from verdict_decisions import DECISIONS
from verdict_jumps import JUMPS

MODELS = Path(__file__).parent.parent / "models"


@dataclass(frozen=True)
class Subject:
    """A model that can be built, and what is known of its outputs."""

    name: str
    make: Callable[[], tuple[nn.Module | Path, Any]]
    """The model, or the path of an ONNX file, with its inputs."""
    masks: tuple[float, ...] = ()
    """The values that its masks write."""
    axis: int | None = None
    """The axis of channels of different magnitudes."""
    decides: bool = False
    """Whether it decides by the values of its inputs, so that they are to be drawn by ``make``."""
    precisions: tuple[str, ...] = ("fp32", "fp16")
    """What it is built in."""


class Made(nn.Module):
    """Layers, and a function of them and the inputs."""

    def __init__(self, forward: Callable[..., Any], **layers: nn.Module) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.function = forward

    def forward(self, *args: Any) -> Any:
        return self.function(self, *args)


def mlp(*sizes: int, activation: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), activation()]
    return nn.Sequential(*layers[:-1])


def block(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, 1), trained(nn.BatchNorm2d(after)), nn.ReLU()
    )


def trained(norm: Any) -> Any:
    """With statistics that are not those of an untrained layer."""
    norm.running_mean.normal_(0, 0.3)
    norm.running_var.uniform_(0.5, 2)
    nn.init.uniform_(norm.weight, 0.5, 1.5)
    nn.init.normal_(norm.bias, 0, 0.3)
    return norm


def cnn(classes: int = 10) -> nn.Sequential:
    pool = (nn.AdaptiveAvgPool2d(1), nn.Flatten())
    return nn.Sequential(block(3, 16), block(16, 32, 2), *pool, nn.Linear(32, classes))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.middle = block(3, 8), block(8, 16, 2), block(16, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, 2)
        self.last = nn.Conv2d(16, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.down1(x)
        b = self.up(self.middle(self.down2(a)))
        return self.last(torch.cat([a, b], 1))


class Graph(nn.Module):
    """Two rounds of messages along edges."""

    def __init__(self, reduce: str = "sum") -> None:
        super().__init__()
        self.first, self.second, self.reduce = nn.Linear(12, 16), nn.Linear(16, 5), reduce

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        for layer in (self.first, self.second):
            x = layer(x)
            index = edges[1][:, None].expand(-1, x.shape[1])
            sums = torch.zeros_like(x).scatter_reduce(0, index, x[edges[0]], self.reduce)
            x = torch.relu(x + sums) if layer is self.first else x + sums
        return x


class Attention(nn.Module):
    """A causal transformer whose logits are masked."""

    def __init__(self, mask: float | None, causal: float = -1e9) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.mlp, self.head = mlp(32, 64, 32, activation=nn.GELU), nn.Linear(32, 50)
        self.mask, self.causal = mask, causal

    def forward(self, ids: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
        scores = q @ k.transpose(1, 2) / 32**0.5
        later = torch.triu(torch.ones(ids.shape[1], ids.shape[1]), 1).bool()
        x = x + self.out(torch.softmax(scores.masked_fill(later, self.causal), -1) @ v)
        logits = self.head(x + self.mlp(self.norm2(x)))
        return logits if self.mask is None else logits.masked_fill(~allowed, self.mask)


class Detector(nn.Module):
    """A convolutional head with boxes around anchors, scores and labels."""

    def __init__(self, keep: int = 0) -> None:
        super().__init__()
        self.body = nn.Sequential(block(3, 16, 2), block(16, 32, 2))
        self.boxes, self.scores, self.keep = nn.Conv2d(32, 4, 1), nn.Conv2d(32, 6, 1), keep

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = self.body(x)
        steps = torch.arange(x.shape[-1], dtype=x.dtype) * 4
        centers = torch.stack(torch.meshgrid(steps, steps, indexing="ij")).repeat(2, 1, 1)
        boxes = (centers + self.boxes(x)).flatten(2).transpose(1, 2)
        scores = self.scores(x).flatten(2).transpose(1, 2).sigmoid()
        best, labels = scores.max(-1)
        if not self.keep:
            return boxes, scores, labels
        best, index = best.topk(self.keep)
        return best, index, boxes.gather(1, index[..., None].expand(-1, -1, 4))


def recurrent(kind: type[nn.Module]) -> Made:
    def forward(self: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y, last = self.rnn(x)
        return self.head(y), last[0] if isinstance(last, tuple) else last

    return Made(forward, rnn=kind(8, 24, 2, batch_first=True), head=nn.Linear(24, 6))


def of_layers(forward: Callable[..., Any], x: Any, **layers: Callable[[], nn.Module]) -> Callable:
    """What makes a model of layers, with its inputs."""

    def make() -> tuple[nn.Module, Any]:
        made = Made(forward, **{name: layer() for name, layer in layers.items()})
        return made, x() if callable(x) else x

    return make


def vectors(*shape: int) -> Callable[[], tuple[torch.Tensor]]:
    return lambda: (torch.randn(*shape),)


def images(batch: int = 2, size: int = 24) -> tuple[torch.Tensor]:
    return (torch.randn(batch, 3, size, size),)


def tokens(batch: int = 2, length: int = 12, vocabulary: int = 50) -> tuple[torch.Tensor, ...]:
    allowed = torch.rand(batch, length, vocabulary) > 0.4
    return torch.randint(0, vocabulary, (batch, length)), allowed


def text(mask: float | None, causal: float = -1e9) -> Callable[[], tuple[nn.Module, Any]]:
    return lambda: (Attention(mask, causal), tokens())


def legal_moves() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(8, 16), torch.rand(8, 20) > 0.5


def policy(mask: float) -> Callable[[], tuple[nn.Module, Any]]:
    def forward(self: Any, x: torch.Tensor, legal: torch.Tensor) -> Any:
        h = torch.tanh(self.body(x))
        return torch.where(legal, self.actions(h), mask), self.value(h)

    layers = {
        "body": lambda: mlp(16, 32, 32, activation=nn.Tanh),
        "actions": lambda: nn.Linear(32, 20),
        "value": lambda: nn.Linear(32, 1),
    }
    return of_layers(forward, legal_moves, **layers)


def additive(mask: float) -> Callable[[], tuple[nn.Module, Any]]:
    def forward(self: Any, x: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        return self.body(x) + (1.0 - legal.to(x.dtype)) * mask

    return of_layers(forward, legal_moves, body=lambda: mlp(16, 32, 20))


def graph_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(30, 12), torch.randint(0, 30, (2, 120))


BODY: dict[str, Callable[[], nn.Module]] = {"body": lambda: mlp(16, 48, 48, 24)}
WIDE = vectors(6, 16)
LOWEST = torch.finfo(torch.float32).min


def magnitudes(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.body(x) * torch.logspace(4, -3, 24)


def of_here() -> list[Subject]:
    """One model for each kind of output."""
    inf = float("inf")
    return [
        Subject("mlp", of_layers(lambda s, x: s.body(x), WIDE, **BODY)),
        Subject("mlp, one number", of_layers(lambda s, x: s.body(x).mean(), WIDE, **BODY)),
        Subject("mlp, two logits", lambda: (mlp(16, 48, 2), (torch.randn(1, 16),))),
        Subject("deep mlp", lambda: (mlp(*[32] * 12, activation=nn.GELU), (torch.randn(4, 32),))),
        Subject("cnn", lambda: (cnn(), images())),
        Subject("cnn, 2 classes", lambda: (cnn(2), images(1))),
        Subject("cnn, features", lambda: (cnn()[:2], images())),
        Subject("depthwise cnn", depthwise),
        Subject("group norm cnn", group_norm),
        Subject("instance norm cnn", instance_norm),
        Subject("conv1d", conv1d),
        Subject("padded pooling", padded_pooling),
        Subject("reflected padding", reflected_padding),
        Subject("u-net", lambda: (UNet(), images())),
        Subject("u-net, labels", of_layers(lambda s, x: s.body(x).argmax(1), images, body=UNet)),
        Subject("u-net, labels and scores", of_layers(labelled, images, body=UNet)),
        Subject("u-net, boolean mask", of_layers(lambda s, x: s.body(x) > 0.1, images, body=UNet)),
        Subject("u-net, mask and scores", of_layers(masked, images, body=UNet)),
        Subject("lstm", lambda: (recurrent(nn.LSTM), (torch.randn(2, 10, 8),))),
        Subject("gru", lambda: (recurrent(nn.GRU), (torch.randn(2, 10, 8),))),
        Subject("rnn", lambda: (recurrent(nn.RNN), (torch.randn(2, 10, 8),))),
        Subject("graph, sum", lambda: (Graph("sum"), graph_inputs())),
        Subject("graph, max", lambda: (Graph("amax"), graph_inputs())),
        Subject("detector", lambda: (Detector(), images(1, 64))),
        Subject("detector, kept boxes", lambda: (Detector(20), images(1, 64))),
        Subject("logits", text(None)),
        Subject("logits, -inf", text(-inf, -inf), (-inf,)),
        Subject("logits, -1e9", text(-1e9), (-1e9,)),
        Subject("logits, -1e4", text(-1e4, -1e4), (-1e4,)),
        Subject("logits, lowest", text(LOWEST, LOWEST), (LOWEST,)),
        Subject("policy, -inf", policy(-inf), (-inf,)),
        Subject("policy, -1e8", policy(-1e8), (-1e8,)),
        Subject("policy, -1e3", policy(-1e3), (-1e3,)),
        Subject("added mask, -1e9", additive(-1e9), (-1e9,)),
        Subject("added mask, -1e4", additive(-1e4), (-1e4,)),
        Subject("nan where empty", of_layers(empty_means, legal_moves, **BODY)),
        Subject("tokens", of_layers(lambda s, x: s.body(x).argmax(-1), WIDE, **BODY)),
        Subject("tokens and logits", of_layers(picked, WIDE, **BODY)),
        Subject("best five", of_layers(lambda s, x: tuple(s.body(x).topk(5)), WIDE, **BODY)),
        Subject("dict", of_layers(named, WIDE, **BODY)),
        Subject("nested tuple", of_layers(nested, WIDE, **BODY)),
        Subject("0.5 ± 0.01", of_layers(lambda s, x: 0.5 + 0.01 * s.body(x).tanh(), WIDE, **BODY)),
        Subject("1000 ± 1", of_layers(lambda s, x: 1000 + s.body(x), WIDE, **BODY)),
        Subject("softmax", of_layers(lambda s, x: s.body(x).softmax(-1), WIDE, **BODY)),
        Subject(
            "peaked softmax", of_layers(lambda s, x: (40 * s.body(x)).softmax(-1), WIDE, **BODY)
        ),
        Subject("log softmax", of_layers(lambda s, x: s.body(x).log_softmax(-1), WIDE, **BODY)),
        Subject("sigmoid", of_layers(lambda s, x: s.body(x).sigmoid(), WIDE, **BODY)),
        Subject("dead channels", of_layers(dead, WIDE, **BODY)),
        Subject("relu, sparse", of_layers(lambda s, x: (s.body(x) - 0.2).relu(), WIDE, **BODY)),
        Subject("channels 1e4 to 1e-3", of_layers(magnitudes, WIDE, **BODY), axis=1),
        Subject(
            "images of channels 1e4 and 1e-3", of_layers(two_scales, images, body=UNet), axis=1
        ),
        Subject("rows 1e3 to 1e-3", of_layers(rows, WIDE, **BODY), axis=0),
        Subject("tiny outputs", of_layers(lambda s, x: s.body(x) * 1e-5, WIDE, **BODY)),
        Subject("large outputs", of_layers(lambda s, x: s.body(x) * 1e3, WIDE, **BODY)),
        Subject("normalised", of_layers(lambda s, x: F.normalize(s.body(x), dim=-1), WIDE, **BODY)),
        Subject("complex", of_layers(lambda s, x: torch.fft.fft(s.body(x)), WIDE, **BODY)),
        Subject("distances", of_layers(distances, WIDE, **BODY)),
        Subject("layer norm", of_layers(normed, WIDE, norm=lambda: nn.LayerNorm(24), **BODY)),
        Subject("sliced", of_layers(sliced, WIDE, **BODY)),
        Subject("outlier", of_layers(outlier, WIDE, **BODY)),
    ]


def depthwise() -> tuple[nn.Module, Any]:
    layers = [block(3, 16), nn.Conv2d(16, 16, 3, 1, 1, groups=16), nn.Hardswish()]
    return nn.Sequential(*layers, nn.Conv2d(16, 8, 1)), images()


def group_norm() -> tuple[nn.Module, Any]:
    layers = [nn.Conv2d(3, 16, 3, 1, 1), nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 4, 3, 2, 1)]
    return nn.Sequential(*layers), images()


def instance_norm() -> tuple[nn.Module, Any]:
    norm = nn.InstanceNorm2d(16, affine=True)
    layers = [nn.Conv2d(3, 16, 3, 1, 1), norm, nn.LeakyReLU(0.1), nn.Conv2d(16, 4, 3, 1, 1)]
    return nn.Sequential(*layers), images()


def conv1d() -> tuple[nn.Module, Any]:
    layers = [nn.Conv1d(4, 16, 5, 2, 2), nn.ELU(), nn.Conv1d(16, 8, 3, 1, 1), nn.Tanh()]
    return nn.Sequential(*layers, nn.Conv1d(8, 2, 1)), (torch.randn(2, 4, 60),)


def padded_pooling() -> tuple[nn.Module, Any]:
    layers = [block(3, 16), nn.MaxPool2d(3, 2, 1), block(16, 16), nn.AvgPool2d(3, 2, 1)]
    return nn.Sequential(*layers), images()


def reflected_padding() -> tuple[nn.Module, Any]:
    layers = [nn.ReflectionPad2d(2), nn.Conv2d(3, 8, 5), nn.Softplus(), nn.Conv2d(8, 3, 3, 1, 1)]
    return nn.Sequential(*layers), images()


def labelled(self: Any, x: torch.Tensor) -> Any:
    scores = self.body(x)
    return scores, scores.argmax(1)


def masked(self: Any, x: torch.Tensor) -> Any:
    scores = self.body(x)
    return scores, scores > 0.1


def empty_means(self: Any, x: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    y = self.body(x)
    return torch.where(y.sum(-1, keepdim=True) > 0.3, y, float("nan"))


def picked(self: Any, x: torch.Tensor) -> Any:
    logits = self.body(x)
    return logits.argmax(-1), logits


def named(self: Any, x: torch.Tensor) -> Any:
    y = self.body(x)
    return {"logits": y, "probabilities": y.softmax(-1)}


def nested(self: Any, x: torch.Tensor) -> Any:
    y = self.body(x)
    return y, [y[:, :5] * 2, (y.mean(-1), y.amax(0))]


def dead(self: Any, x: torch.Tensor) -> torch.Tensor:
    return F.relu(self.body(x) - torch.tensor([0.0, 100.0, 0.0]).repeat(8))


def two_scales(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.body(x) * torch.tensor([1e4, 1e-3, 1.0, 1e-3])[:, None, None]


def rows(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.body(x) * torch.logspace(3, -3, 6)[:, None]


def distances(self: Any, x: torch.Tensor) -> torch.Tensor:
    y = self.body(x)
    return (y[:, None] - y[None]).pow(2).sum(-1)


def normed(self: Any, x: torch.Tensor) -> torch.Tensor:
    return self.norm(self.body(x))


def sliced(self: Any, x: torch.Tensor) -> Any:
    y = self.body(x)
    return y[:, 2:14] * y[:, 10:22], torch.cat([y[:, 5:], x[:, 1:6]], 1)


def outlier(self: Any, x: torch.Tensor) -> torch.Tensor:
    y = self.body(x)
    return torch.cat([y, 3000 + y[:, :1]], 1)


TEXT = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "vocab_size": 96}
ENCODER = {**TEXT, "intermediate_size": 64}
DECODER = {**ENCODER, "num_key_value_heads": 2, "pad_token_id": 0}
VISION = {
    "num_hidden_layers": 2,
    "hidden_size": 32,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
}
STAGED = {"depths": [1, 1, 2, 1]}

SMALL: dict[str, tuple[dict[str, Any], str]] = {
    "BertForMaskedLM": (ENCODER, "text"),
    "BertForSequenceClassification": (ENCODER, "text"),
    "RobertaForTokenClassification": (ENCODER, "text"),
    "AlbertModel": ({**ENCODER, "embedding_size": 16}, "text"),
    "ElectraForPreTraining": (ENCODER, "text"),
    "MPNetModel": (ENCODER, "text"),
    "DistilBertForQuestionAnswering": (
        {"n_layers": 2, "dim": 32, "n_heads": 4, "hidden_dim": 64, "vocab_size": 96},
        "text",
    ),
    "FNetModel": (ENCODER, "text"),
    "RoFormerModel": (ENCODER, "text"),
    "GPT2LMHeadModel": ({"n_layer": 2, "n_embd": 32, "n_head": 4, "vocab_size": 96}, "text"),
    "GPTNeoXForCausalLM": (ENCODER, "text"),
    "LlamaForCausalLM": (DECODER, "text"),
    "MistralForCausalLM": (DECODER, "text"),
    "Qwen2ForCausalLM": (DECODER, "text"),
    "GemmaForCausalLM": ({**DECODER, "head_dim": 8}, "text"),
    "OPTForCausalLM": (
        {**TEXT, "ffn_dim": 64, "word_embed_proj_dim": 32, "max_position_embeddings": 64},
        "text",
    ),
    "BloomForCausalLM": ({"n_layer": 2, "hidden_size": 32, "n_head": 4, "vocab_size": 96}, "text"),
    "T5EncoderModel": (
        {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 96},
        "text",
    ),
    "ViTForImageClassification": (VISION, "image"),
    "DeiTModel": (VISION, "image"),
    "YolosForObjectDetection": ({**VISION, "image_size": [32, 32]}, "image"),
    "ConvNextForImageClassification": ({"hidden_sizes": [8, 16, 24, 32], **STAGED}, "image"),
    "ResNetForImageClassification": (
        {"embedding_size": 8, "hidden_sizes": [8, 16, 24, 32], **STAGED, "layer_type": "basic"},
        "image",
    ),
    "RegNetModel": (
        {"embedding_size": 8, "hidden_sizes": [8, 16, 24, 32], **STAGED, "groups_width": 8},
        "image",
    ),
    "SegformerForSemanticSegmentation": (
        {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "decoder_hidden_size": 32},
        "image",
    ),
    "SwinModel": (
        {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4],
         "window_size": 4},
        "image",
    ),
    "PoolFormerModel": ({"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]}, "image"),
    "Wav2Vec2ForCTC": (
        {**ENCODER, "conv_dim": [16, 16], "conv_kernel": [10, 3], "conv_stride": [5, 2],
         "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 16},
        "sound",
    ),
}  # fmt: skip

SMALL_IMAGE = "--height 96 --width 96"

SCRIPTS = (
    (
        "diffusers",
        "--height 64 --width 64",
        "taesd_decoder taesd_encoder taesd3_decoder wuerstchen_vqgan",
    ),
    (
        "graph_convolutions",
        "--in_channels 64",
        "gcn gat_conv lg_conv pmlp simple_conv wl_conv_continuous fa_conv hypergraph_conv ssg_conv"
        " gin supergat_conv point_net_conv pdn_conv gated_graph_conv nn_conv general_conv"
        " gatv2_conv eg_conv linkx le_conv point_transformer_conv res_gated_graph_conv hetero_conv"
        " film_conv sgformer gmm_conv edge_conv han_conv transformer_conv",
    ),
    ("graph_convolutions", "", "mesh_cnn_conv light_gcn schnet"),
    ("llm", "--max_seq_length 16", "pythia_70m_decode pythia_70m_prefill"),
    (
        "llm_layer",
        "--max_seq_length 32",
        "qwen2_5_0_5b_layer_decode qwen2_5_0_5b_layer_prefill qwen3_0_6b_layer_decode"
        " qwen3_0_6b_layer_prefill",
    ),
    (
        "popular_on_huggingface",
        "",
        "bert_tiny deit_tiny_patch16_224 esm2_t6_8m_ur50d bert_mini electra_small_discriminator"
        " chronos_t5_tiny",
    ),
    (
        "popular_on_huggingface",
        SMALL_IMAGE,
        "mit_b0 resnet_18 mobilenet_v2_1_0_224 mobilevit_small",
    ),
    ("selftest", "", "linear twolayer"),
    (
        "timm",
        "",
        "test_convnext test_efficientnet test_efficientnet_gn test_efficientnet_ln"
        " test_efficientnet_evos test_vit test_nfnet test_mambaout test_vit2 test_byobnet"
        " test_convnext3 test_resnet test_convnext2 test_vit3 test_vit4",
    ),
    (
        "timm",
        SMALL_IMAGE,
        "mobilevit_xxs dla60x_c mobilenetv3_small_050 mobilenetv2_035 ese_vovnet19b_slim_dw"
        " mobilenetv4_conv_small_035 mnasnet_small tinynet_e lcnet_035 starnet_s050"
        " edgenext_xx_small",
    ),
    (
        "torch_hub",
        SMALL_IMAGE,
        "squeezenet1_1 shufflenet_v2_x0_5 mnasnet0_5 mobilenet_v3_small regnet_y_400mf"
        " efficientnet_b0",
    ),
    ("torchvision", SMALL_IMAGE, "lraspp_mobilenet_v3_large deeplabv3_mobilenet_v3_large"),
    ("torchvision", "--height 48 --width 48", "mc3_18"),
    ("torchvision", "", "fasterrcnn_mobilenet_v3_large_320_fpn"),
    (
        "transformers",
        "",
        "patchtsmixer decision_transformer superpoint time_series_transformer patchtst"
        " pp_ocrv6_tiny_rec levit pocket_tts_audio_tokenizer_encoder",
    ),
    (
        "transformers",
        SMALL_IMAGE,
        "mobilenet_v2 pp_lcnet swiftformer pvt_v2 mobilevit mobilenet_v1 poolformer textnet",
    ),
)
"""Small scripts that build quickly, of every folder, with smaller inputs where that is much faster.
"""

FULL_SIZE = (
    ("popular_on_huggingface/bert_base_uncased", "--max_seq_length 64"),
    ("torch_hub/resnet50", ""),
    ("llm/gpt2_prefill", "--max_seq_length 64"),
    ("timm/vit_base_patch16_224", ""),
)
"""Models of the size that people use, of which more is judged by the looser tolerance."""


def small_transformer(name: str) -> Callable[[], tuple[nn.Module, Any]]:
    def make() -> tuple[nn.Module, Any]:
        transformers = importlib.import_module("transformers")
        settings, kind = SMALL[name]
        model_class = getattr(transformers, name)
        model = model_class(model_class.config_class(**settings))
        lively(model)
        if kind == "image":
            return model, {"pixel_values": torch.randn(1, 3, 32, 32)}
        if kind == "sound":
            return model, {"input_values": torch.randn(1, 800)}
        mask = torch.ones(2, 12, dtype=torch.long)
        mask[1, 9:] = 0
        return model, {"input_ids": torch.randint(1, 96, (2, 12)), "attention_mask": mask}

    return make


def lively(model: nn.Module) -> None:
    """Give weights and biases magnitudes as after training: untrained ones hardly matter."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim >= 2 and parameter.std() < 0.05:
                parameter.normal_(0, 0.15)
            elif parameter.ndim == 1 and not parameter.any():
                parameter.normal_(0, 0.1)


def scripts() -> Iterator[Subject]:
    """The scripts of each folder."""
    for folder, arguments, names in SCRIPTS:
        for name in names.split():
            make = script(f"{folder}/{name}", arguments.split())
            yield Subject(f"models/{folder}/{name}", make)


def full_size() -> Iterator[Subject]:
    """Models of the size that people use, with magnitudes as after training."""

    def make(name: str, arguments: str) -> tuple[nn.Module, Any]:
        model, inputs = script(name, arguments.split())()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim >= 2:
                    parameter.normal_(0, parameter[0].numel() ** -0.5)
                elif not parameter.any():
                    parameter.normal_(0, 0.1)
        return model, inputs

    for name, arguments in FULL_SIZE:
        yield Subject(f"models/{name}", functools.partial(make, name, arguments))


def script(name: str, arguments: list[str]) -> Callable[[], tuple[nn.Module, Any]]:
    def make() -> tuple[nn.Module, Any]:
        path, before = MODELS / f"{name}.py", sys.argv
        sys.argv = [str(path), *arguments]
        try:
            found = runpy.run_path(str(path), run_name="__main__")
        finally:
            sys.argv = before
        inputs = found["inputs"] if "inputs" in found else (found["images"],)
        return found.get("model", found.get("layer")), inputs

    return make


def deciding(name: str) -> Callable[[], tuple[nn.Module, Any]]:
    model, inputs = {**DECISIONS, **JUMPS}[name]
    return lambda: (model(), inputs())


def subjects() -> Iterator[Subject]:
    """All models, those of the five places taking turns."""
    places = [
        of_here(),
        [Subject(f"decision: {name}", deciding(name), decides=True) for name in DECISIONS],
        [Subject(f"jumps: {name}", deciding(name)) for name in JUMPS],
        [Subject(name, small_transformer(name)) for name in SMALL],
        list(scripts()),
    ]
    total = sum(map(len, places))
    order = [
        ((number + 0.5) / len(place), subject)
        for place in places
        for number, subject in enumerate(place)
    ]
    assert len(order) == total
    return (subject for _, subject in sorted(order, key=lambda pair: pair[0]))
