"""The picture of a race in README.md, and its text for package indexes.

    python benchmarks/race_picture.py [TEXT]

Runs the race and draws what the terminal shows at its end: use a quiet machine. With TEXT, a file
with the output of an earlier run, it only draws. The SVG needs no font from the network.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "img" / "race.svg"
COMMAND = (
    "turnkey race examples/cli/networks/resnet18.py "
    "--runtime ort torch-compiled torch-eager --precision fp32 fp16"
)
COLUMNS = 120
"""The width of the terminal."""
FONTS = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INDENT = " " * 8
"""The indentation that every line of a race has in common."""


def main(recorded: Path | None) -> None:
    text = recorded.read_text() if recorded else _race()
    print(text)
    lines = _shown(text)
    PICTURE.with_suffix(".txt").write_text("\n".join(lines) + "\n")
    PICTURE.write_text(_draw(lines))
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1000} kB")


def _race() -> str:
    """What the race prints to standard output, with a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TURNKEY_CACHE_DIR": cache}
        command = [sys.executable, "-m", "turnkeyml", *COMMAND.split()[1:]]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=-1, text=True, check=True)
    return done.stdout.replace(cache, "~/.cache/turnkey")


def _shown(text: str) -> list[str]:
    """The lines about the model, with paths as seen from the repository."""
    text = text.replace(f"{ROOT}/", "").split("Models discovered during profiling:\n\n")[1]
    lines = [re.sub(f"^{INDENT}", "  ", line) for line in text.expandtabs(8).splitlines()]
    return [f"$ {COMMAND}", "", *lines]


def _draw(lines: list[str]) -> str:
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    for line in lines:
        console.print(Text(line, style="bold" if line.startswith("$") else ""))
    template, faces = re.subn(r"(?s)@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT)
    assert faces, "rich changed its template: check the fonts"
    template = template.replace("font-family: Fira Code, monospace", f"font-family: {FONTS}")
    return console.export_svg(title="turnkey", code_format=template, unique_id="race")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
