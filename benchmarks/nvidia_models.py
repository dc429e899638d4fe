"""The models of benchmarks/nvidia.py: random weights, in fp16, each with its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

__all__ = ["MODELS", "make"]


class First(nn.Module):
    """A model of transformers that takes tensors and returns one."""

    def __init__(self, model: nn.Module, name: str, output: str, **constants: Any) -> None:
        super().__init__()
        self.model = model
        self.name, self.output, self.constants = name, output, constants

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        return getattr(self.model(**{self.name: tensor}, **self.constants), self.output)


class Masked(First):
    """The same with a mask that hides nothing: without one, transformers looks for several texts in
    one row, by an operator that the TorchScript exporter does not have."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        mask = torch.ones_like(tensor)
        given = {self.name: tensor, "attention_mask": mask, **self.constants}
        return getattr(self.model(**given), self.output)


class Block(nn.Module):
    """Two convolutions that know the time step."""

    def __init__(self, channels: int, out: int, steps: int) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.GroupNorm(32, channels), nn.SiLU(), nn.Conv2d(channels, out, 3, padding=1)
        )
        self.step = nn.Linear(steps, out)
        self.second = nn.Sequential(
            nn.GroupNorm(32, out), nn.SiLU(), nn.Conv2d(out, out, 3, padding=1)
        )
        self.skip = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()

    def forward(self, x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        found = self.first(x) + self.step(functional.silu(step))[:, :, None, None]
        return self.skip(x) + self.second(found)


class Attention(nn.Module):
    """Attention of a picture to itself or to a text."""

    def __init__(self, width: int, context: int, heads: int = 8) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(context, width, bias=False)
        self.value = nn.Linear(context, width, bias=False)
        self.out = nn.Linear(width, width)

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        parts = self.query(x), self.key(context), self.value(context)
        found = functional.scaled_dot_product_attention(*map(self._split, parts))
        return self.out(found.transpose(1, 2).reshape(x.shape))


class Transformer(nn.Module):
    """One transformer layer over the pixels of a picture."""

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(32, width)
        self.enter, self.leave = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.other = Attention(width, width), Attention(width, context)
        self.gate, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        batch, width, height, length = x.shape
        y = self.enter(self.norm(x)).reshape(batch, width, height * length).transpose(1, 2)
        own = self.norms[0](y)
        y = y + self.own(own, own)
        y = y + self.other(self.norms[1](y), context)
        value, gate = self.gate(self.norms[2](y)).chunk(2, dim=-1)
        y = y + self.down(value * functional.gelu(gate))
        return x + self.leave(y.transpose(1, 2).reshape(batch, width, height, length))


class Unet(nn.Module):
    """A U-Net of the shape and size of Stable Diffusion 1.5's: 860 million parameters."""

    def __init__(
        self,
        widths: tuple[int, ...] = (320, 640, 1280, 1280),
        context: int = 768,
        channels: int = 4,
    ) -> None:
        super().__init__()
        steps = 4 * widths[0]
        self.time = nn.Sequential(nn.Linear(widths[0], steps), nn.SiLU(), nn.Linear(steps, steps))
        self.enter = nn.Conv2d(channels, widths[0], 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        kept, width = [widths[0]], widths[0]
        for level, out in enumerate(widths):
            last = level == len(widths) - 1
            for _ in range(2):
                attention = nn.Identity() if last else Transformer(out, context)
                self.down.append(nn.ModuleList([Block(width, out, steps), attention]))
                width = out
                kept.append(width)
            if not last:
                self.down.append(nn.ModuleList([nn.Conv2d(width, width, 3, 2, 1)]))
                kept.append(width)
        self.middle = nn.ModuleList(
            [Block(width, width, steps), Transformer(width, context), Block(width, width, steps)]
        )
        for level, out in reversed(list(enumerate(widths))):
            for number in range(3):
                with_attention = level < len(widths) - 1
                attention = Transformer(out, context) if with_attention else nn.Identity()
                self.up.append(nn.ModuleList([Block(width + kept.pop(), out, steps), attention]))
                width = out
                if number == 2 and level:
                    self.up.append(nn.ModuleList([nn.Conv2d(width, width, 3, padding=1)]))
        self.leave = nn.Sequential(
            nn.GroupNorm(32, width), nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1)
        )

    def forward(
        self, sample: torch.Tensor, step: torch.Tensor, context: torch.Tensor
    ) -> torch.Tensor:
        time = self.time(step)
        x = self.enter(sample)
        kept = [x]
        for part in self.down:
            x = self._apply_part(part, x, time, context)
            kept.append(x)
        x = self.middle[0](x, time)
        x = self.middle[2](self.middle[1](x, context), time)
        for part in self.up:
            if len(part) == 1:
                x = part[0](functional.interpolate(x, scale_factor=2.0, mode="nearest"))
            else:
                x = self._apply_part(part, torch.cat([x, kept.pop()], dim=1), time, context)
        return self.leave(x)

    @staticmethod
    def _apply_part(
        part: Any, x: torch.Tensor, time: torch.Tensor, context: torch.Tensor
    ) -> torch.Tensor:
        if len(part) == 1:
            return part[0](x)
        x = part[0](x, time)
        return x if isinstance(part[1], nn.Identity) else part[1](x, context)


def _resnet50() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import ResNetConfig, ResNetForImageClassification

    model = ResNetForImageClassification(ResNetConfig(num_labels=1000))
    return First(model, "pixel_values", "logits"), {"tensor": torch.rand(1, 3, 224, 224)}


def _bert() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import BertConfig, BertModel

    model = BertModel(BertConfig())
    return First(model, "input_ids", "last_hidden_state"), {
        "tensor": torch.randint(0, 30000, (1, 128))
    }


def _vit() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import ViTConfig, ViTModel

    model = ViTModel(ViTConfig())
    return First(model, "pixel_values", "last_hidden_state"), {"tensor": torch.rand(1, 3, 224, 224)}


def _whisper() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = WhisperConfig(
        d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536
    )
    model = First(WhisperEncoder(config), "input_features", "last_hidden_state")
    return model, {"tensor": torch.rand(1, 80, 3000)}


def _unet() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    inputs = {
        "sample": torch.randn(2, 4, 64, 64),
        "step": torch.randn(2, 320),
        "context": torch.randn(2, 77, 768),
    }
    return Unet(), inputs


def _decoder() -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=16,
        num_attention_heads=32,
        num_key_value_heads=8,
        vocab_size=16000,
    )
    model = Masked(LlamaModel(config), "input_ids", "last_hidden_state", use_cache=False)
    return model, {"tensor": torch.randint(0, 16000, (1, 256))}


MODELS: dict[str, Callable[[], tuple[nn.Module, dict[str, torch.Tensor]]]] = {
    "resnet50": _resnet50,
    "bert-base": _bert,
    "vit-base": _vit,
    "whisper-tiny": _whisper,
    "unet": _unet,
    "decoder-1b": _decoder,
}


def make(name: str, device: str) -> tuple[nn.Module, dict[str, torch.Tensor]]:
    """A model in fp16 on the CPU, with its inputs by name; made on a device, which is faster."""
    torch.manual_seed(0)
    with torch.device(device):
        model, inputs = MODELS[name]()
    model = model.half().eval().cpu()
    cast = {n: t.half() if t.is_floating_point() else t for n, t in inputs.items()}
    return model, {n: t.cpu() for n, t in cast.items()}
