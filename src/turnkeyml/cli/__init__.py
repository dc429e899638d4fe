"""The command line: one file per command, each a thin layer over the API."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "benchit": "translate",
        "defaults": "Defaults find_settings",
        "entry": "main",
        "parser": "COMMANDS WITHOUT_OPTIONS parse",
        "spawn": "DEFAULT_TIMEOUT_SECONDS",
    },
)
