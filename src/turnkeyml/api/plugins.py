"""``list_plugins``: the plugins of this environment."""

from __future__ import annotations

from turnkeyml.build import sequence_names
from turnkeyml.nouns import PluginInfo
from turnkeyml.runtimes import all_devices, installed_plugins


def list_plugins() -> list[PluginInfo]:
    """Every installed plugin, what it adds, and what is wrong with it. It imports all of them."""
    all_devices()
    sequence_names()  # both register everything, and note what is wrong
    return [
        PluginInfo(
            name=plugin.name,
            version=plugin.version,
            source=plugin.source,
            location=plugin.location,
            problems=tuple(plugin.problems),
            **{kind: tuple(names) for kind, names in plugin.accepted.items()},
        )
        for plugin in installed_plugins()
    ]
