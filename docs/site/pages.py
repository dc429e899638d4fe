"""What mkdocs needs to make a site of the Markdown of this repository as it is.

Pages outside of docs/ become pages of the site, and links follow them. A link to any other file of
the repository, which the site does not have, becomes its text with the path as a tooltip. A link
to a file that does not exist stays as it is, so that `mkdocs build --strict` fails.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent.parent
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "models/readme.md": "included_models.md",
}
"""Pages of the site by their path in the repository."""
SOURCES = {page: source for source, page in OUTSIDE.items()}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!?\[[^\]]*\]\([^)]*\))*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages outside of docs/."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The Markdown of a page with links that lead somewhere in the site."""
    name = page.file.src_uri
    source = Path(SOURCES.get(name, f"docs/{name}"))
    return LINK.sub(lambda link: _relink(link, source, Path(name)), markdown)


def _relink(link: re.Match[str], source: Path, name: Path) -> str:
    mark, text, target, anchor = link.groups(default="")
    if re.match(r"[a-z]+:", target):
        return link.group()
    path = os.path.normpath(source.parent / target)
    page = OUTSIDE.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
    if page is not None:
        return f"{mark}[{text}]({os.path.relpath(page, name.parent)}{anchor})"
    if (ROOT / path).exists():
        return f'<span title="{path}">{text}</span>'
    return link.group()
