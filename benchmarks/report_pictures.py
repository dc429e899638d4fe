"""The pictures of docs/report.md, made from a real cache.

    python benchmarks/report_pictures.py CACHE BUILD

BUILD is the build whose page is shown. It needs Chromium, Playwright and Pillow.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from turnkeyml.report import save_reports

CHROMIUM = "/usr/bin/chromium"
FOLDER = Path(__file__).parent.parent / "docs" / "img"
PLOTS = "document.querySelector('#plots-title').scrollIntoView()"
COLOURS = 128


def main(cache: Path, build: str) -> None:
    pictures = {
        "report": ("light", (1280, 1500), "", "0"),
        "report-plots": ("light", (1280, 1320), "", PLOTS),
        "report-model": ("dark", (1280, 1400), f"#build={build}", "0"),
        "report-phone": ("dark", (390, 850), "", PLOTS),
    }
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        page = Path(temporary) / "report.html"
        save_reports([cache], page.parent, (), [page])
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, (theme, (width, height), fragment, act) in pictures.items():
            size = {"width": width, "height": height}
            tab = browser.new_context(viewport=size, color_scheme=theme).new_page()  # type: ignore
            tab.goto(page.as_uri() + fragment)
            tab.wait_for_selector("html[data-ready]")
            tab.evaluate(act)
            tab.wait_for_timeout(1000)
            tab.screenshot(path=FOLDER / f"{name}.png")
            _shrink(FOLDER / f"{name}.png")
        browser.close()


def _shrink(path: Path) -> None:
    picture = Image.open(path).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS)
    picture.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    main(Path(sys.argv[1]), sys.argv[2])
