"""The parts of Stable Diffusion and of other published diffusion models.

A pipeline calls its parts one after the other, most of them many times, so each part is a script:
the network that removes the noise, the encoder and the decoder of the images, the encoders of the
text. The figures are those of the configuration that is published with the weights of a checkpoint,
named with each part; what a constructor has the same default for is not repeated. Parts of more
than a billion parameters are in bfloat16.

Parts that do not fit into 24 GB in bfloat16 (above nine billion parameters, FLUX.1 and Mochi among
them) are in the catalogue, and have no script.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from corpora.script import WIDTH, Script, calling

__all__ = ["scripts", "survey"]

CORPUS = "diffusers"
SAMPLES = ("taesd_decoder", "taesd_encoder", "ddpm_cifar10_32_unet")
HALF_PRECISION_FROM = 1_000_000_000
LARGEST = 9_000_000_000
WITHOUT_GRADIENTS = (
    "sana_vae_decoder",
    "sana_vae_encoder",
    "stable_audio_open_1_0_vae_decoder",
    "stable_diffusion_3_vae_decoder",
    "stable_diffusion_3_vae_encoder",
    "stable_diffusion_xl_vae_decoder",
    "stable_diffusion_xl_vae_encoder",
    "stable_video_diffusion_xt_unet",
)
"""Parts with large images, videos or long audio, whose gradients would need 13 to 25 GB."""


@dataclass(frozen=True)
class Part:
    """A part of a published model."""

    name: str
    kind: str
    """Its class."""
    what: str
    """The sentence of the docstring, without the class."""
    checkpoint: str
    inputs: Mapping[str, Any]
    """A shape for random numbers, an expression, or a mapping of these."""
    config: Mapping[str, Any] = field(default_factory=dict)
    subfolder: str = ""
    part: str = ""
    """The attribute that is called, if not the model itself."""
    module: str = "diffusers"
    """Where the class comes from."""
    configuration: str = ""
    """The class of the configuration, of those in transformers."""
    size: tuple[int, int] | None = None
    """Height and width, in pixels, where they can be chosen."""
    sequence: int = 0
    """Length of the text, where it can be chosen."""
    arguments: str = "return_dict=False"
    """Further arguments of the call."""
    task: str = "text_to_image"
    author: str = "stabilityai"
    license: str = "other"
    imports: tuple[str, ...] = ()
    pretrained: str = ""
    """The code that loads the published weights, if that takes more than one call."""


BATCH = "batch_size"
H8, W8 = "height // 8", "width // 8"
STEP = "torch.tensor([500])"
STEPS = "torch.full((batch_size,), 500)"
RATIO = "torch.full((batch_size,), 0.5)"
TOKENS = "torch.randint(0, 49408, (batch_size, max_seq_length))"
IMAGE = (BATCH, 3, "height", "width")
CLIP_IMAGE = "torch.rand(batch_size, 3, 224, 224)"

SD15 = "stable-diffusion-v1-5/stable-diffusion-v1-5"
SD21 = "stabilityai/stable-diffusion-2-1"
SDXL = "stabilityai/stable-diffusion-xl-base-1.0"
REFINER = "stabilityai/stable-diffusion-xl-refiner-1.0"
SD3 = "stabilityai/stable-diffusion-3-medium-diffusers"
KANDINSKY = "kandinsky-community/kandinsky-2-2-decoder"
KANDINSKY_PRIOR = "kandinsky-community/kandinsky-2-2-prior"
LDM = "CompVis/ldm-celebahq-256"
LDM_TEXT = "CompVis/ldm-text2im-large-256"
SVD = "stabilityai/stable-video-diffusion-img2vid-xt"
AMUSED = "amused/amused-256"
AUDIOLDM = "cvssp/audioldm-s-full-v2"
STABLE_AUDIO = "stabilityai/stable-audio-open-1.0"
SANA = "Efficient-Large-Model/Sana_1600M_1024px_diffusers"
WUERSTCHEN = "diffusers.pipelines.deprecated.wuerstchen"

SD_LICENSE = "creativeml-openrail-m"
SDXL_LICENSE = "openrail++"

CLIP_L_TEXT = {
    "vocab_size": 49408,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "projection_dim": 768,
}
CLIP_H_TEXT = {
    "vocab_size": 49408,
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 23,
    "num_attention_heads": 16,
    "hidden_act": "gelu",
    "projection_dim": 512,
}
CLIP_G_TEXT = {
    "vocab_size": 49408,
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 20,
    "hidden_act": "gelu",
    "projection_dim": 1280,
}
CLIP_L_VISION = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "patch_size": 14,
    "projection_dim": 768,
}
CLIP_H_VISION = {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 16,
    "patch_size": 14,
    "hidden_act": "gelu",
    "projection_dim": 1024,
}
CLIP_G_VISION = {
    "hidden_size": 1664,
    "intermediate_size": 8192,
    "num_hidden_layers": 48,
    "num_attention_heads": 16,
    "patch_size": 14,
    "hidden_act": "gelu",
    "projection_dim": 1280,
}
T5_XXL = {
    "vocab_size": 32128,
    "d_model": 4096,
    "d_kv": 64,
    "d_ff": 10240,
    "num_layers": 24,
    "num_heads": 64,
    "feed_forward_proj": "gated-gelu",
}
KL = {
    "down_block_types": ("DownEncoderBlock2D",) * 4,
    "up_block_types": ("UpDecoderBlock2D",) * 4,
    "block_out_channels": (128, 256, 512, 512),
    "layers_per_block": 2,
}
KL_16 = {**KL, "latent_channels": 16, "use_quant_conv": False, "use_post_quant_conv": False}
SDXL_UNET = {
    "sample_size": 128,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    "block_out_channels": (320, 640, 1280),
    "attention_head_dim": (5, 10, 20),
    "cross_attention_dim": 2048,
    "transformer_layers_per_block": (1, 2, 10),
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}
SDXL_TIMES = "torch.tensor([[height, width, 0, 0, height, width]] * batch_size)"
DDPM = {
    "downsample_padding": 0,
    "flip_sin_to_cos": False,
    "freq_shift": 1,
    "norm_eps": 1e-6,
    "attention_head_dim": None,
}
DC_AE = {
    "latent_channels": 32,
    "encoder_block_types": ("ResBlock",) * 3 + ("EfficientViTBlock",) * 3,
    "decoder_block_types": ("ResBlock",) * 3 + ("EfficientViTBlock",) * 3,
    "downsample_block_type": "conv",
    "upsample_block_type": "interpolate",
}
IF_UNET = {
    "sample_size": 64,
    "in_channels": 3,
    "out_channels": 6,
    "down_block_types": ("ResnetDownsampleBlock2D", *("SimpleCrossAttnDownBlock2D",) * 3),
    "mid_block_type": "UNetMidBlock2DSimpleCrossAttn",
    "up_block_types": (*("SimpleCrossAttnUpBlock2D",) * 3, "ResnetUpsampleBlock2D"),
    "layers_per_block": 3,
    "act_fn": "gelu",
    "attention_head_dim": 64,
    "encoder_hid_dim": 4096,
    "encoder_hid_dim_type": "text_proj",
    "addition_embed_type": "text",
    "cross_attention_norm": "group_norm",
    "resnet_time_scale_shift": "scale_shift",
    "resnet_skip_time_act": True,
    "resnet_out_scale_factor": 1.41421,
    "time_embedding_act_fn": "gelu",
}


def _latents(channels: int) -> tuple[str | int, ...]:
    return (BATCH, channels, H8, W8)


def _text(width: int, length: int = 77) -> tuple[str | int, ...]:
    return (BATCH, length, width)


def _unet(
    name: str, what: str, checkpoint: str, config: Mapping[str, Any], pixels: int, **more: Any
) -> Part:
    """A UNet2DConditionModel that takes latents, a time step and text."""
    inputs = {
        "sample": _latents(config.get("in_channels", 4)),
        "timestep": STEP,
        "encoder_hidden_states": _text(config.get("cross_attention_dim", 1280)),
    }
    inputs |= more.pop("inputs", {})
    options: dict[str, Any] = {"subfolder": "unet", "size": (pixels, pixels)} | more
    return Part(
        name, "UNet2DConditionModel", what, checkpoint, inputs=inputs, config=config, **options
    )


def _clip_text(
    name: str, what: str, checkpoint: str, config: Mapping[str, Any], **more: Any
) -> Part:
    options: dict[str, Any] = {"subfolder": "text_encoder", "kind": "CLIPTextModel"} | more
    return Part(
        name,
        what=what,
        checkpoint=checkpoint,
        inputs={"input_ids": TOKENS},
        config=config,
        module="transformers",
        configuration="CLIPTextConfig",
        sequence=77,
        task="feature_extraction",
        **options,
    )


def _clip_vision(
    name: str, what: str, checkpoint: str, config: Mapping[str, Any], **more: Any
) -> Part:
    return Part(
        name,
        "CLIPVisionModelWithProjection",
        what,
        checkpoint,
        inputs={"pixel_values": CLIP_IMAGE},
        config=config,
        subfolder="image_encoder",
        module="transformers",
        configuration="CLIPVisionConfig",
        task="image_feature_extraction",
        **more,
    )


def _autoencoder(
    name: str,
    what: str,
    checkpoint: str,
    config: Mapping[str, Any],
    pixels: int,
    *,
    kind: str = "AutoencoderKL",
    shrunk: int = 8,
    channels: int = 4,
    names: tuple[str, str] = ("sample", "sample"),
    **more: Any,
) -> list[Part]:
    """The encoder and the decoder of an autoencoder."""
    options: dict[str, Any] = {"subfolder": "vae", "arguments": ""} | more
    latents = (BATCH, channels, f"height // {shrunk}", f"width // {shrunk}")
    return [
        Part(
            f"{name}_{half}",
            kind,
            f"{half.capitalize()} of the {what}",
            checkpoint,
            inputs={argument: shape},
            config=config,
            part=half,
            size=(pixels, pixels),
            task="image_to_image",
            **options,
        )
        for half, argument, shape in (
            ("encoder", names[0], IMAGE),
            ("decoder", names[1], latents),
        )
    ]


STABLE_DIFFUSION = [
    _unet(
        "stable_diffusion_v1_5_unet",
        "UNet of Stable Diffusion 1.5",
        SD15,
        {"sample_size": 64, "cross_attention_dim": 768},
        512,
        author="runwayml",
        license=SD_LICENSE,
    ),
    _unet(
        "stable_diffusion_v1_5_inpainting_unet",
        "UNet of Stable Diffusion 1.5 for filling in",
        "stable-diffusion-v1-5/stable-diffusion-inpainting",
        {"sample_size": 64, "in_channels": 9, "cross_attention_dim": 768},
        512,
        author="runwayml",
        license=SD_LICENSE,
        task="image_to_image",
    ),
    *_autoencoder(
        "stable_diffusion_v1_5_vae",
        "autoencoder of Stable Diffusion 1.5",
        SD15,
        {**KL, "sample_size": 512},
        512,
        author="runwayml",
        license=SD_LICENSE,
    ),
    _clip_text(
        "stable_diffusion_v1_5_text_encoder",
        "Text encoder of Stable Diffusion 1.5, which is that of CLIP ViT-L",
        SD15,
        CLIP_L_TEXT,
        author="openai",
        license=SD_LICENSE,
    ),
    Part(
        "stable_diffusion_v1_5_safety_checker",
        "StableDiffusionSafetyChecker",
        "Image encoder of the safety checker of Stable Diffusion 1.5",
        SD15,
        inputs={"pixel_values": CLIP_IMAGE},
        config={"vision_config": CLIP_L_VISION, "projection_dim": 768},
        subfolder="safety_checker",
        part="vision_model",
        module="diffusers.pipelines.stable_diffusion.safety_checker",
        configuration="CLIPConfig",
        arguments="",
        task="image_classification",
        author="CompVis",
        license=SD_LICENSE,
    ),
    _unet(
        "bk_sdm_base_unet",
        "UNet of BK-SDM Base, a Stable Diffusion with blocks removed",
        "nota-ai/bk-sdm-base",
        {"sample_size": 64, "layers_per_block": 1, "cross_attention_dim": 768},
        512,
        author="nota-ai",
        license=SD_LICENSE,
    ),
    _unet(
        "bk_sdm_small_unet",
        "UNet of BK-SDM Small, a Stable Diffusion with blocks removed",
        "nota-ai/bk-sdm-small",
        {
            "sample_size": 64,
            "mid_block_type": None,
            "layers_per_block": 1,
            "cross_attention_dim": 768,
        },
        512,
        author="nota-ai",
        license=SD_LICENSE,
    ),
    _unet(
        "bk_sdm_tiny_unet",
        "UNet of BK-SDM Tiny, a Stable Diffusion with blocks removed",
        "nota-ai/bk-sdm-tiny",
        {
            "sample_size": 64,
            "down_block_types": ("CrossAttnDownBlock2D",) * 3,
            "mid_block_type": None,
            "up_block_types": ("CrossAttnUpBlock2D",) * 3,
            "block_out_channels": (320, 640, 1280),
            "layers_per_block": 1,
            "cross_attention_dim": 768,
        },
        512,
        author="nota-ai",
        license=SD_LICENSE,
    ),
    _unet(
        "lcm_dreamshaper_v7_unet",
        "UNet of LCM Dreamshaper v7, a latent consistency model of Stable Diffusion 1.5",
        "SimianLuo/LCM_Dreamshaper_v7",
        {"sample_size": 96, "cross_attention_dim": 768, "time_cond_proj_dim": 256},
        768,
        inputs={"timestep_cond": (BATCH, 256)},
        author="SimianLuo",
        license="mit",
    ),
    Part(
        "controlnet_canny_sd_v1_5",
        "ControlNetModel",
        "ControlNet of Stable Diffusion 1.5 for edges",
        "lllyasviel/sd-controlnet-canny",
        inputs={
            "sample": _latents(4),
            "timestep": STEP,
            "encoder_hidden_states": _text(768),
            "controlnet_cond": "torch.rand(batch_size, 3, height, width)",
        },
        config={"cross_attention_dim": 768},
        size=(512, 512),
        author="lllyasviel",
        license="openrail",
    ),
    Part(
        "t2i_adapter_depth_sd_v1_5",
        "T2IAdapter",
        "T2I-Adapter of Stable Diffusion 1.5 for depth",
        "TencentARC/t2iadapter_depth_sd15v2",
        inputs={"x": "torch.rand(batch_size, 3, height, width)"},
        size=(512, 512),
        arguments="",
        author="TencentARC",
        license="apache-2.0",
    ),
    Part(
        "animatediff_v1_5_2_unet",
        "UNetMotionModel",
        "UNet of Stable Diffusion 1.5 with the motion modules of AnimateDiff",
        "guoyww/animatediff-motion-adapter-v1-5-2",
        inputs={
            "sample": (BATCH, 4, 16, H8, W8),
            "timestep": STEP,
            "encoder_hidden_states": ("16 * batch_size", 77, 768),
        },
        config={"sample_size": 64, "cross_attention_dim": 768},
        size=(512, 512),
        task="text_to_video",
        author="guoyww",
        license="apache-2.0",
        imports=("from diffusers import MotionAdapter, UNet2DConditionModel, UNetMotionModel",),
        pretrained=f"""\
    unet = UNet2DConditionModel.from_pretrained(
        "{SD15}", subfolder="unet"
    )
    adapter = MotionAdapter.from_pretrained("guoyww/animatediff-motion-adapter-v1-5-2")
    model = UNetMotionModel.from_unet2d(unet, adapter).to(torch.bfloat16)
