"""The HTML report in Chromium, driven by Playwright; ``make test-browser`` runs this."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchmarks.fabricate import fabricate
from turnkeyml.cache import BuildFolder, update_stats
from turnkeyml.escaping import spelled
from turnkeyml.nouns import UnderLoad
from turnkeyml.report import ReportServer, save, save_reports

from .test_compare import between, fail, folder_of, measure, stream

pytestmark = pytest.mark.browser

CHROMIUM = "/usr/bin/chromium"
ROOT = Path(__file__).parent.parent
AXE = ROOT / ".cache" / "axe-core" / "axe.min.js"
ROWS = 10_000
HOSTILE = "<img src=x onerror=window.hacked=1>'\"\u202e\U0001f600</script><script>hacked=2</script>"
GONE = "net::ERR_CONNECTION_"
"""What Chromium says of a server that has ended."""
OPERATORS = {"Conv": 20, "Relu": 19, "Gemm": 1}


@pytest.fixture(scope="module")
def chromium():
    required = bool(os.environ.get("TURNKEY_REQUIRE_BROWSER"))
    if not required:
        pytest.importorskip("playwright")
        if not (shutil.which(CHROMIUM) and AXE.exists()):
            pytest.skip("there is no Chromium or axe-core; .ci/browser-install installs them")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """Opens pages; any error on them, and any request but for the page itself, fails the test."""
    trouble = []
    contexts = []

    def open_page(address, **settings):
        size = {"width": 1400, "height": 900}
        context = chromium.new_context(**{"viewport": size, "accept_downloads": True, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda m: m.type == "error" and trouble.append(m.text))
        page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
        page.goto(address.as_uri() if isinstance(address, Path) else address)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [words for words in trouble if GONE not in words] == []


def at(path: Path, fragment: str) -> str:
    """The address of a page with what the reader has chosen."""
    return f"{path.as_uri()}#{fragment}"


def goto(page, fragment):
    page.evaluate("fragment => { location.hash = fragment; }", fragment)


def shown(page) -> int:
    """The number of records in the table."""
    return int(page.locator(".status").inner_text().split(" of ")[0].replace(",", ""))


def wait_until(page, condition):
    page.wait_for_function(f"() => {condition}")


def expect_shown(page, count):
    page.wait_for_function(
        "count => document.querySelector('.status').textContent.startsWith(count + ' of')",
        arg=f"{count:,}",
    )


def column(page, name) -> list[str]:
    """The cells of a column that are in view."""
    titles = [
        t.split("\n")[0] for t in page.locator(".column-title > div > span").all_inner_texts()
    ]
    rows = page.locator(".tabulator-row").all()
    return [row.locator(".tabulator-cell").nth(titles.index(name)).inner_text() for row in rows]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Some models with two runtimes each, a sweep, a failed build and a failed measurement."""
    folder = tmp_path_factory.mktemp("browser") / "cache"
    for number, digest in enumerate(("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd")):
        speed = 4.0**number
        measure(
            folder, stream(speed, number), digest=digest, measured_at="2026-01-01T10:00:00+0000"
        )
        measure(folder, stream(speed, 9), digest=digest)
        slow = stream(1.5 * speed, number + 5)
        verdict = "match" if number else "mismatch"
        measure(folder, slow, digest=digest, runtime="torch-eager", verdict=verdict)
        build = {"status": "successful_build", "sequence": ["export_pytorch", "optimize_onnx"]}
        build |= {"operators": OPERATORS if number else {"Gemm": 2}, "seconds": 3.0}
        build["stages"] = [
            {"name": name, "seconds": 1.5, "peak_memory_bytes": 10**8, "succeeded": True}
            for name in build["sequence"]
        ]
        task = "vision" if number % 2 else "language"
        update_stats(
            folder_of(folder, "net", digest),
            build=build,
            labels={"task": [task]},
            parameters=1000 * 10**number,
            file=f"/corpora/{'timm' if number < 3 else 'llm'}/net{number}.py",
        )
    BuildFolder(folder, "net_bbbbbbbb").log("export_pytorch").write_text("a line of the log")
    for size in ("1", "2", "4"):
        parameters = {"batch_size": size}
        measure(
            folder,
            stream(float(size)),
            script="swept",
            digest=f"{size}0000000",
            parameters=parameters,
        )
    lost = {"status": "failed_build", "failure": "export_pytorch (the first stage) failed: no 17"}
    update_stats(folder_of(folder, "lost", "eeeeeeee"), build=lost)
    fail(folder, "it broke", digest="ffffffff")
    return folder


