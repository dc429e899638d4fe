"""The architectures of transformers for images, audio, video and time series: not only token ids.

Most of them take one of a few kinds of input, which follows from the signature of the model. Tables
in this file describe the others: the class, the inputs, and the arguments of the configuration. If
the default configuration gives no model that can run, the catalogue says why.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

from corpora.script import WIDTH, Script, calling
from corpora.sources import transformers_common as common
from corpora.sources.transformers_senses_kinds import KINDS, Kind

__all__ = ["scripts", "survey"]


@dataclass(frozen=True)
class Choice:
    """What the survey cannot find out about a model type."""

    kind: str = ""
    model: str = ""
    """The class, if it is not the one in the tables of the library."""
    task: str = ""
    options: str = ""
    """Arguments of the configuration."""
    height: int = 0
    """The default height of the images, and the width unless it is given."""
    width: int = 0
    text: str = ""
    """The path of the text configuration, if not the usual one; likewise the next two."""
    vision: str = ""
    audio: str = ""
    model_part: str = ""
    left_out: str = ""
    """Why there is no script."""


_FOLLOWS = "Follows objects through a video, in a session that its forward method needs."
_SIGLIP = 'vision_config={"image_size": 896, "patch_size": 14}'
"""The image size that the model is made for; the default gives too few patches."""
_GRANITE_SPEECH = (
    "audio_token_index=31999,"
    ' projector_config={"model_type": "blip_2_qformer", "encoder_hidden_size": 1024}'
)

_NO_MATCH = "The default backbone and what follows it have different numbers of channels."

_CHOICES: Mapping[str, Choice] = {
    # Images
    "conditional_detr": Choice("image", height=800),
    "dab-detr": Choice("image", height=800),
    "deformable_detr": Choice("image", height=800),
    "detr": Choice("image", height=800),
    "table-transformer": Choice("image", height=800),
    "d_fine": Choice("image", height=640),
    "deimv2": Choice("image", height=640),
    "rt_detr": Choice("image", height=640),
    "rt_detr_v2": Choice("image", height=640),
    "rt_detr_resnet": Choice("image", height=640),
    "lw_detr": Choice("image", options="projector_scale_factors=[1.0]", height=640),
    "lw_detr_vit": Choice("image_square"),
    "rf_detr": Choice("image", height=560),
    "pp_doclayout_v2": Choice(
        left_out="The default configuration lacks the thresholds of the classes."
    ),
    "pp_doclayout_v3": Choice("image", height=800),
    "pp_doclayout_v4": Choice("image", height=800),
    "depth_pro": Choice("image", height=1536),
    "glpn": Choice("image", height=480, width=640),
    "zoedepth": Choice("image", height=384, width=512),
    "eomt": Choice("image_square"),
    "eomt_dinov3": Choice("image_square"),
    "mask2former": Choice("image", height=384),
    "maskformer": Choice("image", model="MaskFormerForInstanceSegmentation", height=384),
    "oneformer": Choice("image_and_task", height=512),
    "segformer": Choice(
        "image",
        model="SegformerForSemanticSegmentation",
        task="semantic_segmentation",
        height=512,
    ),
    "upernet": Choice("image", task="semantic_segmentation", height=512),
    "seggpt": Choice(
        "image_and_example", model="SegGptForImageSegmentation", task="semantic_segmentation"
    ),
    "slanet": Choice("image", height=488),
    "slanext": Choice("image_square"),
    "superpoint": Choice("image", height=480, width=640),
    "superglue": Choice(  # with random weights every pixel may be a keypoint, and it pairs them all
        "image_pair",
        options='keypoint_detector_config={"model_type": "superpoint", "max_keypoints": 1024}',
        height=480,
        width=640,
    ),
    "lightglue": Choice("image_pair", height=480, width=640),
    "efficientloftr": Choice("image_pair", height=480, width=640),
    "prompt_depth_anything": Choice("image_and_depth", height=756, width=1008),
    "vitmatte": Choice(
        left_out="The default backbone takes three channels; an image and its trimap have four."
    ),
    "vitpose": Choice("image_oblong", task="keypoint_detection"),
    "uvdoc": Choice(left_out=_NO_MATCH),
    "uvdoc_backbone": Choice("image", height=712, width=488),
    "pp_ocrv5_mobile_det": Choice("image", height=640, task="text_detection"),
    "pp_ocrv5_mobile_rec": Choice(
        left_out="The default backbone makes lines of text too low for what follows it."
    ),
    "pp_ocrv5_server_det": Choice(
        left_out="The default configuration lacks the settings of the intraclass blocks."
    ),
    "pp_ocrv6_medium_det": Choice(
        left_out="The default configuration lacks the settings of the intraclass blocks."
    ),
    "pp_ocrv6_small_det": Choice(left_out=_NO_MATCH),
    "pp_ocrv5_server_rec": Choice("image", height=48, width=320),
    "pp_ocrv6_small_rec": Choice("image", height=48, width=320),
    "pp_ocrv6_tiny_rec": Choice("image", height=48, width=320),
    "edgetam": Choice(left_out=_NO_MATCH),
    "edgetam_vision_model": Choice(left_out=_NO_MATCH),
    "edgetam_video": Choice(left_out=_FOLLOWS),
    "sam2_video": Choice(left_out=_FOLLOWS),
    "sam3_tracker_video": Choice(left_out=_FOLLOWS),
    "sam3_video": Choice(left_out=_FOLLOWS),
    "sapiens2": Choice(model="Sapiens2Model", task="image_feature_extraction"),
    "sam": Choice("image_and_point"),
    "sam_hq": Choice("image_and_point"),
    "sam2": Choice("listed_image_and_point", vision="config.vision_config.backbone_config"),
    "sam3_tracker": Choice("image_and_point"),
    "sam3": Choice(
        "image_and_short_text",
        vision="config.vision_config.backbone_config",
        task="mask_generation",
    ),
    "sam3_lite_text": Choice(
        "image_and_short_text",
        vision="config.vision_config.backbone_config",
        task="mask_generation",
    ),
    "sam3_lite_text_text_model": Choice("colours", task="feature_extraction"),
    "imagegpt": Choice("colours", model="ImageGPTForCausalImageModeling", task="image_generation"),
    "timm_wrapper": Choice("image"),
    "timm_backbone": Choice("image", options='backbone="resnet50"'),
    "mlcd_vision_model": Choice(left_out="The same classes as mlcd."),
    "yolos": Choice("image", height=512, width=864),
    "perceiver": Choice("bytes", model="PerceiverForMaskedLM", task="fill_mask"),
    "vision-encoder-decoder": Choice("image_to_text", task="image_to_text"),
    "cosmos3_edge_vision": Choice("flat_patches"),
    "hunyuan_vl_vision": Choice("flat_patches"),
    "glm_image_vision": Choice("coloured_patches"),
    "glm_image_vqmodel": Choice(left_out="Has no forward method of its own."),
    "muse_glimmer_vision": Choice("deep_patches"),
    "muse_spark_vision": Choice("deep_patches"),
    "video_llama_3_vision": Choice("merged_patches"),
    "kimi_k25_vision": Choice("small_images"),
    "minicpm_ocr_vision": Choice("strip", height=448),
    "minicpmv4_7_vision": Choice("strip", height=448),
    "siglip2_vision_model": Choice("padded_patches", height=256),
    "gemma4_vision": Choice("positioned_patches", height=768),
    "blip_2_qformer": Choice("queries"),
    # Videos
    "timesformer": Choice("video", task="video_feature_extraction"),
    "videomae": Choice("video", task="video_feature_extraction"),
    "vivit": Choice("video", task="video_feature_extraction"),
    "videoprism_vision_model": Choice("named_video", task="video_feature_extraction"),
    "videoprism": Choice("named_video_and_text", task="zero_shot_video_classification"),
    "vjepa2": Choice("cropped_video", task="video_feature_extraction"),
    "videomt": Choice("eight_frames", task="universal_segmentation"),
    "xclip": Choice("video_and_text", task="zero_shot_video_classification"),
    "tvp": Choice("frames_and_text", task="video_feature_extraction"),
    "pe_video_encoder": Choice("free_video", task="video_feature_extraction", height=336),
    "pe_video": Choice("free_video_and_text", task="zero_shot_video_classification", height=336),
    # Sounds
    "audio-spectrogram-transformer": Choice("spectrogram_values"),
    "moonshine": Choice("waveform_to_text"),
    "moonshine_streaming": Choice(
        left_out="The default configuration lacks the number of heads of keys and values."
    ),
    "speecht5": Choice("waveform_to_text", model="SpeechT5ForSpeechToText"),
    "speech-encoder-decoder": Choice("waveform_to_text"),
    "whisper": Choice("window_to_text"),
    "speech_to_text": Choice("spectrogram_of_channels"),
    "canary": Choice("spectrogram_to_text", text="config"),
    "cohere_asr": Choice("spectrogram_to_text", text="config"),
    "wav2vec2-bert": Choice("projected_spectrogram"),
    "seamless_m4t": Choice("projected_spectrogram_to_text"),
    "seamless_m4t_v2": Choice("projected_spectrogram_to_text"),
    "pop2piano": Choice("spectrogram_of_music", task="audio_to_music"),
    "univnet": Choice("spectrogram_and_noise", task="vocoder"),
    "qwen2_audio_encoder": Choice("window"),
    "voxtral_encoder": Choice("window"),
    "audioflamingo3_encoder": Choice("masked_window"),
    "moss_transcribe_diarize_audio": Choice("window"),
    "glmasr_encoder": Choice("columns"),
    "voxtral_realtime_encoder": Choice("columns"),
    "fun_asr_nano_encoder": Choice("stacked_masked_spectrogram"),
    "qwen3_asr_encoder": Choice("chunks"),
    "gemma3n_audio": Choice("unheard_spectrogram", task="audio_feature_extraction"),
    "gemma4_audio": Choice("unnamed_spectrogram"),
    "granite_speech5_ctc": Choice("stacked_spectrogram"),
    "granite_speech5_encoder": Choice("stacked_spectrogram"),
    "nemotron3_5_transcribe_audio": Choice("spectrogram", audio="config.asr_config"),
    "nemotron3_5_transcribe_word_timestamp": Choice("embeddings"),
    "nemotron3_5_asr": Choice("spectrogram_to_token"),
    "nemotron_asr_streaming": Choice("spectrogram_to_token"),
    "parakeet_rnnt": Choice("spectrogram_to_token"),
    "parakeet_tdt": Choice("spectrogram_to_token"),
    "muse_spark_audio": Choice("whole_tokens"),
    "clap": Choice("spectrogram_image_and_text", task="zero_shot_audio_classification"),
    "clvp": Choice(
        "voice_and_text", task="text_to_speech", options='speech_config={"vocab_size": 8194}'
    ),
    "dac": Choice("codec"),
    "encodec": Choice("codec"),
    "mimi": Choice("codec"),
    "mimi_encoder": Choice("codec"),
    "mimi_decoder": Choice("latents"),
    "xcodec": Choice("codec"),
    "xcodec2": Choice("codec_and_spectrogram"),
    "neucodec": Choice("codec_and_spectrogram"),
    "pocket_tts_audio_tokenizer": Choice("codec"),
    "pocket_tts_audio_tokenizer_encoder": Choice("codec"),
    "pocket_tts_audio_tokenizer_decoder": Choice("latents"),
    "vibevoice_acoustic_tokenizer": Choice("certain_codec"),
    "vibevoice_acoustic_tokenizer_encoder": Choice("codec_states"),
    "vibevoice_acoustic_tokenizer_decoder": Choice("hidden_latents"),
    "pe_audio_encoder": Choice("codec"),
    "pe_audio": Choice("codec_and_text", task="zero_shot_audio_classification"),
    "pe_audio_video_encoder": Choice(
        "codec_and_video",
    ),
    "pe_audio_video": Choice("codec_and_video_and_text", task="zero_shot_video_classification"),
    "csm": Choice("codes", task="text_to_speech"),
    "moshi": Choice("colours", model="MoshiForCausalLM", task="text_to_speech"),
    "kyutai_speech_to_text": Choice("text_and_codes"),
    # Images and texts
    "align": Choice("free_image_and_text"),
    "clipseg": Choice(
        "image_and_text", model="CLIPSegForImageSegmentation", task="zero_shot_segmentation"
    ),
    "owlv2": Choice("image_and_queries"),
    "owlvit": Choice("image_and_queries"),
    "siglip2": Choice("patches_and_text"),
    "vision-text-dual-encoder": Choice("image_and_text"),
    "bridgetower": Choice("image_and_text", task="multimodal_feature_extraction"),
    "flava": Choice("image_and_text", task="multimodal_feature_extraction"),
    "vilt": Choice("image_and_text", task="multimodal_feature_extraction", model="ViltModel"),
    "git": Choice("image_and_text", text="config"),
    "blip": Choice("image_and_text"),
    "grounding-dino": Choice("image_and_sentence", height=800),
    "mm-grounding-dino": Choice("image_and_sentence", height=800),
    "omdet-turbo": Choice("image_and_words", height=640),
    "lxmert": Choice("regions_and_text", task="multimodal_feature_extraction"),
    "visual_bert": Choice("embedded_regions_and_text", task="multimodal_feature_extraction"),
    "layoutlmv3": Choice("page", task="document_feature_extraction"),
    "udop": Choice("page_to_text", task="document_to_text"),
    "pix2struct": Choice("numbered_patches_to_text"),
    "pp_formulanet": Choice("image_to_text", task="image_to_text"),
    # Images and sounds in texts
    "llava": Choice("image_in_text", options="image_token_index=31999"),
    "vipllava": Choice("image_in_text", options="image_token_index=31999"),
    "deepseek_vl": Choice("image_in_text", options="image_token_id=31999"),
    "janus": Choice(
        "image_in_text", options='image_token_id=31999, vision_config={"projection_dim": 4096}'
    ),
    "paligemma": Choice("image_in_text"),
    "got_ocr2": Choice("reduced_image_in_text"),
    "pp_chart2table": Choice("reduced_image_in_text"),
    "llava_next": Choice("image_in_tiles", options="image_token_index=31999"),
    "llava_next_video": Choice("image_in_tiles", options="image_token_index=31999"),
    "blip-2": Choice("summary_in_text", options="image_token_index=50265"),
    "instructblip": Choice("instructed_summary_in_text", options="image_token_index=50265"),
    "qwen3_5": Choice(
        "patches_in_text",
        model="Qwen3_5Model",
        task="image_text_to_text",
        options='vision_config={"out_hidden_size": 4096}',
    ),
    "glm_ocr": Choice("patches_in_text", options='vision_config={"out_hidden_size": 1024}'),
    "cosmos3_edge": Choice("flat_patches_in_text"),
    "deepseek_vl_hybrid": Choice("two_views_in_text", options="image_token_id=31999"),
    "fast_vlm": Choice("tall_image_in_text"),
    "fuyu": Choice("plain_patches_in_text", model="FuyuModel", task="image_text_to_text"),
    "florence2": Choice("image_in_text_to_text", options="image_token_id=50264"),
    "gemma3": Choice("pooled_image_in_text", options=_SIGLIP),
    "shieldgemma2": Choice(
        "pooled_image_in_text",
        model="ShieldGemma2ForImageClassification",
        task="image_classification",
        options=_SIGLIP,
    ),
    "gemma3n": Choice("soft_image_in_text"),
    "gemma4": Choice(
        "positioned_patches_in_text",
        options='vision_config={"model_type": "gemma4_vision"}',
        height=768,
    ),
    "gemma4_unified": Choice(
        "unpooled_patches_in_text",
        options='vision_config={"model_type": "gemma4_unified_vision"}',
        height=768,
    ),
    "embedding_gemma2": Choice(
        "positioned_patches_in_text",
        options='vision_config={"model_type": "gemma4_vision"}',
        height=768,
    ),
    "idefics2": Choice("resampled_image_in_text", options="image_token_id=31999"),
    "idefics3": Choice("shuffled_image_in_text", options="image_token_id=31999"),
    "smolvlm": Choice("shuffled_image_in_text", options="image_token_id=31999"),
    "instructblipvideo": Choice("frames_in_text", options="video_token_index=50265"),
    "kosmos-2": Choice("masked_image_in_text"),
    "kosmos-2.5": Choice("numbered_patches_in_text"),
    "lfm2_vl": Choice("padded_patches_in_text", height=256),
    "lighton_ocr": Choice("free_image_in_text", height=1008),
    "minicpm_ocr": Choice("strip_in_text", options="image_token_id=248319", height=448),
    "minicpmv4_6": Choice(
        "strip_in_text",
        model="MiniCPMV4_6Model",
        task="image_text_to_text",
        options="image_token_id=248319",
        height=448,
    ),
    "minicpmv4_7": Choice(
        "strip_in_marked_text",
        model="MiniCPMV4_7Model",
        task="image_text_to_text",
        options="image_token_id=248319",
        height=448,
    ),
    "modernvbert": Choice(
        "image_in_masked_text", options='image_token_id=50367, vision_config={"image_size": 512}'
    ),
    "colmodernvbert": Choice(
        "image_in_masked_text",
        options=('vlm_config={"image_token_id": 50367, "vision_config": {"image_size": 512}}'),
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
    ),
    "colpali": Choice(
        "image_in_query",
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
    ),
    "ultravbert": Choice(
        "image_in_masked_text", options='image_token_id=31999, vision_config={"image_size": 512}'
    ),
    "molmo2": Choice("pooled_patches_in_text", options='adapter_config={"text_hidden_size": 4096}'),
    "neomme": Choice("bare_patches_in_text", task="multimodal_feature_extraction"),
    "nemotron_h_omni": Choice("grids_in_text", options="image_token_id=131071", height=512),
    "paddleocr_vl": Choice("small_images_in_text", height=392),
    "phi4_multimodal": Choice("crops_in_text", model="Phi4MultimodalForCausalLM"),
    "pi0": Choice(
        "image_and_action",
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
        task="robotics",
    ),
    "t5gemma2": Choice(
        "pooled_image_in_text_to_text",
        options='encoder={"vision_config": {"image_size": 896, "patch_size": 14}}',
        vision="config.encoder",
    ),
    "t5gemma2_encoder": Choice(left_out="The default configuration lacks the dropout rate."),
    "unlimited_ocr": Choice("rows_in_text"),
    "video_llava": Choice("image_in_text", options="image_token_index=31999"),
    "fun_asr_nano": Choice("sound_in_text"),
    "glmasr": Choice("columns_in_text"),
    "granite_speech": Choice("windows_in_text", options=_GRANITE_SPEECH),
    "granite_speech_plus": Choice("windows_in_text", options=_GRANITE_SPEECH),
    "moss_transcribe_diarize": Choice("half_a_minute_in_text"),
    "qwen3_asr": Choice("chunks_in_text", options='audio_config={"output_dim": 2048}'),
    "voxtral": Choice("half_a_minute_in_late_text", options="audio_token_id=24"),
    "voxtral_realtime": Choice("sound_with_text"),
    "pocket_tts": Choice("text_and_speech", model="PocketTTSModel", task="text_to_speech"),
    "gradium_phonon_tts": Choice(
        "text_and_speech", model="GradiumPhononTTSModel", task="text_to_speech"
    ),
    "aya_vision": Choice(
        left_out="The default image encoder has a width that its heads do not divide."
    ),
    "chameleon": Choice(left_out="The default configuration lacks the vocabulary of images."),
    "emu3": Choice(left_out="The default configuration lacks the vocabulary of images."),
    "cohere_compass": Choice(
        left_out="The default configuration lacks the settings of the attention layers."
    ),
    "deepseek_ocr2": Choice(left_out="The default configuration lacks the kinds of the layers."),
    "diffusion_gemma": Choice(left_out="The default configuration lacks the number of experts."),
    "granite4_vision": Choice(
        left_out="The default configuration lacks the layers to take features from."
    ),
    "hunyuan_vl": Choice(
        left_out="The default configuration lacks the size of the attention heads."
    ),
    "perception_lm": Choice(left_out="The default image encoder lacks its settings."),
    "qwen3_omni_moe": Choice(
        left_out="The default configuration lacks the size of the shared experts."
    ),
    "qwen4_exp": Choice(left_out="The default configuration lacks the number of attention heads."),
    "dinat": Choice(left_out="Needs the package natten, which has to be built for the machine."),
    "layoutlmv2": Choice(left_out="Needs the package detectron2, which is not on PyPI."),
    # Series of figures
    "patchtst": Choice("channels"),
    "patchtsmixer": Choice("channels"),
    "timesfm": Choice("padded_series", model="TimesFmModel", task="time_series_forecasting"),
    "timesfm2_5": Choice("series", model="TimesFm2_5Model", task="time_series_forecasting"),
    "autoformer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "informer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "time_series_transformer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "decision_transformer": Choice("decisions", task="reinforcement_learning"),
}

_TASKS = {
    "OBJECT_DETECTION": "object_detection",
    "ZERO_SHOT_OBJECT_DETECTION": "zero_shot_object_detection",
    "UNIVERSAL_SEGMENTATION": "universal_segmentation",
    "DEPTH_ESTIMATION": "depth_estimation",
    "KEYPOINT_DETECTION": "keypoint_detection",
    "KEYPOINT_MATCHING": "keypoint_matching",
    "MASK_GENERATION": "mask_generation",
    "IMAGE_MATTING": "image_matting",
    "IMAGE_TO_IMAGE": "image_to_image",
    "TABLE_RECOGNITION": "table_recognition",
    "TEXT_RECOGNITION": "image_to_text",
    "IMAGE_TEXT_TO_TEXT": "image_text_to_text",
    "SPEECH_SEQ_2_SEQ": "automatic_speech_recognition",
    "RNNT": "automatic_speech_recognition",
    "TDT": "automatic_speech_recognition",
    "RETRIEVAL": "visual_document_retrieval",
    "TIME_SERIES_PREDICTION": "time_series_forecasting",
    "TEXT_TO_WAVEFORM": "text_to_speech",
    "MULTIMODAL_LM": "image_text_to_text",
}
"""The characteristic heads of architectures, in order of preference."""


def survey() -> list[dict[str, Any]]:
    """One row per architecture of the installed library, also for those without a script."""
    return [_row(each) for each in common.architectures() if not common.is_text(each)]


def _row(architecture: common.Architecture) -> dict[str, Any]:
    """One row of the catalogue; creates the model on the meta device."""
    choice = _CHOICES.get(architecture.model_type, Choice())
    head, name = _head(architecture, choice)
    row: dict[str, Any] = {
        "name": architecture.model_type,
        "kind": "",
        "config": architecture.config,
        "model": name,
        "auto": _auto(architecture, name),
        "task": choice.task or _TASKS.get(head) or _task(architecture),
        "options": choice.options,
        "source": architecture.source,
        "documented_with": architecture.checkpoint,
        "parameters": "",
    }
    reason = choice.left_out
    if architecture.requires:
        reason = reason or f"Needs the package {' and '.join(architecture.requires)}."
    if reason:
        return row | {"left_out": reason}
    config = _config(architecture.config, choice.options)
    model = common.model_class(name, architecture.module)
    row["parameters"] = common.parameters(config, model)
    if row["parameters"] > common.LARGEST:
        size = f"{row['parameters'] / 1e9:.1f}"
        return row | {"left_out": f"The default configuration has {size} B parameters."}
    return row | _calling(architecture, choice, config, model)


def _head(architecture: common.Architecture, choice: Choice) -> tuple[str, str]:
    """The characteristic head of an architecture, if any, and the class to create."""
    heads = architecture.heads
    if choice.model:
        return next((head for head in heads if heads[head] == choice.model), ""), choice.model
    head = next((head for head in _TASKS if head in heads), "")
    return head, heads.get(head) or architecture.model


def _auto(architecture: common.Architecture, name: str) -> str:
    """The class that creates the model in a given precision."""
    if name == architecture.base:
        return "AutoModel"
    return next((_AUTO[head] for head in _AUTO if architecture.heads.get(head) == name), "")


def _task(architecture: common.Architecture) -> str:
    """The task of a model without a characteristic head: feature extraction."""
    if "ZERO_SHOT_IMAGE_CLASSIFICATION" in architecture.heads:
        return "zero_shot_image_classification"
    if architecture.base.endswith("CTC"):
        return "automatic_speech_recognition"
    sense = {
        "pixel_values": "image",
        "pixel_values_videos": "video",
        "input_values": "audio",
        "input_features": "audio",
        "latents": "audio",
        "past_values": "time_series",
    }.get(architecture.main_input_name)
    senses = [sense, *(each for each in architecture.modalities if each != "text")]
    first = next((each for each in senses if each), "")
    return f"{first}_feature_extraction" if first else "feature_extraction"


def _config(name: str, options: str) -> Any:
    """The configuration that a script creates."""
    import transformers

    return getattr(transformers, name)(**eval(f"dict({options})"))


def _calling(
    architecture: common.Architecture, choice: Choice, config: Any, model: Any
) -> dict[str, Any]:
    """How to call a model: the kind of its inputs, and their sizes by default."""
    parts = {**_parts(config), "model_part": ""}
    parts |= {name: place for name in parts if (place := getattr(choice, name))}
    height, width = _size(config)
    if choice.height:
        height, width = choice.height, choice.width or choice.height
    kind = choice.kind or _kind(list(inspect.signature(model.forward).parameters)[1:])
    if kind == "image" and not choice.kind:
        kind = _image_kind(architecture.config, model, height, width)
    parameters = KINDS[kind].parameters
    return {
        "kind": kind,
        **parts,
        "height": height if "height" in parameters else "",
        "width": width if "height" in parameters else "",
        "max_seq_length": _longest(parts["text"], config) if "max_seq_length" in parameters else "",
        "checkpoint": _checkpoint(architecture),
    }


def _parts(config: Any) -> dict[str, str]:
    """The paths of the nested configurations."""
    candidates = {
        "text": ("text_config", "decoder_config", "decoder"),
        "vision": ("vision_config", "backbone_config", "image_config", "encoder"),
        "audio": ("encoder_config", "audio_config", "vision_config"),
    }
    return {
        part: next(
            (f"config.{name}" for name in names if getattr(config, name, None) is not None),
            "config",
        )
        for part, names in candidates.items()
    }


def _size(config: Any) -> tuple[int, int]:
    """Height and width of the images that a model is configured for."""
    parts = [getattr(config, name, None) for name in ("vision_config", "backbone_config")]
    for part in (config, *parts):
        size = getattr(part, "image_size", None)
        if isinstance(size, int):
            return size, size
        if size:
            return size[0], size[1]
    return 224, 224


def _longest(where: str, config: Any) -> int | str:
    """The length of text to use instead of the standard one, if that is too long."""
    text = getattr(config, where.partition(".")[2], None) or config
    positions = getattr(text, "max_position_embeddings", None) or 0
    return positions if 0 < positions < 128 else ""


def _kind(names: Sequence[str]) -> str:
    """The kind of inputs, from the names of the arguments."""
    if "grid_thw" in names:
        return "patches"
    if names[:2] == ["input_ids", "pixel_values"]:
        return "image_and_text"
    return {
        "pixel_values": "image",
        "input_values": "waveform",
        "input_features": "spectrogram",
    }[names[0]]


def _image_kind(config: str, model: Any, height: int, width: int) -> str:
    """Whether a model takes images of any size, or only of the size that it was created for."""
    other = (height + 64, width + 128)
    if _runs(model, config, "", other):
        return "image"
    if _runs(model, config, f"image_size={other}", other):
        return "image_sized"
    return "image_square" if height == width else "image_oblong"


def _runs(model: Any, config: str, options: str, size: tuple[int, int]) -> bool:
    """Whether a model runs with images of a size, tried on the meta device."""
    import torch
    from huggingface_hub.errors import StrictDataclassError

    try:
        with torch.device("meta"):
            model(_config(config, options)).eval()(torch.rand(1, 3, *size))
    except (RuntimeError, TypeError, ValueError, StrictDataclassError):
        return False
    return True


def _checkpoint(architecture: common.Architecture) -> str:
    """The checkpoint that ``pretrained`` loads; empty if only a larger model is published."""
    name = architecture.model_type
    if name in _CHECKPOINTS:
        return _CHECKPOINTS[name]
    part = re.search(r"_(vision|audio|encoder|decoder|qformer|vqmodel|vit|backbone)$", name)
    return "" if part else architecture.checkpoint


_CHECKPOINTS = {
    "blip_2_qformer": "",
    "colpali": "vidore/colpali-v1.3-hf",
    "donut-swin": "",
    "edgetam_vision_model": "",
    "got_ocr2": "stepfun-ai/GOT-OCR-2.0-hf",
    "hgnet_v2": "ustc-community/hgnet-v2",
    "maskformer-swin": "",
    "mobilevit": "apple/mobilevit-small",
    "nemotron3_5_transcribe_word_timestamp": "",
    "pe_audio": "",
    "pe_video": "",
    "pixtral": "",
    "pp_lcnet_v3": "",
    "pp_lcnet_v4": "",
    "prompt_depth_anything": "depth-anything/prompt-depth-anything-vits-hf",
    "rf_detr_dinov2": "",
    "rt_detr_resnet": "",
    "sam": "facebook/sam-vit-base",
    "sam2_hiera_det_model": "",
    "sam2_vision_model": "",
    "sam3_lite_text_text_model": "",
    "sam3_vision_model": "",
    "sam3_vit_model": "",
    "sam_hq_vision_model": "",
    "sam_vision_model": "",
    "seamless_m4t_v2": "facebook/seamless-m4t-v2-large",
    "segformer": "nvidia/segformer-b0-finetuned-ade-512-512",
    "sew": "asapp/sew-tiny-100k",
    "sew-d": "asapp/sew-d-tiny-100k",
    "timm_wrapper": "timm/resnet50.a1_in1k",
    "vitdet": "",
    "xcodec": "hf-audio/xcodec-hubert-librispeech",
}
"""Published weights, if those that the library names do not fit; empty if the model is only
published as a part of a larger one."""

_LICENSES = {
    "Intel/tvp-base": "other",
    "LiquidAI/LFM2-VL-1.6B": "other",
    "Salesforce/blip-vqa-base": "bsd-3-clause",
    "Salesforce/blip2-opt-2.7b": "mit",
    "Salesforce/instructblip-flan-t5-xl": "mit",
    "adept/fuyu-8b": "cc-by-nc-4.0",
    "apple/DepthPro": "apple-amlr",
    "apple/aimv2-large-patch14-224-lit": "apple-amlr",
    "apple/mobilevit-small": "other",
    "apple/mobilevitv2-1.0": "other",
    "facebook/dinov3-convnext-tiny-pretrain-lvd1689m": "other",
    "facebook/dinov3-vits16-pretrain-lvd1689m": "other",
    "facebook/hf-seamless-m4t-medium": "cc-by-nc-4.0",
    "facebook/hiera-base-224": "cc-by-nc-4.0",
    "facebook/ijepa_vith14_1k": "cc-by-nc-4.0",
    "facebook/sam3": "other",
    "facebook/seamless-m4t-v2-large": "cc-by-nc-4.0",
    "google/gemma-3-4b-it": "gemma",
    "google/gemma-3n-E4B": "gemma",
    "google/paligemma-3b-pt-224": "gemma",
    "google/shieldgemma-2-4b-it": "gemma",
    "google/t5gemma-2-270m-270m": "gemma",
    "kyutai/mimi": "cc-by-4.0",
    "kyutai/stt-2.6b-en-trfs": "cc-by-4.0",
    "magic-leap-community/superglue_indoor": "other",
    "magic-leap-community/superpoint": "other",
    "microsoft/git-base": "mit",
    "microsoft/kosmos-2-patch14-224": "mit",
    "microsoft/kosmos-2.5": "mit",
    "microsoft/layoutlmv3-base": "cc-by-nc-sa-4.0",
    "microsoft/speecht5_asr": "mit",
    "microsoft/Phi-4-multimodal-instruct": "mit",
    "microsoft/udop-large": "mit",
    "microsoft/xclip-base-patch32": "mit",
    "nvidia/canary-1b-v2": "cc-by-4.0",
    "nvidia/parakeet-ctc-1.1b": "cc-by-4.0",
    "nvidia/parakeet-rnnt-0.6b": "cc-by-4.0",
    "nvidia/parakeet-tdt-0.6b-v3": "cc-by-4.0",
    "nvidia/segformer-b0-finetuned-ade-512-512": "other",
    "openai/clip-vit-base-patch32": "mit",
}
"""The licenses of further checkpoints that differ from the library."""

_AUTO = {
    "IMAGE_TEXT_TO_TEXT": "AutoModelForImageTextToText",
    "MULTIMODAL_LM": "AutoModelForMultimodalLM",
    "SPEECH_SEQ_2_SEQ": "AutoModelForSpeechSeq2Seq",
    "CAUSAL_LM": "AutoModelForCausalLM",
    "PRETRAINING": "AutoModelForPreTraining",
    "IMAGE_CLASSIFICATION": "AutoModelForImageClassification",
}
"""The classes that create models with a head in a given precision."""

_SAMPLES = ("decision_transformer", "mobilenet_v2", "segformer")
"""Small and quick ones."""

_WITHOUT_GRADIENTS = ("depth_pro", "tvp")
"""Models with many images, whose gradients would need more than 17 GB."""


def scripts(rows: Sequence[Mapping[str, str]]) -> Iterator[Script]:
    """One script per architecture that is not left out."""
    return (_script(row) for row in rows if row["kind"])


def _script(row: Mapping[str, str]) -> Script:
    kind = KINDS[row["kind"]]
    size = int(row["parameters"])
    large = size > common.ABOVE_THIS_BFLOAT16
    creator = row["auto"] if large else row["model"]
    own = ("pretrained",) if row["checkpoint"] else ()
    defaults = {name: int(row[name]) for name in ("max_seq_length", "height", "width") if row[name]}
    usual = {"height": 224, "width": 224}
    return Script(
        corpus="transformers",
        name=common.file_name(row["name"]),
        author=common.author(row["checkpoint"] or row["documented_with"]),
        task=row["task"],
        license=_LICENSES.get(row["checkpoint"]) or common.license_of(row["checkpoint"]),
        source=f"{row['model']} of transformers in its default configuration.\n\n"
        f"{common.url(row['source'])}",
        imports=("\n".join(_import(creator, row["config"])),),
        parameters=(*kind.parameters, *own),
        defaults={name: value for name, value in defaults.items() if usual.get(name) != value},
        params=size,
        body=_body(row, kind, creator, large),
        sample=row["name"] in _SAMPLES,
    )


def _body(row: Mapping[str, str], kind: Kind, creator: str, large: bool) -> str:
    more = f", {kind.more}" if kind.more else ""
    return "\n".join(
        [
            "# The model and its inputs",
            *_creation(row, creator, large),
            "model.eval()",
            *_inputs(row, kind, large),
            "",
            calling(f"model(**inputs{more})", row["name"] not in _WITHOUT_GRADIENTS),
        ]
    )


_PARTS = {"text": "language", "vision": "vision", "audio": "audio", "model_part": "whole"}
"""The variable names of nested configurations in scripts."""


def _inputs(row: Mapping[str, str], kind: Kind, large: bool) -> list[str]:
    """Lines that create the inputs."""
    lines = [*kind.before, *kind.inputs.values()]
    places = {"dtype": ", dtype=torch.bfloat16" if large else ""}
    before = []
    for part, name in _PARTS.items():
        place = row[part] or "config"
        places[part] = name if "." in place else place
        if "." in place and any(f"${part}." in line for line in lines):
            before.append(f"{name} = model.{place}")
    filled = [Template(line).substitute(places) for line in lines]
    if any(re.search(r"\bconfig\.", line) for line in filled):
        before.insert(0, "config = model.config")
    for line in filled[: len(kind.before)]:
        before += _fitted(line)
    return before + _mapping(dict(zip(kind.inputs, filled[len(kind.before) :], strict=True)))


def _import(*names: str) -> list[str]:
    """The import of classes, on several lines if it does not fit on one."""
    line = f"from transformers import {', '.join(sorted(names))}"
    if len(line) <= WIDTH:
        return [line]
    return ["from transformers import (", *(f"    {name}," for name in sorted(names)), ")"]


def _creation(row: Mapping[str, str], creator: str, large: bool) -> list[str]:
    """Lines that create the model, with published or with random weights.

    Only the ``Auto`` classes have a public way to create a model directly in bfloat16.
    """
    sized = "image_size=(height, width)" if row["kind"] == "image_sized" else ""
    options = ", ".join(each for each in (row["options"], sized) if each)
    indent = "    " if row["checkpoint"] else ""
    settings, before = f"{row['config']}({options})", []
    if row["options"]:
        settings, before = "settings", _fitted(f"{indent}settings = {settings}")
    function, arguments = creator, [settings]
    if large:
        function, arguments = f"{creator}.from_config", [settings, "dtype=torch.bfloat16"]
    new = [*before, *_call(f"{indent}model = ", function, arguments)]
    if not row["checkpoint"]:
        return new
    dtype = "torch.bfloat16" if large else "torch.float32"
    published = [f'"{row["checkpoint"]}"', f"dtype={dtype}"]
    loaded = _call("    model = ", f"{creator}.from_pretrained", published)
    return ["if pretrained:", *loaded, "else:", *new]


def _fitted(line: str, after: str = "") -> list[str]:
    """A line that ends in a call, on several lines if necessary."""
    if len(line + after) <= WIDTH:
        return [line + after]
    before, _, inside = line.partition("(")
    name = before.rsplit(maxsplit=1)[-1]
    return _call(before.removesuffix(name), name, [inside.removesuffix(")")], after)


def _call(before: str, function: str, arguments: Sequence[str], after: str = "") -> list[str]:
    """A formatted call: on one line, on three, or with one line per argument."""
    inside = ", ".join(arguments)
    line = f"{before}{function}({inside}){after}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(before) - len(before.lstrip()))
    lines = [f"{indent}    {inside}"]
    if len(lines[0]) > WIDTH:
        lines = [f"{indent}    {argument}," for argument in _arguments(inside)]
    return [f"{before}{function}(", *lines, f"{indent}){after}"]


def _arguments(inside: str) -> list[str]:
    """The arguments of a call."""
    text = f"f({inside})"
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    found = (ast.get_source_segment(text, each) for each in (*call.args, *call.keywords))
    return [segment for segment in found if segment]


def _mapping(inputs: Mapping[str, str]) -> list[str]:
    """The inputs, on one line if they fit."""
    entries = [f'"{name}": {expression}' for name, expression in inputs.items()]
    line = f"inputs = {{{', '.join(entries)}}}"
    if len(entries) == 1 and len(line) <= WIDTH:
        return [line]
    lines = [line for entry in entries for line in _fitted(f"    {entry}", ",")]
    return ["inputs = {", *lines, "}"]