""",
    ),
    _unet(
        "stable_diffusion_2_1_unet",
        "UNet of Stable Diffusion 2.1",
        SD21,
        {
            "sample_size": 96,
            "attention_head_dim": (5, 10, 20, 20),
            "cross_attention_dim": 1024,
            "use_linear_projection": True,
            "upcast_attention": True,
        },
        768,
        license=SDXL_LICENSE,
    ),
    _clip_text(
        "stable_diffusion_2_1_text_encoder",
        "Text encoder of Stable Diffusion 2.1, which is that of OpenCLIP ViT-H",
        SD21,
        CLIP_H_TEXT,
        author="laion",
        license=SDXL_LICENSE,
    ),
    _unet(
        "stable_diffusion_2_depth_unet",
        "UNet of Stable Diffusion 2 with depth",
        "stabilityai/stable-diffusion-2-depth",
        {
            "sample_size": 64,
            "in_channels": 5,
            "attention_head_dim": (5, 10, 20, 20),
            "cross_attention_dim": 1024,
            "use_linear_projection": True,
        },
        512,
        license=SDXL_LICENSE,
    ),
    _unet(
        "stable_diffusion_x4_upscaler_unet",
        "UNet of the Stable Diffusion 2 upscaler, for images of a quarter of the size",
        "stabilityai/stable-diffusion-x4-upscaler",
        {
            "sample_size": 128,
            "in_channels": 7,
            "down_block_types": ("DownBlock2D", *("CrossAttnDownBlock2D",) * 3),
            "up_block_types": (*("CrossAttnUpBlock2D",) * 3, "UpBlock2D"),
            "block_out_channels": (256, 512, 512, 1024),
            "attention_head_dim": 8,
            "cross_attention_dim": 1024,
            "only_cross_attention": (True, True, True, False),
            "use_linear_projection": True,
            "num_class_embeds": 1000,
        },
        512,
        inputs={
            "sample": (BATCH, 7, "height // 4", "width // 4"),
            "class_labels": "torch.full((batch_size,), 20)",
        },
        license=SDXL_LICENSE,
        task="image_to_image",
    ),
]

STABLE_DIFFUSION_XL = [
    _unet(
        "stable_diffusion_xl_base_unet",
        "UNet of Stable Diffusion XL",
        SDXL,
        SDXL_UNET,
        1024,
        inputs={"added_cond_kwargs": {"text_embeds": (BATCH, 1280), "time_ids": SDXL_TIMES}},
        license=SDXL_LICENSE,
    ),
    _unet(
        "stable_diffusion_xl_refiner_unet",
        "UNet of the refiner of Stable Diffusion XL",
        REFINER,
        {
            "sample_size": 128,
            "down_block_types": (
                "DownBlock2D",
                "CrossAttnDownBlock2D",
                "CrossAttnDownBlock2D",
                "DownBlock2D",
            ),
            "up_block_types": (
                "UpBlock2D",
                "CrossAttnUpBlock2D",
                "CrossAttnUpBlock2D",
                "UpBlock2D",
            ),
            "block_out_channels": (384, 768, 1536, 1536),
            "attention_head_dim": (6, 12, 24, 24),
            "cross_attention_dim": 1280,
            "transformer_layers_per_block": 4,
            "use_linear_projection": True,
            "addition_embed_type": "text_time",
            "addition_time_embed_dim": 256,
            "projection_class_embeddings_input_dim": 2560,
        },
        1024,
        inputs={
            "added_cond_kwargs": {
                "text_embeds": (BATCH, 1280),
                "time_ids": "torch.tensor([[height, width, 0, 0, 6]] * batch_size)",
            }
        },
        license=SDXL_LICENSE,
        task="image_to_image",
    ),
    *_autoencoder(
        "stable_diffusion_xl_vae",
        "autoencoder of Stable Diffusion XL",
        SDXL,
        {**KL, "sample_size": 1024},
        1024,
        license=SDXL_LICENSE,
    ),
    _clip_text(
        "stable_diffusion_xl_text_encoder",
        "First text encoder of Stable Diffusion XL, which is that of CLIP ViT-L",
        SDXL,
        CLIP_L_TEXT,
        author="openai",
        license=SDXL_LICENSE,
    ),
    _clip_text(
        "stable_diffusion_xl_text_encoder_2",
        "Second text encoder of Stable Diffusion XL, which is that of OpenCLIP ViT-bigG",
        SDXL,
        CLIP_G_TEXT,
        kind="CLIPTextModelWithProjection",
        subfolder="text_encoder_2",
        author="laion",
        license=SDXL_LICENSE,
    ),
    Part(
        "controlnet_canny_sdxl",
        "ControlNetModel",
        "ControlNet of Stable Diffusion XL for edges",
        "diffusers/controlnet-canny-sdxl-1.0",
        inputs={
            "sample": _latents(4),
            "timestep": STEP,
            "encoder_hidden_states": _text(2048),
            "controlnet_cond": IMAGE,
            "added_cond_kwargs": {"text_embeds": (BATCH, 1280), "time_ids": SDXL_TIMES},
        },
        config={
            name: value
            for name, value in SDXL_UNET.items()
            if name not in ("sample_size", "up_block_types")
        },
        size=(1024, 1024),
        author="diffusers",
        license=SDXL_LICENSE,
    ),
    Part(
        "t2i_adapter_canny_sdxl",
        "T2IAdapter",
        "T2I-Adapter of Stable Diffusion XL for edges",
        "TencentARC/t2i-adapter-canny-sdxl-1.0",
        inputs={"x": "torch.rand(batch_size, 3, height, width)"},
        config={"adapter_type": "full_adapter_xl", "downscale_factor": 16},
        size=(1024, 1024),
        arguments="",
        author="TencentARC",
        license="apache-2.0",
    ),
    _unet(
        "kolors_unet",
        "UNet of Kolors",
        "Kwai-Kolors/Kolors-diffusers",
        {
            **SDXL_UNET,
            "encoder_hid_dim": 4096,
            "encoder_hid_dim_type": "text_proj",
            "projection_class_embeddings_input_dim": 5632,
        },
        1024,
        inputs={
            "encoder_hidden_states": _text(4096, 256),
            "added_cond_kwargs": {"text_embeds": (BATCH, 4096), "time_ids": SDXL_TIMES},
        },
        author="kwai-kolors",
        license="apache-2.0",
    ),
    _clip_vision(
        "ip_adapter_image_encoder",
        "Image encoder of the IP-Adapter, which is that of OpenCLIP ViT-H",
        "h94/IP-Adapter",
        CLIP_H_VISION,
        author="laion",
        license="apache-2.0",
        pretrained="""\
    model = CLIPVisionModelWithProjection.from_pretrained(
        "h94/IP-Adapter", subfolder="models/image_encoder"
    )