@pytest.fixture(scope="module")
def report(cache):
    (saved,) = save_reports([cache], cache.parent, ["html"])
    return saved.path


RECORDS = 4 * 2 + 3 + 2


def test_the_summary_says_what_was_measured(tab, report):
    page = tab(report)
    text = page.locator(".summary").inner_text()
    assert "9 \nmodels" in text or re.search(r"9\s+models", text)
    assert re.search(r"2\s+failed", text)
    assert "By corpus" in text
    assert "timm" in text
    assert shown(page) == RECORDS
    page.get_by_role("button", name="failed", exact=False).first.click()
    expect_shown(page, 2)


def test_filter_by_a_column_and_share_the_address(tab, report):
    page = tab(report)
    page.get_by_label("Filter parameters", exact=True).fill(">=10k")
    expect_shown(page, 6)
    page.get_by_label("Filter contestant", exact=True).fill("=ort fp32")
    expect_shown(page, 3)
    assert set(column(page, "contestant")) == {"ort fp32"}
    other = tab(page.url)
    assert shown(other) == 3
    assert other.get_by_label("Filter parameters", exact=True).input_value() == ">=10k"
    other.get_by_role("button", name="Remove the filter parameters: >=10k").click()
    expect_shown(other, 8)
    other.get_by_role("button", name="Clear filters").click()
    expect_shown(other, RECORDS)
    assert "#" not in other.url


def test_filter_by_a_label_with_the_keyboard_alone(tab, report):
    page = tab(report)
    facet = page.locator(".facet", has_text="task")
    facet.locator("summary").focus()
    page.keyboard.press("Enter")
    facet.get_by_role("checkbox").first.wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect_shown(page, 4)
    assert "f.label+task=" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


def test_any_column_can_be_a_filter(tab, report):
    page = tab(report)
    page.get_by_role("button", name="Add a filter").click()
    page.get_by_label("Column").select_option("build_operators")
    page.get_by_label("Filter", exact=True).fill("conv")
    page.keyboard.press("Enter")
    expect_shown(page, 6)


def test_search_sort_and_hide_columns(tab, report):
    page = tab(report)
    page.locator("#search").fill("swept ort")
    expect_shown(page, 3)
    page.locator("#search").fill("")
    expect_shown(page, RECORDS)
    title = page.locator(".tabulator-col", has_text="median latency").locator(".column-title span")
    title.first.click()
    wait_until(page, "location.hash.includes('sort=median_latency')")
    numbers = [
        float(t.split()[0].replace(",", "")) for t in column(page, "median latency") if t.strip()
    ]
    assert numbers == sorted(numbers)
    title.first.click()
    wait_until(page, "location.hash.includes('sort=-median_latency')")
    assert column(page, "median latency")[0].startswith("95.9") or column(page, "median latency")[
        0
    ].startswith("96")
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("dialog").get_by_label("throughput", exact=True).uncheck()
    page.get_by_role("dialog").get_by_label("p99 latency", exact=True).check()
    page.get_by_role("button", name="Close").click()
    titles = page.locator(".column-title > div > span").all_inner_texts()
    assert "throughput" not in titles
    assert "p99 latency" in titles
    assert tab(page.url).locator(".column-title > div > span").all_inner_texts() == titles


def test_what_is_shown_can_be_exported(tab, report):
    page = tab(at(report, "f.contestant=%3Dort+fp32&f.corpus=timm"))
    with page.expect_download() as caught:
        page.get_by_role("button", name="Export CSV").click()
    lines = list(csv.DictReader(io.StringIO(Path(caught.value.path()).read_text())))
    assert [line["build_name"] for line in lines] == [f"net_{d * 8}" for d in "abc"]
    assert float(lines[0]["median_latency"]) == pytest.approx(1.0, rel=0.01)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Export JSON").click()
    assert len(json.loads(Path(caught.value.path()).read_text())) == 3


