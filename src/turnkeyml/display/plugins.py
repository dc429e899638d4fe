"""The text of ``turnkey plugins``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from turnkeyml.nouns import PluginInfo

KINDS = ("devices", "runtimes", "sequences", "stages")


def plugin_lines(plugins: Iterable[PluginInfo]) -> list[str]:
    """What each plugin is, what it adds, and its problems."""
    found = list(plugins)
    if not found:
        return ["No plugins are installed; docs/plugins.md shows how to write one."]
    return [line for plugin in found for line in _lines(plugin)]


def _lines(plugin: PluginInfo) -> Iterator[str]:
    yield f"{plugin.name} {plugin.version}".rstrip()
    yield f"    from:       {plugin.source}" + (f" in {plugin.location}" if plugin.location else "")
    for kind in KINDS:
        names = getattr(plugin, kind)
        if names:
            yield f"    {kind + ':':<12}{', '.join(names)}"
    for problem in plugin.problems:
        yield f"    {'problem:':<12}{problem}"