""",
    ),
]


def _sd3(name: str, what: str, checkpoint: str, config: Mapping[str, Any]) -> Part:
    return Part(
        name,
        "SD3Transformer2DModel",
        what,
        checkpoint,
        inputs={
            "hidden_states": _latents(16),
            "encoder_hidden_states": _text(4096, 333),
            "pooled_projections": (BATCH, 2048),
            "timestep": STEPS,
        },
        config=config,
        subfolder="transformer",
        size=(1024, 1024),
    )


STABLE_DIFFUSION_3 = [
    _sd3(
        "stable_diffusion_3_medium_transformer",
        "Transformer of Stable Diffusion 3 Medium",
        SD3,
        {
            "num_layers": 24,
            "num_attention_heads": 24,
            "caption_projection_dim": 1536,
            "pos_embed_max_size": 192,
        },
    ),
    _sd3(
        "stable_diffusion_3_5_medium_transformer",
        "Transformer of Stable Diffusion 3.5 Medium",
        "stabilityai/stable-diffusion-3.5-medium",
        {
            "num_layers": 24,
            "num_attention_heads": 24,
            "caption_projection_dim": 1536,
            "pos_embed_max_size": 384,
            "dual_attention_layers": tuple(range(13)),
            "qk_norm": "rms_norm",
        },
    ),
    _sd3(
        "stable_diffusion_3_5_large_transformer",
        "Transformer of Stable Diffusion 3.5 Large",
        "stabilityai/stable-diffusion-3.5-large",
        {
            "num_layers": 38,
            "num_attention_heads": 38,
            "caption_projection_dim": 2432,
            "pos_embed_max_size": 192,
            "qk_norm": "rms_norm",
        },
    ),
    *_autoencoder(
        "stable_diffusion_3_vae",
        "autoencoder of Stable Diffusion 3",
        SD3,
        {**KL_16, "sample_size": 1024},
        1024,
        channels=16,
    ),
    _clip_text(
        "stable_diffusion_3_text_encoder",
        "First text encoder of Stable Diffusion 3, which is that of CLIP ViT-L",
        SD3,
        CLIP_L_TEXT,
        kind="CLIPTextModelWithProjection",
        author="openai",
    ),
    Part(
        "stable_diffusion_3_text_encoder_3",
        "T5EncoderModel",
        "Third text encoder of Stable Diffusion 3, which is that of T5 v1.1 XXL",
        SD3,
        inputs={"input_ids": "torch.randint(0, 32128, (batch_size, max_seq_length))"},
        config=T5_XXL,
        subfolder="text_encoder_3",
        module="transformers",
        configuration="T5Config",
        sequence=256,
        task="feature_extraction",
        author="google",
    ),
]


def _pixart(name: str, what: str, checkpoint: str, config: Mapping[str, Any], **more: Any) -> Part:
    pixels = 8 * config["sample_size"]
    length = 300 if "sigma" in name else 120
    inputs: dict[str, Any] = {
        "hidden_states": _latents(4),
        "encoder_hidden_states": _text(4096, length),
        "timestep": STEPS,
    }
    if config.get("use_additional_conditions", pixels == 1024):
        sizes = "torch.tensor([[float(height), float(width)]] * batch_size)"
        ratios = "torch.tensor([[height / width]] * batch_size)"
        inputs["added_cond_kwargs"] = {"resolution": sizes, "aspect_ratio": ratios}
    return Part(
        name,
        "PixArtTransformer2DModel",
        what,
        checkpoint,
        inputs=inputs,
        config=config,
        subfolder="transformer",
        size=(pixels, pixels),
        author="PixArt-alpha",
        license=SDXL_LICENSE,
    )


def _sana(name: str, what: str, checkpoint: str, config: Mapping[str, Any]) -> Part:
    return Part(
        name,
        "SanaTransformer2DModel",
        what,
        checkpoint,
        inputs={
            "hidden_states": (BATCH, 32, "height // 32", "width // 32"),
            "encoder_hidden_states": _text(2304, 300),
            "timestep": STEPS,
        },
        config=config,
        subfolder="transformer",
        size=(1024, 1024),
        author="nvidia",
    )


def _dit(pixels: int) -> Part:
    return Part(
        f"dit_xl_2_{pixels}_transformer",
        "DiTTransformer2DModel",
        f"Transformer of DiT-XL/2 for images of {pixels} x {pixels}",
        f"facebook/DiT-XL-2-{pixels}",
        inputs={
            "hidden_states": (BATCH, 4, pixels // 8, pixels // 8),
            "timestep": STEPS,
            "class_labels": "torch.randint(0, 1000, (batch_size,))",
        },
        config={"sample_size": pixels // 8, "out_channels": 8},
        subfolder="transformer",
        task="unconditional_image_generation",
        author="meta",
        license="cc-by-nc-4.0",
    )


SIZES = "torch.tensor([[height, width]] * batch_size)"

TRANSFORMERS = [
    _pixart(
        "pixart_alpha_xl_2_1024_transformer",
        "Transformer of PixArt-alpha",
        "PixArt-alpha/PixArt-XL-2-1024-MS",
        {"sample_size": 128, "caption_channels": 4096},
    ),
    _pixart(
        "pixart_alpha_xl_2_512_transformer",
        "Transformer of PixArt-alpha",
        "PixArt-alpha/PixArt-XL-2-512x512",
        {"sample_size": 64, "caption_channels": 4096},
    ),
    _pixart(
        "pixart_sigma_xl_2_1024_transformer",
        "Transformer of PixArt-Sigma",
        "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS",
        {
            "sample_size": 128,
            "caption_channels": 4096,
            "interpolation_scale": 2,
            "use_additional_conditions": False,
        },
    ),
    _sana("sana_1600m_1024_transformer", "Transformer of Sana 1.6B", SANA, {}),
    _sana(
        "sana_600m_1024_transformer",
        "Transformer of Sana 0.6B",
        "Efficient-Large-Model/Sana_600M_1024px_diffusers",
        {
            "num_attention_heads": 36,
            "num_layers": 28,
            "num_cross_attention_heads": 16,
            "cross_attention_head_dim": 72,
            "cross_attention_dim": 1152,
        },
    ),
    *_autoencoder(
        "sana_vae",
        "deep compression autoencoder of Sana",
        SANA,
        DC_AE,
        1024,
        kind="AutoencoderDC",
        shrunk=32,
        channels=32,
        names=("hidden_states", "hidden_states"),
        author="mit-han-lab",
    ),
    _dit(256),
    _dit(512),
    Part(
        "hunyuan_dit_v1_2_transformer",
        "HunyuanDiT2DModel",
        "Transformer of Hunyuan-DiT 1.2 for images of 1024 x 1024",
        "Tencent-Hunyuan/HunyuanDiT-v1.2-Diffusers",
        inputs={
            "hidden_states": (BATCH, 4, 128, 128),
            "timestep": "torch.full((batch_size,), 500, dtype=torch.bfloat16)",
            "encoder_hidden_states": _text(1024),
            "text_embedding_mask": "torch.ones(batch_size, 77, dtype=torch.long)",
            "encoder_hidden_states_t5": _text(2048, 256),
            "text_embedding_mask_t5": "torch.ones(batch_size, 256, dtype=torch.long)",
            "image_rotary_emb": "positions",
        },
        config={
            "sample_size": 128,
            "in_channels": 4,
            "patch_size": 2,
            "hidden_size": 1408,
            "num_layers": 40,
            "mlp_ratio": 4.3637,
            "use_style_cond_and_image_meta_size": False,
        },
        subfolder="transformer",
        author="tencent",
        imports=("from diffusers.models.embeddings import get_2d_rotary_pos_embed",),
    ),
    Part(
        "lumina_image_2_0_transformer",
        "Lumina2Transformer2DModel",
        "Transformer of Lumina-Image 2.0",
        "Alpha-VLLM/Lumina-Image-2.0",
        inputs={
            "hidden_states": _latents(16),
            "timestep": RATIO,
            "encoder_hidden_states": _text(2304, 256),
            "encoder_attention_mask": "torch.ones(batch_size, 256, dtype=torch.bool)",
        },
        config={"cap_feat_dim": 2304},
        subfolder="transformer",
        size=(1024, 1024),
        author="alpha-vllm",
        license="apache-2.0",
    ),
    Part(
        "auraflow_transformer",
        "AuraFlowTransformer2DModel",
        "Transformer of AuraFlow",
        "fal/AuraFlow",
        inputs={
            "hidden_states": _latents(4),
            "encoder_hidden_states": _text(2048, 256),
            "timestep": RATIO,
        },
        config={"pos_embed_max_size": 4096},
        subfolder="transformer",
        size=(1024, 1024),
        author="fal",
        license="apache-2.0",
    ),
    Part(
        "cogview3_plus_3b_transformer",
        "CogView3PlusTransformer2DModel",
        "Transformer of CogView3-Plus 3B",
        "zai-org/CogView3-Plus-3B",
        inputs={
            "hidden_states": _latents(16),
            "encoder_hidden_states": _text(4096, 224),
            "timestep": STEPS,
            "original_size": SIZES,
            "target_size": SIZES,
            "crop_coords": "torch.zeros(batch_size, 2)",
        },
        subfolder="transformer",
        size=(1024, 1024),
        author="zai-org",
        license="apache-2.0",
    ),
    Part(
        "cogview4_6b_transformer",
        "CogView4Transformer2DModel",
        "Transformer of CogView4 6B",
        "zai-org/CogView4-6B",
        inputs={
            "hidden_states": _latents(16),
            "encoder_hidden_states": _text(4096, 224),
            "timestep": STEPS,
            "original_size": SIZES,
            "target_size": SIZES,
            "crop_coords": "torch.zeros(batch_size, 2)",
        },
        config={"num_layers": 28, "attention_head_dim": 128, "num_attention_heads": 32},
        subfolder="transformer",
        size=(1024, 1024),
        author="zai-org",
        license="apache-2.0",
    ),
    Part(
        "flux_1_dev_transformer",
        "FluxTransformer2DModel",
        "Transformer of FLUX.1 [dev]",
        "black-forest-labs/FLUX.1-dev",
        inputs={},
        config={"guidance_embeds": True},
        subfolder="transformer",
        author="black-forest-labs",
    ),
    Part(
        "chroma1_hd_transformer",
        "ChromaTransformer2DModel",
        "Transformer of Chroma1-HD for images of 1024 x 1024",
        "lodestones/Chroma1-HD",
        inputs={
            "hidden_states": (BATCH, 4096, 64),
            "encoder_hidden_states": _text(4096, 512),
            "timestep": RATIO,
            "img_ids": "torch.cartesian_prod(torch.arange(1), torch.arange(64), torch.arange(64))",
            "txt_ids": "torch.zeros(512, 3)",
        },
        subfolder="transformer",
        author="lodestones",
        license="apache-2.0",
    ),
    Part(
        "amused_256_transformer",
        "UVit2DModel",
        "U-ViT of aMUSEd 256",
        AMUSED,
        inputs={
            "input_ids": "torch.randint(0, 8256, (batch_size, 16, 16))",
            "encoder_hidden_states": _text(768),
            "pooled_text_emb": (BATCH, 768),
            "micro_conds": "torch.tensor([[256.0, 256.0, 0.0, 0.0, 6.0]] * batch_size)",
        },
        config={"sample_size": 16},
        subfolder="transformer",
        arguments="",
        author="huggingface",
        license=SDXL_LICENSE,
    ),
    Part(
        "amused_512_transformer",
        "UVit2DModel",
        "U-ViT of aMUSEd 512",
        "amused/amused-512",
        inputs={
            "input_ids": "torch.randint(0, 8256, (batch_size, 32, 32))",
            "encoder_hidden_states": _text(768),
            "pooled_text_emb": (BATCH, 768),
            "micro_conds": "torch.tensor([[512.0, 512.0, 0.0, 0.0, 6.0]] * batch_size)",
        },
        config={"sample_size": 32, "downsample": True, "upsample": True},
        subfolder="transformer",
        arguments="",
        author="huggingface",
        license=SDXL_LICENSE,
    ),
]

KANDINSKY_UNET = {
    "sample_size": 64,
    "out_channels": 8,
    "down_block_types": ("ResnetDownsampleBlock2D", *("SimpleCrossAttnDownBlock2D",) * 3),
    "mid_block_type": "UNetMidBlock2DSimpleCrossAttn",
    "up_block_types": (*("SimpleCrossAttnUpBlock2D",) * 3, "ResnetUpsampleBlock2D"),
    "block_out_channels": (384, 768, 1152, 1536),
    "layers_per_block": 3,
    "cross_attention_dim": 768,
    "encoder_hid_dim": 1280,
    "encoder_hid_dim_type": "image_proj",
    "attention_head_dim": 64,
    "addition_embed_type": "image",
    "resnet_time_scale_shift": "scale_shift",
}

OTHERS = [
    Part(
        "kandinsky_2_2_unet",
        "UNet2DConditionModel",
        "UNet of Kandinsky 2.2",
        KANDINSKY,
        inputs={
            "sample": _latents(4),
            "timestep": STEP,
            "added_cond_kwargs": {"image_embeds": (BATCH, 1280)},
        },
        config=KANDINSKY_UNET,
        subfolder="unet",
        size=(512, 512),
        arguments="encoder_hidden_states=None, return_dict=False",
        author="ai-forever",
        license="apache-2.0",
    ),
    Part(
        "kandinsky_2_2_prior",
        "PriorTransformer",
        "Prior of Kandinsky 2.2",
        KANDINSKY_PRIOR,
        inputs={
            "hidden_states": (BATCH, 1280),
            "timestep": STEP,
            "proj_embedding": (BATCH, 1280),
            "encoder_hidden_states": _text(1280),
            "attention_mask": "torch.ones(batch_size, 77, dtype=torch.bool)",
        },
        config={"embedding_dim": 1280},
        subfolder="prior",
        author="ai-forever",
        license="apache-2.0",
    ),
    Part(
        "kandinsky_2_2_movq_decoder",
        "VQModel",
        "Decoder of the MoVQ of Kandinsky 2.2",
        KANDINSKY,
        inputs={"sample": _latents(4), "latent_embeds": _latents(4)},
        config={
            "down_block_types": (*("DownEncoderBlock2D",) * 3, "AttnDownEncoderBlock2D"),
            "up_block_types": ("AttnUpDecoderBlock2D", *("UpDecoderBlock2D",) * 3),
            "block_out_channels": (128, 256, 256, 512),
            "layers_per_block": 2,
            "latent_channels": 4,
            "num_vq_embeddings": 16384,
            "vq_embed_dim": 4,
            "norm_type": "spatial",
        },
        subfolder="movq",
        part="decoder",
        size=(512, 512),
        arguments="",
        task="image_to_image",
        author="ai-forever",
        license="apache-2.0",
    ),
    _clip_vision(
        "kandinsky_2_2_image_encoder",
        "Image encoder of Kandinsky 2.2, which is that of OpenCLIP ViT-bigG",
        KANDINSKY_PRIOR,
        CLIP_G_VISION,
        author="laion",
        license="apache-2.0",
    ),
    Part(
        "kandinsky_3_unet",
        "Kandinsky3UNet",
        "UNet of Kandinsky 3",
        "kandinsky-community/kandinsky-3",
        inputs={
            "sample": _latents(4),
            "timestep": STEP,
            "encoder_hidden_states": _text(4096, 128),
            "encoder_attention_mask": "torch.ones(batch_size, 128, dtype=torch.long)",
        },
        subfolder="unet",
        size=(1024, 1024),
        author="ai-forever",
        license="apache-2.0",
    ),
    Part(
        "stable_cascade_prior",
        "StableCascadeUNet",
        "UNet of the prior of Stable Cascade for images of 1024 x 1024",
        "stabilityai/stable-cascade-prior",
        inputs={
            "sample": (BATCH, 16, 24, 24),
            "timestep_ratio": RATIO,
            "clip_text_pooled": (BATCH, 1, 1280),
            "clip_text": _text(1280),
            "clip_img": (BATCH, 1, 768),
        },
        config={
            "clip_text_in_channels": 1280,
            "clip_image_in_channels": 768,
            "switch_level": (False,),
        },
        subfolder="prior",
    ),
    Part(
        "stable_cascade_decoder",
        "StableCascadeUNet",
        "UNet of the decoder of Stable Cascade for images of 1024 x 1024",
        "stabilityai/stable-cascade",
        inputs={
            "sample": (BATCH, 4, 256, 256),
            "timestep_ratio": RATIO,
            "clip_text_pooled": (BATCH, 1, 1280),
            "effnet": (BATCH, 16, 24, 24),
        },
        config={
            "in_channels": 4,
            "out_channels": 4,
            "patch_size": 2,
            "conditioning_dim": 1280,
            "block_out_channels": (320, 640, 1280, 1280),
            "num_attention_heads": (0, 0, 20, 20),
            "down_num_layers_per_block": (2, 6, 28, 6),
            "up_num_layers_per_block": (6, 28, 6, 2),
            "down_blocks_repeat_mappers": (1, 1, 1, 1),
            "up_blocks_repeat_mappers": (3, 3, 2, 2),
            "block_types_per_layer": (
                ("SDCascadeResBlock", "SDCascadeTimestepBlock"),
                ("SDCascadeResBlock", "SDCascadeTimestepBlock"),
                ("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock"),
                ("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock"),
            ),
            "effnet_in_channels": 16,
            "pixel_mapper_in_channels": 3,
            "dropout": (0, 0, 0.1, 0.1),
            "timestep_conditioning_type": ("sca",),
        },
        subfolder="decoder",
    ),
    Part(
        "wuerstchen_prior",
        "WuerstchenPrior",
        "Prior of Wuerstchen for images of 1024 x 1024",
        "warp-ai/wuerstchen-prior",
        inputs={
            "x": (BATCH, 16, 24, 24),
            "r": RATIO,
            "c": _text(1280),
        },
        config={"c": 1536, "c_cond": 1280, "depth": 32, "nhead": 24},
        subfolder="prior",
        module=WUERSTCHEN,
        arguments="",
        author="warp-ai",
        license="mit",
    ),
    Part(
        "wuerstchen_decoder",
        "WuerstchenDiffNeXt",
        "Decoder of Wuerstchen for images of 1024 x 1024",
        "warp-ai/wuerstchen",
        inputs={
            "x": (BATCH, 4, 256, 256),
            "r": RATIO,
            "effnet": (BATCH, 16, 24, 24),
            "clip": _text(1024),
        },
        subfolder="decoder",
        module=WUERSTCHEN,
        arguments="",
        author="warp-ai",
        license="mit",
    ),
    Part(
        "wuerstchen_vqgan",
        "PaellaVQModel",
        "VQGAN of Wuerstchen",
        "warp-ai/wuerstchen",
        inputs={"sample": IMAGE},
        subfolder="vqgan",
        module=WUERSTCHEN,
        size=(256, 256),
        task="image_to_image",
        author="warp-ai",
        license="mit",
    ),
    *[
        Part(
            f"deepfloyd_if_i_{size.lower()}_unet",
            "UNet2DConditionModel",
            f"UNet of the first stage of DeepFloyd IF {size}, for images of 64 x 64",
            f"DeepFloyd/IF-I-{size}-v1.0",
            inputs={
                "sample": (BATCH, 3, 64, 64),
                "timestep": STEP,
                "encoder_hidden_states": _text(4096),
            },
            config={
                **IF_UNET,
                "block_out_channels": (width, 2 * width, 3 * width, 4 * width),
                "cross_attention_dim": 4 * width,
            },
            subfolder="unet",
            author="deepfloyd",
        )
        for size, width in (("M", 192), ("L", 320), ("XL", 704))
    ],
    Part(
        "ddpm_cifar10_32_unet",
        "UNet2DModel",
        "UNet of DDPM for images like those of CIFAR-10",
        "google/ddpm-cifar10-32",
        inputs={"sample": (BATCH, 3, 32, 32), "timestep": STEP},
        config={
            "sample_size": 32,
            "down_block_types": ("DownBlock2D", "AttnDownBlock2D", "DownBlock2D", "DownBlock2D"),
            "up_block_types": ("UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D"),
            "block_out_channels": (128, 256, 256, 256),
            **DDPM,
        },
        task="unconditional_image_generation",
        author="google",
        license="apache-2.0",
    ),
    Part(
        "ddpm_celebahq_256_unet",
        "UNet2DModel",
        "UNet of DDPM for faces",
        "google/ddpm-celebahq-256",
        inputs={"sample": (BATCH, 3, 256, 256), "timestep": STEP},
        config={
            "sample_size": 256,
            "down_block_types": (*("DownBlock2D",) * 4, "AttnDownBlock2D", "DownBlock2D"),
            "up_block_types": ("UpBlock2D", "AttnUpBlock2D", *("UpBlock2D",) * 4),
            "block_out_channels": (128, 128, 256, 256, 512, 512),
            **DDPM,
        },
        task="unconditional_image_generation",
        author="google",
        license="apache-2.0",
    ),
    Part(
        "consistency_model_imagenet64_unet",
        "UNet2DModel",
        "UNet of the consistency model for images of 64 x 64",
        "openai/diffusers-cd_imagenet64_l2",
        inputs={
            "sample": (BATCH, 3, 64, 64),
            "timestep": STEP,
            "class_labels": "torch.randint(0, 1000, (batch_size,))",
        },
        config={
            "sample_size": 64,
            "down_block_types": ("ResnetDownsampleBlock2D", *("AttnDownBlock2D",) * 3),
            "up_block_types": (*("AttnUpBlock2D",) * 3, "ResnetUpsampleBlock2D"),
            "block_out_channels": (192, 384, 576, 768),
            "layers_per_block": 3,
            "downsample_type": "resnet",
            "upsample_type": "resnet",
            "attention_head_dim": 64,
            "attn_norm_num_groups": 32,
            "resnet_time_scale_shift": "scale_shift",
            "num_class_embeds": 1000,
        },
        subfolder="unet",
        task="unconditional_image_generation",
        author="openai",
        license="mit",
    ),
    Part(
        "consistency_decoder_unet",
        "ConsistencyDecoderVAE",
        "UNet of the consistency decoder for the latents of Stable Diffusion",
        "openai/consistency-decoder",
        inputs={"sample": (BATCH, 7, "height", "width"), "timestep": STEP},
        part="decoder_unet",
        size=(512, 512),
        task="image_to_image",
        author="openai",
        license="mit",
    ),
    Part(
        "ldm_celebahq_256_unet",
        "UNet2DModel",
        "UNet of the latent diffusion model for faces",
        LDM,
        inputs={"sample": (BATCH, 3, 64, 64), "timestep": STEP},
        config={"sample_size": 64, "attention_head_dim": 32},
        subfolder="unet",
        task="unconditional_image_generation",
        author="CompVis",
        license="apache-2.0",
    ),
    *_autoencoder(
        "ldm_celebahq_256_vqvae",
        "autoencoder of the latent diffusion model for faces",
        LDM,
        {
            "down_block_types": ("DownEncoderBlock2D",) * 3,
            "up_block_types": ("UpDecoderBlock2D",) * 3,
            "block_out_channels": (128, 256, 512),
            "layers_per_block": 2,
            "num_vq_embeddings": 8192,
        },
        256,
        kind="VQModel",
        shrunk=4,
        channels=3,
        subfolder="vqvae",
        author="CompVis",
        license="apache-2.0",
    ),
    _unet(
        "ldm_text2im_large_256_unet",
        "UNet of the latent diffusion model for text",
        LDM_TEXT,
        {"sample_size": 32},
        256,
        author="CompVis",
        license="apache-2.0",
    ),
    *_autoencoder(
        "amused_256_vqvae",
        "VQGAN of aMUSEd 256",
        AMUSED,
        {
            "down_block_types": ("DownEncoderBlock2D",) * 5,
            "up_block_types": ("UpDecoderBlock2D",) * 5,
            "block_out_channels": (128, 256, 256, 512, 768),
            "layers_per_block": 2,
            "latent_channels": 64,
            "num_vq_embeddings": 8192,
            "mid_block_add_attention": False,
            "lookup_from_codebook": True,
        },
        256,
        kind="VQModel",
        shrunk=16,
        channels=64,
        subfolder="vqvae",
        author="huggingface",
        license=SDXL_LICENSE,
    ),
    *[
        part
        for name, what, checkpoint, config, pixels, channels in (
            ("taesd", "Stable Diffusion", "madebyollin/taesd", {}, 512, 4),
            ("taesdxl", "Stable Diffusion XL", "madebyollin/taesdxl", {}, 1024, 4),
            (
                "taesd3",
                "Stable Diffusion 3",
                "madebyollin/taesd3",
                {"latent_channels": 16},
                1024,
                16,
            ),
        )
        for part in _autoencoder(
            name,
            f"tiny autoencoder for {what}",
            checkpoint,
            config,
            pixels,
            kind="AutoencoderTiny",
            channels=channels,
            names=("x", "x"),
            subfolder="",
            author="madebyollin",
            license="mit",
        )
    ],
    Part(
        "asymmetric_autoencoder_kl_x_1_5_decoder",
        "AsymmetricAutoencoderKL",
        "Decoder of the asymmetric autoencoder for filling in with Stable Diffusion",
        "cross-attention/asymmetric-autoencoder-kl-x-1-5",
        inputs={
            "z": _latents(4),
            "image": IMAGE,
            "mask": "torch.randint(0, 2, (batch_size, 1, height, width)).float()",
        },
        config={
            "down_block_types": ("DownEncoderBlock2D",) * 4,
            "down_block_out_channels": (128, 256, 512, 512),
            "layers_per_down_block": 2,
            "up_block_types": ("UpDecoderBlock2D",) * 4,
            "up_block_out_channels": (192, 384, 768, 768),
            "layers_per_up_block": 3,
            "sample_size": 256,
        },
        part="decoder",
        size=(512, 512),
        arguments="",
        task="image_to_image",
        author="cross-attention",
        license="other",
    ),
]

SOUND = [
    Part(
        "audioldm_s_full_v2_unet",
        "UNet2DConditionModel",
        "UNet of AudioLDM S v2, for ten seconds",
        AUDIOLDM,
        inputs={
            "sample": (BATCH, 8, 256, 16),
            "timestep": STEP,
            "class_labels": (BATCH, 512),
        },
        config={
            "sample_size": 128,
            "in_channels": 8,
            "out_channels": 8,
            "down_block_types": ("DownBlock2D", *("CrossAttnDownBlock2D",) * 3),
            "up_block_types": (*("CrossAttnUpBlock2D",) * 3, "UpBlock2D"),
            "block_out_channels": (128, 256, 384, 640),
            "cross_attention_dim": (128, 256, 384, 640),
            "class_embed_type": "simple_projection",
            "projection_class_embeddings_input_dim": 512,
            "class_embeddings_concat": True,
        },
        subfolder="unet",
        arguments="encoder_hidden_states=None, return_dict=False",
        task="text_to_audio",
        author="cvssp",
        license="cc-by-nc-sa-4.0",
    ),
    Part(
        "audioldm_s_full_v2_vae_decoder",
        "AutoencoderKL",
        "Decoder of the autoencoder of AudioLDM S v2, for ten seconds",
        AUDIOLDM,
        inputs={"sample": (BATCH, 8, 256, 16)},
        config={
            "in_channels": 1,
            "out_channels": 1,
            "down_block_types": ("DownEncoderBlock2D",) * 3,
            "up_block_types": ("UpDecoderBlock2D",) * 3,
            "block_out_channels": (128, 256, 512),
            "layers_per_block": 2,
            "latent_channels": 8,
            "sample_size": 512,
        },
        subfolder="vae",
        part="decoder",
        arguments="",
        task="text_to_audio",
        author="cvssp",
        license="cc-by-nc-sa-4.0",
    ),
    Part(
        "audioldm_s_full_v2_vocoder",
        "SpeechT5HifiGan",
        "Vocoder of AudioLDM S v2, for ten seconds",
        AUDIOLDM,
        inputs={"spectrogram": (BATCH, 1024, 64)},
        config={
            "model_in_dim": 64,
            "sampling_rate": 16000,
            "upsample_initial_channel": 1024,
            "upsample_rates": (5, 4, 2, 2, 2),
            "upsample_kernel_sizes": (16, 16, 8, 4, 4),
            "normalize_before": False,
        },
        subfolder="vocoder",
        module="transformers",
        configuration="SpeechT5HifiGanConfig",
        arguments="",
        task="text_to_audio",
        author="cvssp",
        license="cc-by-nc-sa-4.0",
    ),
    Part(
        "stable_audio_open_1_0_transformer",
        "StableAudioDiTModel",
        "Transformer of Stable Audio Open, for 47 seconds",
        STABLE_AUDIO,
        inputs={
            "hidden_states": (BATCH, 64, 1024),
            "timestep": RATIO,
            "encoder_hidden_states": _text(768, 130),
            "global_hidden_states": (BATCH, 1, 1536),
            "rotary_embedding": "positions",
        },
        subfolder="transformer",
        task="text_to_audio",
        imports=("from diffusers.models.embeddings import get_1d_rotary_pos_embed",),
    ),
    Part(
        "stable_audio_open_1_0_vae_decoder",
        "AutoencoderOobleck",
        "Decoder of the autoencoder of Stable Audio Open, for 47 seconds",
        STABLE_AUDIO,
        inputs={"hidden_state": (BATCH, 64, 1024)},
        subfolder="vae",
        part="decoder",
        arguments="",
        task="text_to_audio",
    ),
]

VIDEO = [
    Part(
        "stable_video_diffusion_xt_unet",
        "UNetSpatioTemporalConditionModel",
        "UNet of Stable Video Diffusion XT, for 25 frames",
        SVD,
        inputs={
            "sample": (BATCH, 25, 8, H8, W8),
            "timestep": STEP,
            "encoder_hidden_states": _text(1024, 1),
            "added_time_ids": "torch.tensor([[6, 127, 0]] * batch_size)",
        },
        config={"sample_size": 96},
        subfolder="unet",
        size=(576, 1024),
        task="image_to_video",
    ),
    _clip_vision(
        "stable_video_diffusion_xt_image_encoder",
        "Image encoder of Stable Video Diffusion XT, which is that of OpenCLIP ViT-H",
        SVD,
        CLIP_H_VISION,
        author="laion",
    ),
    Part(
        "i2vgen_xl_unet",
        "I2VGenXLUNet",
        "UNet of I2VGen-XL, for 16 frames",
        "ali-vilab/i2vgen-xl",
        inputs={
            "sample": (BATCH, 4, 16, H8, W8),
            "timestep": STEP,
            "fps": "torch.full((batch_size,), 16)",
            "image_latents": (BATCH, 4, 16, H8, W8),
            "image_embeddings": (BATCH, 1024),
            "encoder_hidden_states": _text(1024),
        },
        config={"sample_size": 32},
        subfolder="unet",
        size=(704, 1280),
        task="image_to_video",
        author="alibaba",
        license="mit",
    ),
    Part(
        "text_to_video_ms_1_7b_unet",
        "UNet3DConditionModel",
        "UNet of the ModelScope text-to-video model, for 16 frames",
        "ali-vilab/text-to-video-ms-1.7b",
        inputs={
            "sample": (BATCH, 4, 16, H8, W8),
            "timestep": STEP,
            "encoder_hidden_states": _text(1024),
        },
        config={"sample_size": 32},
        subfolder="unet",
        size=(256, 256),
        task="text_to_video",
        author="alibaba",
        license="cc-by-nc-4.0",
    ),
    Part(
        "cogvideox_2b_transformer",
        "CogVideoXTransformer3DModel",
        "Transformer of CogVideoX 2B, for 49 frames of 480 x 720",
        "zai-org/CogVideoX-2b",
        inputs={
            "hidden_states": (BATCH, 13, 16, 60, 90),
            "encoder_hidden_states": _text(4096, 226),
            "timestep": STEPS,
        },
        subfolder="transformer",
        task="text_to_video",
        author="zai-org",
        license="apache-2.0",
    ),
    Part(
        "ltx_video_transformer",
        "LTXVideoTransformer3DModel",
        "Transformer of LTX-Video, for 161 frames",
        "Lightricks/LTX-Video",
        inputs={
            "hidden_states": (BATCH, "21 * (height // 32) * (width // 32)", 128),
            "encoder_hidden_states": _text(4096, 128),
            "timestep": STEPS,
            "encoder_attention_mask": "torch.ones(batch_size, 128, dtype=torch.long)",
        },
        subfolder="transformer",
        size=(512, 704),
        arguments="num_frames=21, height=height // 32, width=width // 32, return_dict=False",
        task="text_to_video",
        author="lightricks",
    ),
    Part(
        "wan_2_1_t2v_1_3b_transformer",
        "WanTransformer3DModel",
        "Transformer of Wan 2.1 1.3B, for 81 frames",
        "Wan-AI/Wan2.1-T2V-1.3B-Diffusers",
        inputs={
            "hidden_states": (BATCH, 16, 21, H8, W8),
            "timestep": STEPS,
            "encoder_hidden_states": _text(4096, 512),
        },
        config={"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30},
        subfolder="transformer",
        size=(480, 832),
        task="text_to_video",
        author="alibaba",
        license="apache-2.0",
    ),
    Part(
        "wan_2_1_t2v_14b_transformer",
        "WanTransformer3DModel",
        "Transformer of Wan 2.1 14B",
        "Wan-AI/Wan2.1-T2V-14B-Diffusers",
        inputs={},
        subfolder="transformer",
        task="text_to_video",
        author="alibaba",
        license="apache-2.0",
    ),
    Part(
        "latte_1_transformer",
        "LatteTransformer3DModel",
        "Transformer of Latte, for 16 frames of 512 x 512",
        "maxin-cn/Latte-1",
        inputs={
            "hidden_states": (BATCH, 4, 16, 64, 64),
            "timestep": STEPS,
            "encoder_hidden_states": _text(4096, 120),
        },
        config={
            "attention_head_dim": 72,
            "in_channels": 4,
            "out_channels": 8,
            "num_layers": 28,
            "cross_attention_dim": 1152,
            "attention_bias": True,
            "patch_size": 2,
            "activation_fn": "gelu-approximate",
            "num_embeds_ada_norm": 1000,
            "norm_type": "ada_norm_single",
            "norm_elementwise_affine": False,
            "norm_eps": 1e-6,
            "caption_channels": 4096,
        },
        subfolder="transformer",
        task="text_to_video",
        author="maxin-cn",
        license="apache-2.0",
    ),
    Part(
        "mochi_1_preview_transformer",
        "MochiTransformer3DModel",
        "Transformer of Mochi 1",
        "genmo/mochi-1-preview",
        inputs={},
        subfolder="transformer",
        task="text_to_video",
        author="genmo",
        license="apache-2.0",
    ),
]

PARTS = {
    part.name: part
    for parts in (
        STABLE_DIFFUSION,
        STABLE_DIFFUSION_XL,
        STABLE_DIFFUSION_3,
        TRANSFORMERS,
        OTHERS,
        SOUND,
        VIDEO,
    )
    for part in parts
}

POSITIONS = {
    "hunyuan_dit_v1_2_transformer": """\
