"""Engines, devices, and runtimes: the pairs of both.

Each engine (ONNX Runtime, TensorRT, OpenVINO, PyTorch) and each kind of device has a folder, which
the registry finds. The docstring of contract.py says what the folder of another one contains.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "contract": (
            "Argument Device LiveModel Monitor Need Plugin Request Runtime SelfReporting "
            "Session boolean"
        ),
        "elsewhere": "require_elsewhere require_files started_ahead",
        "implements": "BaseRT Stats",
        "nvidia.cuda": (
            "CudaEvent CudaGraph CudaStream DeviceArray free_memory set_device within_device"
        ),
        "nvidia.nvml": "gpu_index",
        "nvidia.profile": "OUTSIDE PRODUCTS PlainTimes Unprofiled plain_runs",
        "nvidia.runtime": "INSTANCES instances_of",
        "onnxruntime.gpu_session": "OrtGpuSession load_libraries session_options",
        "onnxruntime.profile": "events_of profile_gpu_session",
        "onnxruntime.session": "OrtSession named_operator read_nodes run_once unsound_optimizers",
        "onnxruntime.settings": (
            "CPU OrtSettings assigned_nodes fallback_stats full_names nodes_on_cpu"
        ),
        "openvino.session": "OpenVinoSession",
        "plugins": "InstalledPlugin installed_plugins",
        "registry": (
            "all_devices all_runtimes available_runtimes default_device find_device "
            "find_runtime listed_names local_devices"
        ),
        "tensorrt.engine": "CompiledEngine Recipe",
        "tensorrt.profile": "profile_context",
        "torch.gpu_profile": "operators_on_device profile_gpu_calls",
        "torch.gpu_session": "place",
        "torch.profile": "Modules RUN output_of shapes_of weights_of",
        "torch.session": "CompiledSession MOST_BUFFER_BYTES TorchSession from_numpy to_numpy",
    },
)
