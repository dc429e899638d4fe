"""Limitations of PyTorch's TorchScript and dynamo exporters."""

from turnkeyml.workarounds.workaround import Workaround

HISTORY_IN_CONSTANTS = Workaround(
    id="torchscript_history_in_constants",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong=(
        "The TorchScript exporter fails on a tensor attribute that has a `grad_fn`, even "
        "under `no_grad`."
    ),
    remedy="We detach such tensors.",
    where="turnkeyml.frameworks.torch.export:_detached",
    upstream="https://github.com/pytorch/pytorch/issues/91750",
)

SCRIPTED_INSIDE_MODULE = Workaround(
    id="torchscript_scripted_inside_module",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The TorchScript exporter cannot export a module that contains a scripted module.",
    remedy="We export a scripted model without our wrapper.",
    where="turnkeyml.frameworks.torch.wrappers:FlatModule.as_exported",
    upstream="https://github.com/pytorch/pytorch/issues/86261",
)

CUSTOM_CONTAINERS = Workaround(
    id="export_of_custom_containers",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="Neither exporter supports a model that returns an object of a custom class.",
    remedy="We wrap models so that they take and return tensors only.",
    where="turnkeyml.frameworks.torch.wrappers:FlatModule",
)

DYNAMO_OPSET = Workaround(
    id="dynamo_opset",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="Asked for opset 11, the dynamo exporter writes opset 18 and does not fail.",
    remedy="We read the opset back from the file.",
    where="turnkeyml.frameworks.torch.export:_check_opset",
)

DYNAMO_COMPLEX_OUTPUTS = Workaround(
    id="dynamo_complex_outputs",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The dynamo exporter writes a complex output as float32 with one more dimension.",
    remedy="We convert it back to complex numbers before comparing.",
    where="turnkeyml.verify.comparison:_complex_again",
)

DYNAMO_ERROR_HIDES_CAUSE = Workaround(
    id="dynamo_error_hides_cause",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="The message of a failed dynamo export begins with advice; the reason is in `__cause__`.",
    remedy="We report the root cause.",
    where="turnkeyml.frameworks.torch.export:_root",
)

EXPORTED_PROGRAM_EVAL = Workaround(
    id="exported_program_eval",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="`eval()` on the module of an exported program raises NotImplementedError.",
    remedy="We leave such a module in its current mode.",
    where="turnkeyml.frameworks.torch.running:eval_mode",
    upstream="https://github.com/pytorch/pytorch/issues/151726",
)

GLOBAL_PRE_HOOK_KWARGS = Workaround(
    id="torch_global_pre_hook_kwargs",
    package="torch",
    seen=("2.6.0", "2.14.1"),
    wrong="A global forward pre-hook does not see keyword arguments.",
    remedy="We replace `Module.__call__` while a script runs.",
    where="turnkeyml.frameworks.torch.recorder:TorchRecorder.watching",
)
