# Written by .ci/doors from the table in __init__.py.
from turnkeyml.runtimes.contract import (
    Argument as Argument, Device as Device, LiveModel as LiveModel, Monitor as Monitor, Need as
    Need, Plugin as Plugin, Request as Request, Runtime as Runtime, SelfReporting as SelfReporting,
    Session as Session, boolean as boolean,
)
from turnkeyml.runtimes.elsewhere import (
    require_elsewhere as require_elsewhere, require_files as require_files, started_ahead as
    started_ahead,
)
from turnkeyml.runtimes.implements import BaseRT as BaseRT, Stats as Stats
from turnkeyml.runtimes.nvidia.cuda import (
    CudaEvent as CudaEvent, CudaGraph as CudaGraph, CudaStream as CudaStream, DeviceArray as
    DeviceArray, free_memory as free_memory, set_device as set_device, within_device as
    within_device,
)
from turnkeyml.runtimes.nvidia.nvml import gpu_index as gpu_index
from turnkeyml.runtimes.nvidia.profile import (
    OUTSIDE as OUTSIDE, PRODUCTS as PRODUCTS, PlainTimes as PlainTimes, Unprofiled as Unprofiled,
    plain_runs as plain_runs,
)
from turnkeyml.runtimes.nvidia.runtime import INSTANCES as INSTANCES, instances_of as instances_of
from turnkeyml.runtimes.onnxruntime.gpu_session import (
    OrtGpuSession as OrtGpuSession, load_libraries as load_libraries, session_options as
    session_options,
)
from turnkeyml.runtimes.onnxruntime.profile import (
    events_of as events_of, profile_gpu_session as profile_gpu_session,
)
from turnkeyml.runtimes.onnxruntime.session import (
    OrtSession as OrtSession, named_operator as named_operator, read_nodes as read_nodes, run_once
    as run_once, unsound_optimizers as unsound_optimizers,
)
from turnkeyml.runtimes.onnxruntime.settings import (
    CPU as CPU, OrtSettings as OrtSettings, assigned_nodes as assigned_nodes, fallback_stats as
    fallback_stats, full_names as full_names, nodes_on_cpu as nodes_on_cpu,
)
from turnkeyml.runtimes.openvino.session import OpenVinoSession as OpenVinoSession
from turnkeyml.runtimes.plugins import (
    InstalledPlugin as InstalledPlugin, installed_plugins as installed_plugins,
)
from turnkeyml.runtimes.registry import (
    all_devices as all_devices, all_runtimes as all_runtimes, available_runtimes as
    available_runtimes, default_device as default_device, find_device as find_device, find_runtime
    as find_runtime, listed_names as listed_names, local_devices as local_devices,
)
from turnkeyml.runtimes.tensorrt.engine import CompiledEngine as CompiledEngine, Recipe as Recipe
from turnkeyml.runtimes.tensorrt.profile import profile_context as profile_context
from turnkeyml.runtimes.torch.gpu_profile import (
    operators_on_device as operators_on_device, profile_gpu_calls as profile_gpu_calls,
)
from turnkeyml.runtimes.torch.gpu_session import place as place
from turnkeyml.runtimes.torch.profile import (
    Modules as Modules, RUN as RUN, output_of as output_of, shapes_of as shapes_of, weights_of as
    weights_of,
)
from turnkeyml.runtimes.torch.session import (
    CompiledSession as CompiledSession, MOST_BUFFER_BYTES as MOST_BUFFER_BYTES, TorchSession as
    TorchSession, from_numpy as from_numpy, to_numpy as to_numpy,
)