def plot(page, title):
    card = page.locator(".plot", has=page.get_by_role("heading", name=title, exact=True))
    card.scroll_into_view_if_needed()
    card.locator("canvas").first.wait_for()
    page.wait_for_timeout(200)  # it follows the table after a moment
    return card, card.locator(".chart").bounding_box()


def drag(page, box, start, end):
    """Drag over a part of a chart, given in shares of its width and height."""
    points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move(*points[1], steps=5)
    page.mouse.up()


def test_dragging_over_a_plot_filters_the_table(tab, report):
    page = tab(report)
    _, box = plot(page, "Latency and parameters")
    drag(page, box, (0.13, 0.15), (0.55, 0.8))
    wait_until(page, "location.hash.includes('f.median_latency')")
    assert "f.parameters" in page.url
    assert 0 < shown(page) < RECORDS
    page.get_by_role("button", name="Clear filters").click()
    _, box = plot(page, "Speed-up between two runtimes")
    drag(page, box, (0.15, 0.3), (0.5, 0.6))
    wait_until(page, "location.hash.includes('f.speedup')")
    assert 0 < shown(page) < RECORDS
    _, box = plot(page, "Speed-up between two runtimes")


def test_clicking_a_plot_filters_the_table(tab, report):
    page = tab(report)
    _, box = plot(page, "Operators")
    page.mouse.click(box["x"] + 160, box["y"] + 30)
    wait_until(page, "location.hash.includes('f.build_operators')")
    expect_shown(page, 8)
    page.get_by_role("button", name="Clear filters").click()
    card, _ = plot(page, "Where models fall out")
    card.get_by_text("As a list").click()
    card.get_by_role("button", name="export_pytorch").click()
    expect_shown(page, 1)
    assert column(page, "build name") == ["lost_eeeeeeee"]


def test_every_plot_is_drawn(tab, report):
    page = tab(report)
    for title in (
        "Latency and parameters",
        "Speed-up between two runtimes",
        "Where models fall out",
    ):
        assert ink(page, plot(page, title)[0]) > 200
    for title in ("Time by phase", "Operators", "Sweeps"):
        assert ink(page, plot(page, title)[0]) > 200
    note = plot(page, "Speed-up between two runtimes")[0].locator(".hint").inner_text()
    assert note.startswith("ort fp32 is faster than torch-eager fp32 for 3 and slower for 0 of 3")
    assert "1 model without these: no verdict." in note


def test_percentiles_under_load_are_drawn_over_the_rate(tab, tmp_path):
    cache = tmp_path / "cache"
    measure(cache, stream(1.0))
    for rate in (10.0, 20.0, 40.0):
        load = UnderLoad(f"rate={rate:g}", 700, 700, 2, 1, rate=rate)
        measure(cache, stream(rate / 10, count=700), under_load=load, folder=f"ort.rate={rate:g}")
    (saved,) = save_reports([cache], tmp_path, ["html"])
    page = tab(saved.path)
    assert shown(page) == 4
    card, _ = plot(page, "Under load")
    assert ink(page, card) > 200
    card.locator("summary").click()
    card.locator("li button").first.wait_for()
    names = card.locator("li button").all_inner_texts()
    assert names == [f"net_aaaaaaaa ort fp32 {name}" for name in ("p50", "p90", "p99")]
    card.locator("li button").first.click()
    goto(page, "build=net_aaaaaaaa")
    page.wait_for_selector("#model h2")
    assert "rate=20" in page.locator("#model").inner_text()


def ink(page, card) -> int:
    """How many pixels of a chart have been drawn."""
    page.wait_for_timeout(100)
    return card.locator("canvas").first.evaluate(
        "c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"
    )


