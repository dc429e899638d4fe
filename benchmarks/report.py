"""How long the HTML report and a comparison of 10,000 evaluations take, and how fast a browser is.

    python benchmarks/report.py [CACHE [EVALUATIONS [OTHER]]]

The cache, by default the usual one, is copied under other names until there are enough evaluations.
The time of the report is compared with that of reading the stats alone. With Chromium and
Playwright, the page is opened too: the first paint, and how long a filter takes. The comparison is
with the cache OTHER, copied in the same way, or with the cache itself; its time is compared with
that of parsing the stats and unpacking the samples of both sides.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from turnkeyml import environment
from turnkeyml.cache import build_folders, read_stats
from turnkeyml.report import compare_measurements, save_reports

sys.path.insert(0, str(Path(__file__).parent))
from fabricate import fabricate

EVALUATIONS = 10_000
CHROMIUM = "/usr/bin/chromium"
MOST_RATIO, MOST_PAINT_MS, MOST_FILTER_MS = 5.0, 2000.0, 200.0
MOST_COMPARED = 5.0


def main() -> None:
    words = sys.argv[1:]
    source = Path(words[0] if words else environment.cache_dir())
    wanted = int(words[1]) if len(words) > 1 else EVALUATIONS
    other = Path(words[2]) if len(words) > 2 else source
    with tempfile.TemporaryDirectory(dir=source.parent) as temporary:
        cache, page = Path(temporary) / "cache", Path(temporary) / "report.html"
        count = fabricate(source, cache, wanted)
        print(f"{count:,} evaluations in {len(build_folders(cache)):,} builds")
        reading = min(_seconds(lambda: _read(cache)) for _ in range(2))
        print(f"reading their stats: {reading:.1f} s of processor time")
        before = _memory()
        writing = _seconds(lambda: save_reports([cache], page.parent, (), [page]))
        size, memory = page.stat().st_size / 1e6, _memory() - before
        print(f"the report: {writing:.1f} s, {size:.1f} MB, with {memory:.0f} MB of memory")
        print(f"ratio: {writing / reading:.1f} (at most {MOST_RATIO:g})")
        print(f"the report of 10,000 evaluations: {writing / count * 1e4:.1f} s")
        fabricate(other, Path(temporary) / "other", wanted)
        _compare(cache, Path(temporary) / "other")
        _browse(page)


def _seconds(act: Callable[[], object]) -> float:
    """Of processor time, which other load on the machine changes less than the clock."""
    began = time.process_time()
    act()
    return time.process_time() - began


def _read(cache: Path) -> None:
    for folder in build_folders(cache):
        read_stats(folder)


def _compare(cache: Path, other: Path) -> None:
    floor = _seconds(lambda: [_unpack(one) for one in (cache, other)])
    rows: list[int] = []
    taken = _seconds(lambda: rows.append(len(compare_measurements(str(cache), str(other)).rows)))
    each = 1e4 / rows[0]
    print(f"comparing 10,000 rows: {taken * each:.1f} s; reading both sides: {floor * each:.1f} s")
    print(f"ratio: {taken / floor:.1f} (at most {MOST_COMPARED:g})")


def _unpack(cache: Path) -> None:
    """Parse the stats and unpack the samples of every build."""
    _read(cache)
    for path in cache.glob("*/*_benchmark/*/samples.npz"):
        with contextlib.suppress(OSError), np.load(path) as arrays:
            for name in ("timed", "processes", "blocks", "rounds", "distances"):
                arrays[name]


def _memory() -> float:
    """The peak of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


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
        print(
            f"first paint: {paint:.0f} ms (at most {MOST_PAINT_MS:g}); complete by {ready:.0f} ms"
        )
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
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const before = status.textContent;
  input.value = word;
  input.dispatchEvent(new Event("input"));
  const typed = performance.now() + 120;  // the page waits for the next key
  while (status.textContent === before && performance.now() < typed + 2000) await frame();
  if (status.textContent === before) return 0;  // every row has the word
  await frame();
  return performance.now() - typed;
}"""
"""From the end of the typing pause to the frame after the one that shows the rows."""


if __name__ == "__main__":
    main()
