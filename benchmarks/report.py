"""How long the HTML report of 10,000 evaluations takes, and how fast a browser shows it.

    python benchmarks/report.py [CACHE [EVALUATIONS]]

The cache, by default the usual one, is copied under other names until there are enough evaluations.
The time of the report is compared with that of reading the stats alone. With Chromium and
Playwright, the page is opened too: the first paint, and how long a filter takes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from turnkeyml import environment
from turnkeyml.cache.layout import build_folders
from turnkeyml.cache.stats import read_stats

sys.path.insert(0, str(Path(__file__).parent))
from fabricate import fabricate

EVALUATIONS = 10_000
CHROMIUM = "/usr/bin/chromium"
MOST_RATIO, MOST_PAINT_MS, MOST_FILTER_MS = 5.0, 2000.0, 200.0


def main() -> None:
    words = sys.argv[1:]
    source = Path(words[0] if words else environment.cache_dir())
    wanted = int(words[1]) if len(words) > 1 else EVALUATIONS
    with tempfile.TemporaryDirectory(dir=source.parent) as temporary:
        cache, page = Path(temporary) / "cache", Path(temporary) / "report.html"
        count = fabricate(source, cache, wanted)
        print(f"{count:,} evaluations in {len(build_folders(cache)):,} builds")
        reading = min(_seconds(lambda: _read(cache)) for _ in range(2))
        print(f"reading their stats: {reading:.1f} s")
        writing = _seconds(lambda: _write(cache, page))
        size, memory = page.stat().st_size / 1e6, _children_memory()
        print(f"the report: {writing:.1f} s, {size:.1f} MB, peak memory {memory:.0f} MB")
        print(f"ratio: {writing / reading:.1f} (at most {MOST_RATIO:g})")
        _browse(page)


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _read(cache: Path) -> None:
    for folder in build_folders(cache):
        read_stats(folder)


def _write(cache: Path, page: Path) -> None:
    command = [sys.executable, "-m", "turnkeyml", "cache", "report", "-d", cache, "-o", page]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def _children_memory() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3


def _browse(page: Path) -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("without Playwright, no browser")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-precise-memory-info"]
        )
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready]")
        paint = tab.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
        )
        ready = tab.evaluate("performance.now()")
        print(f"first paint: {paint:.0f} ms (at most {MOST_PAINT_MS:g}); complete by {ready:.0f} ms")
        times = [tab.evaluate(FILTER, word) for word in ("ort", "torch", "2", "hello", "")]
        print(f"filter: {max(times):.0f} ms (at most {MOST_FILTER_MS:g}); all: {_list(times)} ms")
        heap = tab.evaluate("performance.memory.usedJSHeapSize / 1e6")
        print(f"memory of the page: {heap:.0f} MB")
        browser.close()


def _list(times: list[float]) -> str:
    return ", ".join(f"{one:.0f}" for one in times)


FILTER = """async (word) => {
  const input = document.querySelector("#search");
  const status = document.querySelector(".status");
  input.value = word;
  input.dispatchEvent(new Event("input"));
  await new Promise((done) => {
    const watcher = new MutationObserver(() => { watcher.disconnect(); done(); });
    watcher.observe(status, { childList: true, characterData: true, subtree: true });
    window.began = 0;
    const typed = performance.now() + 120;  // the page waits for the next key
    setTimeout(() => { window.began = typed; }, 0);
  });
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - window.began;
}"""
"""From the end of the typing pause to the frame after the one that shows the rows."""


if __name__ == "__main__":
    main()