def test_a_deep_link_opens_the_page_of_a_model(tab, report):
    page = tab(at(report, "build=net_bbbbbbbb&f.corpus=timm"))
    assert page.locator("#model h2").inner_text() == "net_bbbbbbbb"
    text = page.locator("#model").inner_text()
    for part in (
        "Measurements",
        "Reproduce",
        "Samples",
        "History",
        "Verification",
        "Stages",
        "Operators",
        "Logs",
        "Everything known",
    ):
        assert part in text, part
    assert "turnkey /corpora/timm/net1.py::bbbbbbbb --device x86 --runtime ort" in text
    page.get_by_text("log_export_pytorch.txt").click()
    assert page.locator("pre").inner_text() == "a line of the log"
    charts = page.locator("#model .chart").all()
    assert len(charts) == 6
    for chart in charts:
        chart.scroll_into_view_if_needed()
        chart.locator("canvas").first.wait_for()
    page.get_by_role("link", name="← All models").click()
    page.wait_for_selector("#overview:not([hidden])")
    assert shown(page) == 6
    page.go_back()
    page.wait_for_selector("#model h2")


def test_a_link_to_a_model_that_is_not_there_says_so(tab, report):
    page = tab(at(report, "build=nothing"))
    assert "This report has no such build." in page.locator("#model").inner_text()


def test_failures_are_grouped(tab, report):
    page = tab(report)
    items = page.locator(".failure").all_inner_texts()
    assert len(items) == 2
    assert any("export_pytorch (the first stage) failed: no 17" in item for item in items)
    page.locator(".failure", has_text="it broke").get_by_role("button").click()
    expect_shown(page, 1)


def test_a_print_has_a_plain_table(tab, report):
    page = tab(at(report, "f.corpus=timm"))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".printed tbody tr").count() == 6
    assert page.locator(".toolbar").is_hidden()


@pytest.mark.parametrize(("theme", "width"), [("light", 1400), ("dark", 390)])
def test_axe_finds_nothing(tab, report, theme, width):
    settings = {"color_scheme": theme, "viewport": {"width": width, "height": 850}}
    page = tab(report, **settings)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.wait_for_timeout(200)
    assert violations(page) == []
    goto(page, "build=net_bbbbbbbb")
    page.wait_for_selector("#model h2")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert violations(page) == []
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0


def violations(page) -> list[str]:
    """What axe complains about; it runs in a world of its own, beside the policy of the page."""
    page.evaluate(AXE.read_text(encoding="utf-8") + "\n0")
    found = page.evaluate("axe.run(document)")["violations"]
    return [
        f"{v['id']}: {n['html'][:200]} {n['failureSummary'][:300]}"
        for v in found
        for n in v["nodes"][:3]
    ]


