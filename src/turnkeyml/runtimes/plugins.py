"""Finding and importing the plugins of this environment.

A plugin is a package ``turnkeyml_plugin_NAME`` with an ``implements`` dictionary, or an entry point
in the group ``turnkeyml.plugins`` that is a ``Plugin``. The files of the environment are searched
by name first, as importing the library for entry points takes longer than all of that. Whatever
is wrong with a plugin is one sentence, and costs the others nothing.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from turnkeyml.errors import describe
from turnkeyml.runtimes.contract import Plugin

GROUP = "turnkeyml.plugins"
"""The group of the entry points."""
PREFIX = "turnkeyml_plugin_"
"""How the names of packages with an ``implements`` dictionary begin."""

_METADATA = (".dist-info", ".egg-info")


@dataclass
class InstalledPlugin:
    """A plugin of this environment, and what became of it."""

    name: str
    version: str
    location: str
    """Where it was imported from."""
    source: str
    """How it was found: its entry point, or the package by its name."""
    distribution: str = ""
    """The name by which pip knows it; empty if it was not installed."""
    content: Plugin = field(default_factory=Plugin)
    extends_devices: bool = False
    """Whether a device of a known name adds its parts to that device."""
    accepted: dict[str, list[str]] = field(default_factory=dict)
    """The names that were registered, by kind: devices, runtimes, sequences, stages."""
    problems: list[str] = field(default_factory=list)

    def accept(self, kind: str, name: str) -> None:
        self.accepted.setdefault(kind, []).append(name)

    def refuse(self, what: str, advice: str = "change it") -> None:
        """Note a problem as a sentence that names the plugin and says what to do."""
        removal = f", or run 'pip uninstall {self.distribution}'" if self.distribution else ""
        self.problems.append(f"The plugin {self.name} {what}; {advice}{removal}.")


@dataclass(frozen=True)
class _Distribution:
    """An installed distribution that has a plugin."""

    name: str
    version: str
    entry_points: tuple[tuple[str, str], ...]
    """The name and the value of each one in our group."""
    packages: tuple[str, ...]
    """Its packages whose names begin with ``PREFIX``."""


@functools.cache
def installed_plugins() -> tuple[InstalledPlugin, ...]:
    """Every plugin of this environment, imported, in the order of their names."""
    found: dict[str, InstalledPlugin] = {}
    packages: dict[str, _Distribution | None] = dict.fromkeys(_packages())
    entered: set[str] = set()
    for distribution in _distributions():
        packages |= dict.fromkeys(distribution.packages, distribution)
        for name, value in distribution.entry_points:
            entered.add(value.partition(":")[0].partition(".")[0])
            if name in found:
                found[name].refuse(
                    f"has an entry point of the same name as the distribution {distribution.name}"
                )
                continue
            found[name] = _from_entry_point(name, value, distribution)
    for package in sorted(set(packages) - entered):
        found[package] = _from_package(package, packages[package])
    return tuple(found[name] for name in sorted(found))


def problems() -> list[str]:
    """A sentence for each problem of a plugin, if plugins were looked for; imports none."""
    if not installed_plugins.cache_info().currsize:
        return []
    return [problem for plugin in installed_plugins() for problem in plugin.problems]


def _from_entry_point(name: str, value: str, distribution: _Distribution) -> InstalledPlugin:
    plugin = InstalledPlugin(
        name, distribution.version, "", f"entry point {value}", distribution.name
    )
    module, _, attribute = value.partition(":")
    found = _import(plugin, module)
    if found is None:
        return plugin
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part, None)
    if isinstance(found, Plugin):
        plugin.content = found
    else:
        plugin.refuse(f"has an entry point {value} that is no turnkeyml.runtimes.contract.Plugin")
    return plugin


def _from_package(package: str, distribution: _Distribution | None) -> InstalledPlugin:
    plugin = InstalledPlugin(package, "", "", f"package {package}")
    if distribution is not None:
        plugin.version, plugin.distribution = distribution.version, distribution.name
    module = _import(plugin, package)
    if module is None:
        return plugin
    plugin.version = plugin.version or str(getattr(module, "__version__", ""))
    implements = getattr(module, "implements", None)
    if not isinstance(implements, dict):
        plugin.refuse("has no dictionary 'implements'", f"define it in {package}/__init__.py")
        return plugin
    from turnkeyml.runtimes.implements import read_implements

    plugin.extends_devices = True
    try:
        plugin.content = read_implements(implements, plugin)
    except Exception as error:  # noqa: BLE001 - a dictionary may hold anything
        plugin.refuse(f"has an 'implements' that cannot be read: {describe(error)}")
    return plugin


def _import(plugin: InstalledPlugin, module: str) -> Any:
    """A module of a plugin; None, and a problem, if it cannot be imported."""
    try:
        # Standard output may be a document for another program.
        with contextlib.redirect_stdout(sys.stderr):
            found = import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
        plugin.refuse(f"cannot be imported: {describe(error)}", "repair it")
        return None
    plugin.location = str(Path(getattr(found, "__file__", None) or "").parent)
    return found


def _entries() -> Iterator[os.DirEntry[str]]:
    """Every file and folder in the folders that Python imports from."""
    for folder in dict.fromkeys(path or os.curdir for path in sys.path):
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            yield from entries


def _packages() -> Iterator[str]:
    """The importable packages and modules that have the name of a plugin."""
    for entry in _entries():
        if entry.name.startswith(PREFIX) and not entry.name.endswith(_METADATA):
            name, extension = os.path.splitext(entry.name)
            if name.isidentifier() and (extension == ".py" or (not extension and entry.is_dir())):
                yield name


def _distributions() -> list[_Distribution]:
    """The installed distributions that have plugins, the first of each name."""
    found: dict[str, _Distribution] = {}
    for entry in _entries():
        if entry.name.endswith(_METADATA) and _may_have_plugins(Path(entry.path)):
            distribution = _read_distribution(Path(entry.path))
            found.setdefault(distribution.name, distribution)
    return sorted(found.values(), key=lambda distribution: distribution.name)


def _may_have_plugins(metadata: Path) -> bool:
    """Whether the files of a distribution name a plugin; a small part of reading them all."""
    if metadata.name.startswith(PREFIX):
        return True
    for name, word in (("entry_points.txt", GROUP), ("top_level.txt", PREFIX)):
        with contextlib.suppress(OSError):
            if word.encode() in (metadata / name).read_bytes():
                return True
    return False


def _read_distribution(metadata: Path) -> _Distribution:
    from importlib.metadata import PathDistribution

    distribution = PathDistribution(metadata)
    points = [(e.name, e.value) for e in distribution.entry_points if e.group == GROUP]
    name = distribution.metadata["Name"] or metadata.name.partition("-")[0]
    listed = (distribution.read_text("top_level.txt") or name.replace("-", "_")).split()
    packages = [package for package in listed if package.startswith(PREFIX)]
    return _Distribution(name, distribution.version or "", tuple(points), tuple(packages))
