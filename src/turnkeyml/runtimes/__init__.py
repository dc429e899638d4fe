"""Devices and runtimes: one folder per device, one file per runtime."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "contract": (
            "Argument Device LiveModel Monitor Need Plugin Request Runtime SelfReporting "
            "Session boolean"
        ),
        "cuda": "CudaEvent CudaGraph CudaStream DeviceArray free_memory set_device within_device",
        "elsewhere": "require_elsewhere require_files started_ahead",
        "gpu_profile": "OUTSIDE PRODUCTS PlainTimes Unprofiled plain_runs",
        "implements": "BaseRT Stats",
        "nvidia.runtime": "INSTANCES instances_of",
        "nvml": "gpu_index",
        "onnx_nodes": "read_nodes",
        "openvino_session": "OpenVinoSession",
        "ort_gpu_options": "load_libraries session_options",
        "ort_gpu_profile": "profile_gpu_session",
        "ort_gpu_session": "OrtGpuSession",
        "ort_profile": "events_of",
        "ort_providers": "CPU assigned_nodes fallback_stats full_names nodes_on_cpu",
        "ort_session": "OrtSession named_operator run_once unsound_optimizers",
        "ort_settings": "OrtSettings",
        "plugins": "InstalledPlugin installed_plugins",
        "registry": (
            "all_devices all_runtimes available_runtimes default_device find_device "
            "find_runtime listed_names local_devices"
        ),
        "torch_gpu_profile": "operators_on_device profile_gpu_calls",
        "torch_placement": "place",
        "torch_profile": "Modules RUN shapes_of weights_of",
        "torch_session": "CompiledSession TorchSession from_numpy to_numpy",
        "torch_shapes": "output_of",
        "trt_build": "CompiledEngine Recipe",
        "trt_profile": "profile_context",
    },
)