def test_the_theme_can_be_switched(tab, report):
    page = tab(report, color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_label("Theme").select_option("dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_hostile_names_labels_and_logs_show_as_text(tab, tmp_path):
    cache = tmp_path / "cache"
    for runtime in ("ort", "torch-eager"):
        measure(cache, stream(seed=len(runtime)), runtime=runtime, parameters={HOSTILE: HOSTILE})
    build = folder_of(cache, "net", "aaaaaaaa")
    update_stats(
        build,
        model_name=HOSTILE,
        model_class=HOSTILE,
        file=f"/{HOSTILE}/{HOSTILE}.py",
        labels={HOSTILE: [HOSTILE], "task": [HOSTILE]},
        build={
            "status": "failed_build",
            "failure": HOSTILE,
            "operators": {HOSTILE: 1},
            HOSTILE: HOSTILE,
        },
    )
    build.log("a").write_text(HOSTILE, encoding="utf-8")
    fail(cache, HOSTILE, digest="bbbbbbbb")
    (saved,) = save_reports([cache], tmp_path, ["html"])
    page = tab(saved.path)
    assert spelled(HOSTILE) in page.locator(".failure").first.inner_text()
    page.get_by_role("button", name="Columns").click()
    hostile = page.get_by_role("dialog").locator("label", has_text="<img")
    assert hostile.count() == 3
    for box in hostile.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Close").click()
    for title in ("Latency and parameters", "Sweeps"):
        _, box = plot(page, title)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.wait_for_timeout(200)
    goto(page, "build=net_aaaaaaaa")
    page.wait_for_selector("#model h2")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.locator("pre").inner_text() == spelled(HOSTILE)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0


def test_a_comparison_shows_ratios_and_what_appeared(tab, tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    for digest, factor in {"aaaaaaaa": 1.0, "bbbbbbbb": 1.2, "cccccccc": 0.8}.items():
        measure(a, stream(seed=1), digest=digest)
        measure(b, stream(factor, seed=2), digest=digest)
    measure(b, digest="dddddddd")
    save(between(a, b), tmp_path / "c.html")
    page = tab(tmp_path / "c.html")
    text = page.locator("main").inner_text()
    assert "Geometric mean of B/A" in text
    assert "Appeared: only in B" in text
    assert ink(page, plot(page, "B/A per model")[0]) > 200
    page.get_by_role("button", name="SLOWER").first.click()
    expect_shown(page, 1)
    assert column(page, "build name") == ["net_bbbbbbbb"]
    page.get_by_role("button", name="Clear filters").click()
    _, box = plot(page, "B/A per model")
    drag(page, box, (0.12, 0.3), (0.45, 0.6))
    wait_until(page, "location.hash.includes('f.ratio')")
    assert violations(page) == []


def test_the_server_shows_what_a_run_adds(tab, tmp_path):
    cache = tmp_path / "cache"
    script = ROOT / "examples" / "cli" / "scripts" / "hello_world.py"
    measure(cache)
    with ReportServer([cache]) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            page = tab(server.address)
            assert shown(page) == 1
            page.locator("#search").fill("net")
            words = ["-m", "turnkeyml", str(script), "--iterations", "3", "-d", str(cache)]
            subprocess.run([sys.executable, *words], check=True, capture_output=True)
            wait_until(page, "document.querySelector('.status').textContent.includes('of 2 ')")
            assert shown(page) == 1
            page.locator("#search").fill("")
            expect_shown(page, 2)
            page.get_by_role("link", name="hello_world_24adc42f").click()
            page.wait_for_selector("#model h2")
            assert (
                "turnkey cache benchmark hello_world_24adc42f"
                in page.locator("#model").inner_text()
            )
        finally:
            server.stop()
            thread.join()
    wait_until(page, "document.querySelector('#live').textContent.includes('ended')")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for number, runtime in itertools.product(range(5), ("ort", "torch-eager")):
        place = {"parameters": {"batch_size": str(number)}, "folder": f"{runtime}-{number}"}
        measure(folder / "source", stream(1.0 + number), runtime=runtime, **place)
        measure(folder / "source", digest="bbbbbbbb", script="swept", runtime=runtime, **place)
    fabricate(folder / "source", folder / "cache", ROWS)
    (saved,) = save_reports([folder / "cache"], folder, ["html"])
    return saved.path


def test_ten_thousand_rows_are_fluid(tab, large):
    page = tab(large)
    assert shown(page) >= ROWS
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert paint < 2000
    assert page.locator(".tabulator-row").count() < 120
    times = [page.evaluate(FILTER, word) for word in ("torch", "net_1", "swept", "")]
    assert min(times) < 200, times
    holder = page.locator(".tabulator-tableholder")
    holder.evaluate("h => { h.scrollTop = h.scrollHeight / 2; }")
    page.wait_for_timeout(200)
    assert page.locator(".tabulator-row").count() > 10


FILTER = """async (word) => {
  const input = document.querySelector("#search");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  input.value = word;
  input.dispatchEvent(new Event("input"));
  const before = document.querySelector(".status").textContent;
  const typed = performance.now() + 120;  // the page waits for the next key
  while (document.querySelector(".status").textContent === before) await frame();
  await frame();
  return performance.now() - typed;
}"""


def test_a_thousand_models_take_less_than_five_megabytes(cache, tmp_path):
    fabricate(cache, tmp_path / "cache", 1350)
    builds = [p for p in (tmp_path / "cache").iterdir() if BuildFolder(p.parent, p.name).is_build]
    assert len(builds) > 900
    (saved,) = save_reports([tmp_path / "cache"], tmp_path, ["html"])
    assert saved.path.stat().st_size < 5_000_000
