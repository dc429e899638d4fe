"""A plugin with two runtimes, found by the name of its package."""

from .runtime import ExampleRT, SelfTimedRT

implements = {
    "runtimes": {
        "example-rt": {
            "build_required": True,
            "RuntimeClass": ExampleRT,
            "supported_devices": {"x86"},
            "default_sequence": "optimize-fp32",
            "status_stats": ["nodes"],
        },
        "example-self-timed": {
            "build_required": True,
            "RuntimeClass": SelfTimedRT,
            "supported_devices": {"x86"},
        },
    },
}
