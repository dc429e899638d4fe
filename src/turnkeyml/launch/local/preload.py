"""Choose the modules that the zygote imports once for all children.

These are the modules that turnkey needs, and libraries that many scripts share. A library counts
only if every script that imports it does so before anything else: a script may set an environment
variable before an import, and must then not find the library already imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from turnkeyml.frameworks import frameworks
from turnkeyml.nouns import Task

LEAST_SCRIPTS = 9
"""A library is preloaded only if at least this many scripts import it."""

_OURS = {"torch", "numpy", "turnkeyml", "mlagility"}
"""Not preloaded for scripts: imported anyway, or cheap."""


def needed_modules(tasks: Sequence[Task]) -> list[str]:
    """The turnkey and framework modules that the children of these tasks need."""
    scripts = any(task.input.is_script for task in tasks)
    modules = ["turnkeyml.evaluate.child"]
    if scripts:
        modules += [m for framework in frameworks() for m in framework.script_modules]
    if not all(task.plan.analyze_only for task in tasks):
        modules.append("turnkeyml.evaluate.invocation")
        if len(tasks) > 1:  # a single task may find its build in the cache and need none of these
            modules += [
                "turnkeyml.build.stages.optimize_onnx",
                "turnkeyml.runtimes.onnxruntime.session",
            ]
            found = frameworks() if scripts else []
            modules += [m for framework in found for m in framework.build_modules]
    return modules


def shared_imports(scripts: Sequence[str]) -> list[str]:
    """The libraries to preload, as ``package`` or ``package:attribute``.

    The attribute is one that the first script imports. It makes packages with lazy imports load
    what the scripts need.
    """
    if len(scripts) < LEAST_SCRIPTS:
        return []
    users: dict[str, list[str]] = {}
    unsafe = {package for framework in frameworks() for package in framework.never_preloaded}
    for script in scripts:
        first, later = _imports(script)
        for package, spec in first.items():
            users.setdefault(package, []).append(spec)
            if _is_beside(package, script):
                unsafe.add(package)
        unsafe |= later
    return [
        specs[0]
        for package, specs in users.items()
        if len(specs) >= LEAST_SCRIPTS and package not in unsafe and _is_installed(package)
    ]


def _imports(script: str) -> tuple[dict[str, str], set[str]]:
    """The packages that a script imports before anything else, and those it imports later."""
    try:
        tree = ast.parse(Path(script).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}, set()
    first: dict[str, str] = {}
    leading = True
    later: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for package, spec in _named(node):
                if leading:
                    first.setdefault(package, spec)
                elif package not in first:
                    later.add(package)
        elif not _is_docstring(node):
            leading = False
            inner = (n for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom)))
            later |= {package for n in inner for package, _ in _named(n) if package not in first}
    return first, later


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for name in node.names:
            yield name.name.partition(".")[0], name.name
    elif node.module and not node.level:
        yield node.module.partition(".")[0], f"{node.module}:{node.names[-1].name}"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_beside(package: str, script: str) -> bool:
    """Whether the script would import a module of that name from its own folder."""
    folder = Path(script).parent
    return (folder / f"{package}.py").exists() or (folder / package / "__init__.py").exists()


def _is_installed(package: str) -> bool:
    if package in _OURS or package in sys.stdlib_module_names:
        return False
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
