"""The command line: one file per command, each a thin layer over the API."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "benchit": "translate",
        "entry": "main",
        "parser": "COMMANDS WITHOUT_OPTIONS parse",
        "project_file": "Defaults find_settings",
        "spawn": "DEFAULT_TIMEOUT_SECONDS",
    },
)
