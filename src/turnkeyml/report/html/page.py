"""The page: one HTML file with its data, its styles and its scripts in it."""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from turnkeyml.report.contract import Report
from turnkeyml.report.html.data import BuildFacts, packed, page_data

CHUNK = 32
"""Builds whose details are packed, and unpacked, together."""
VENDOR = ("echarts.js", "tabulator.js")
STYLES = ("vendor/tabulator.css", "style.css")
ENTRY = "app.js"

_IMPORT = re.compile(r'^import (?:\{[^}]*\}|\* as \w+) from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)


def write_page(report: Report, file: TextIO) -> None:
    """Write the page of a report, whose data are inert text until its scripts unpack them."""
    builds = BuildFacts()
    _write_head(file, "'none'")
    for number, chunk in enumerate(_chunks(report.details)):
        for detail in chunk:
            builds.add(detail)
        _write_data(file, f"details-{number}", chunk)
    _write_data(file, "data", page_data(report, builds))
    _write_scripts(file, {"live": False, "chunk": CHUNK})


def live_page(file: TextIO) -> None:
    """Write the page without data, which it asks the server for."""
    _write_head(file, "'self'")
    _write_scripts(file, {"live": True, "chunk": CHUNK})


def _chunks(details: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(details)
    while chunk := list(itertools.islice(rest, CHUNK)):
        yield chunk


def _write_head(file: TextIO, connect: str) -> None:
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in _scripts())
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    shell = _text("page.html")
    styles = "\n".join(_text(name) for name in STYLES)
    before, _, _ = shell.partition("<!-- data and scripts -->")
    file.write(before.replace("POLICY", policy).replace("/* styles */", styles))


def _write_data(file: TextIO, name: str, data: Any) -> None:
    file.write(f'<script type="text/plain" id="{name}">{packed(data)}</script>\n')


def _write_scripts(file: TextIO, settings: dict[str, Any]) -> None:
    text = json.dumps(settings)
    file.write(f'<script type="application/json" id="settings">{text}</script>\n')
    for script in _scripts():
        file.write(f"<script>{script}</script>\n")
    file.write("</body>\n</html>\n")


@functools.cache
def _scripts() -> tuple[str, ...]:
    """The libraries, then our own modules as one script."""
    libraries = [_text(f"vendor/{name}") for name in VENDOR]
    own = '(() => {\n"use strict";\n' + "".join(map(_module, _ordered(ENTRY))) + "})();\n"
    return tuple(script.replace("</script", "<\\/script") for script in (*libraries, own))


def _ordered(entry: str, seen: tuple[str, ...] = ()) -> list[str]:
    """The modules that one needs, each after those that it imports, and the module itself."""
    order: list[str] = []
    for name in _IMPORT.findall(_text(entry)):
        if name not in seen:
            order += [n for n in _ordered(name, (*seen, entry)) if n not in order]
    return [*order, entry]


def _module(name: str) -> str:
    """The text of a module without imports and exports: all of them share one scope."""
    text = _EXPORT.sub("", _IMPORT.sub("", _text(name)))
    if re.search(r"^(import|export)\b", text, re.MULTILINE):
        raise ValueError(f"{name} has an import or export that cannot be bundled")
    return text


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


@functools.cache
def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