positions = get_2d_rotary_pos_embed(88, ((0, 0), (32, 32)), (64, 64), output_type="pt")
""",
    "stable_audio_open_1_0_transformer": """\
positions = get_1d_rotary_pos_embed(32, 1025, use_real=True, repeat_interleave_real=False)
""",
}
"""What makes the positions that a part takes as an input."""


def survey() -> list[dict[str, Any]]:
    """One row per part, with the number of parameters in the installed library."""
    rows = []
    for part in PARTS.values():
        params = _count(part)
        rows.append(
            {
                "name": part.name,
                "class": part.kind,
                "checkpoint": part.checkpoint,
                "subfolder": part.subfolder,
                "params": params,
                "left_out": "does not fit into 24 GB in bfloat16" if params > LARGEST else "",
            }
        )
    return rows


def _count(part: Part) -> int:
    """The number of parameters of a part, created without memory for them."""
    import importlib

    import torch

    made: dict[str, Any] = {"torch": torch}
    for line in _imports(part):
        if line.startswith("from "):
            module, names = line.removeprefix("from ").split(" import ")
            made |= {
                name: getattr(importlib.import_module(module), name) for name in names.split(", ")
            }
    with torch.device("meta"):
        model = eval(_creation(part, 0), made)
    model = getattr(model, part.part) if part.part else model
    return sum(parameter.numel() for parameter in model.parameters())


def scripts(rows: Iterable[Mapping[str, str]]) -> Iterator[Script]:
    """One script per row that is not left out."""
    for row in rows:
        if not row["left_out"]:
            yield _script(PARTS[row["name"]], int(row["params"]))


def _script(part: Part, params: int) -> Script:
    parameters = ["batch_size"]
    defaults: dict[str, Any] = {}
    if part.size:
        parameters += ["height", "width"]
        defaults = {"height": part.size[0], "width": part.size[1]}
    if part.sequence:
        parameters.append("max_seq_length")
        defaults = {"max_seq_length": part.sequence}
    place = f"https://huggingface.co/{part.checkpoint}"
    return Script(
        corpus=CORPUS,
        name=part.name,
        author=part.author,
        task=part.task,
        license=part.license,
        source=f"{part.what}.\n\n{place}",
        imports=_imports(part),
        parameters=(*parameters, "pretrained"),
        defaults=defaults,
        params=params,
        body=_body(part, half=params > HALF_PRECISION_FROM),
        sample=part.name in SAMPLES,
    )


def _imports(part: Part) -> tuple[str, ...]:
    wanted = {line for line in part.imports if line.startswith(f"from {part.module} import")} or {
        f"from {part.module} import {part.kind}"
    }
    wanted |= set(part.imports)
    if part.configuration and part.module == "transformers":
        names = sorted([part.configuration, part.kind])
        wanted = {f"from transformers import {', '.join(names)}"}
    elif part.configuration:
        wanted.add(f"from transformers import {part.configuration}")
    return tuple(wanted)


def _body(part: Part, *, half: bool) -> str:
    """The code from the creation of the part to its call."""
    whole = "whole" if part.part else "model"
    create = f"    {whole} = {_creation(part, 4, len(whole) + 3)}\n"
    if half:
        create = (
            f"    torch.set_default_dtype(torch.bfloat16)\n{create}"
            "    torch.set_default_dtype(torch.float32)\n"
        )
    keep = f"model = whole.{part.part}\n" if part.part else ""
    inputs = "".join(_input(name, value, 4, half) for name, value in part.inputs.items())
    arguments = f", {part.arguments}" if part.arguments else ""
    call = f"model(**inputs{arguments})"
    return (
        f"# The model and its inputs\nif pretrained:\n{_loading(part, whole, half)}else:\n{create}"
        f"{keep}model.eval()\n{POSITIONS.get(part.name, '')}inputs = {{\n{inputs}}}\n\n"
        f"{calling(call, gradients=part.name not in WITHOUT_GRADIENTS)}\n"
    )


def _loading(part: Part, whole: str, half: bool) -> str:
    """How the published weights are loaded."""
    if part.pretrained:
        return part.pretrained
    arguments = [json.dumps(part.checkpoint)]
    if part.subfolder:
        arguments.append(f'subfolder="{part.subfolder}"')
    if half:
        name = "dtype" if part.module == "transformers" else "torch_dtype"
        arguments.append(f"{name}=torch.bfloat16")
    start = f"{whole} = {part.kind}.from_pretrained"
    return f"    {_call(start, arguments, 4)}\n"


def _creation(part: Part, indent: int, used: int = 0) -> str:
    """The expression that makes the whole with random weights."""
    if not part.configuration:
        return _call(part.kind, _keywords(part.config, indent + 4), indent, used)
    inside = _call(part.configuration, _keywords(part.config, indent + 8), indent + 4)
    if "\n" not in inside and indent + used + len(part.kind) + len(inside) + 2 <= WIDTH:
        return f"{part.kind}({inside})"
    return f"{part.kind}(\n{' ' * (indent + 4)}{inside}\n{' ' * indent})"


def _keywords(values: Mapping[str, Any], indent: int) -> list[str]:
    return [f"{name}={_literal(value, indent, len(name) + 2)}" for name, value in values.items()]


def _call(start: str, arguments: list[str], indent: int, used: int = 0) -> str:
    """A formatted call: on one line, on three, or with one line per argument."""
    inside = ", ".join(arguments)
    if "\n" not in inside:
        if indent + used + len(start) + len(inside) + 2 <= WIDTH:
            return f"{start}({inside})"
        if indent + 4 + len(inside) <= WIDTH:
            return f"{start}(\n{' ' * (indent + 4)}{inside}\n{' ' * indent})"
    lines = "".join(f"{' ' * (indent + 4)}{argument},\n" for argument in arguments)
    return f"{start}(\n{lines}{' ' * indent})"


def _literal(value: Any, indent: int, used: int) -> str:
    """A formatted value; its line already has ``used`` characters."""
    if isinstance(value, dict):
        items = [f'"{name}": {_literal(item, indent + 4, 0)}' for name, item in value.items()]
        brackets = "{}"
    elif isinstance(value, tuple):
        items = [_literal(item, indent + 4, 1) for item in value]
        brackets = "()"
    else:
        return json.dumps(value) if isinstance(value, str) else repr(value)
    inside = ", ".join(items) + ("," if isinstance(value, tuple) and len(items) == 1 else "")
    if "\n" not in inside and indent + used + len(inside) + 2 <= WIDTH:
        return f"{brackets[0]}{inside}{brackets[1]}"
    lines = "".join(f"{' ' * (indent + 4)}{item},\n" for item in items)
    return f"{brackets[0]}\n{lines}{' ' * indent}{brackets[1]}"


def _input(name: str, value: Any, indent: int, half: bool) -> str:
    """The lines of one entry of the inputs."""
    margin = " " * indent
    if isinstance(value, dict):
        inner = "".join(_input(*item, indent + 4, half) for item in value.items())
        return f'{margin}"{name}": {{\n{inner}{margin}}},\n'
    if isinstance(value, str):
        if half and value == RATIO:
            value = RATIO.replace("0.5)", "0.5, dtype=torch.bfloat16)")
        return f'{margin}"{name}": {value},\n'
    arguments = [*map(str, value), *(["dtype=torch.bfloat16"] if half else [])]
    start = f'"{name}": torch.randn'
    return f"{margin}{_call(start, arguments, indent, 1)},\n"
