"""The text of one script of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Script", "calling"]

WIDTH = 100

_TEXT = '''\
# labels: {labels}
"""
{source}
"""

{imports}

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
{parameters}

{body}
'''


@dataclass(frozen=True)
class Script:
    """The parts of a script that differ within a corpus."""

    corpus: str
    name: str
    """The name of the model, of the file, and in the labels."""
    author: str
    task: str
    license: str
    source: str
    """The docstring: what the model is and where it comes from."""
    body: str
    """The code from the creation of the model to its call."""
    imports: tuple[str, ...] = ("import torch",)
    """In any order, without ``parse``."""
    parameters: tuple[str, ...] = ("batch_size",)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Parameters with another default than the standard one."""
    params: int | None = None
    """The number of parameters of the model; None for no label."""
    sample: bool = False
    """Whether CI runs it from end to end."""

    @property
    def path(self) -> str:
        """The path within ``models/``."""
        return f"{self.corpus}/{self.name}.py"

    @property
    def text(self) -> str:
        """The whole script, formatted."""
        return _TEXT.format(
            labels=self._labels(),
            source=self.source.strip(),
            imports="\n".join(_sorted_imports({*self.imports, "import torch"})),
            parameters=self._parameters(),
            body=self.body.strip("\n"),
        )

    def _labels(self) -> str:
        groups = f"{self.corpus},sample" if self.sample else self.corpus
        labels = {
            "name": self.name,
            "author": self.author,
            "task": self.task,
            "license": self.license,
            "test_group": groups,
        }
        if self.params is not None:
            labels["params"] = str(self.params)
        for key, value in labels.items():
            if not value or len(value.split()) != 1 or "::" in value:
                raise ValueError(f"{self.path}: {value!r} is not a valid value of label {key}.")
        return " ".join(f"{key}::{value}" for key, value in labels.items())

    def _parameters(self) -> str:
        names = ", ".join(self.parameters)
        asked = "[" + ", ".join(f'"{name}"' for name in self.parameters) + "]"
        defaults = [f"{name}={value!r}" for name, value in self.defaults.items()]
        inside = ", ".join([asked, *defaults])
        line = f"{names} = parse({inside})"
        return line if len(line) <= WIDTH else f"{names} = parse(\n    {inside}\n)"


def _sorted_imports(lines: set[str]) -> list[str]:
    """Imports as the linter orders them: the standard library first, ``import`` before ``from``."""
    import sys

    def key(line: str) -> tuple[bool, bool, str]:
        module = line.split()[1].split(".", maxsplit=1)[0]
        return (module not in sys.stdlib_module_names, line.startswith("from"), line.lower())

    ordered = sorted(lines, key=key)
    inner = [key(line)[0] for line in ordered]
    if True in inner and False in inner:
        ordered.insert(inner.index(True), "")
    return ordered


def calling(call: str, gradients: bool) -> str:
    """The lines that call the model, without gradients if these would not fit into memory."""
    if gradients:
        return f"# Call the model\n{call}"
    return f"# Call the model, without what only gradients need\nwith torch.no_grad():\n    {call}"
