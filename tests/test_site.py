"""The site that ``make docs`` builds works from disk, without a network; `make test-browser`."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_browser import chromium  # noqa: F401

pytestmark = pytest.mark.browser

SITE = Path(__file__).parent.parent / "build-output" / "docs"


@pytest.fixture
def page(chromium):  # noqa: F811
    """The first page of the site; errors and requests to the network fail the test."""
    if not SITE.exists():
        pytest.skip("there is no site; make docs builds it")
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    trouble = []
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.on("request", lambda r: r.url.startswith("http") and trouble.append(r.url))
    opened.goto((SITE / "index.html").as_uri())
    yield opened
    context.close()
    assert trouble == []


def test_search_finds_a_message(page):
    page.keyboard.press("/")
    page.keyboard.type("hypervisor")
    found = page.locator(".md-search-result__item a", has_text="Troubleshooting").first
    found.wait_for()
    found.click()
    page.wait_for_url("**/troubleshooting.html*")


def test_every_picture_is_there(page):
    for name in ("index", "report"):
        page.goto((SITE / f"{name}.html").as_uri())
        widths = page.eval_on_selector_all("article img", "all => all.map(i => i.naturalWidth)")
        assert widths
        assert all(widths)


def test_links_to_source_files_are_text(page):
    page.goto((SITE / "contract.html").as_uri())
    shown = page.locator("article span[title='tests/contract/test_api.py']").first
    assert "benchmark files" in shown.inner_text()


def test_no_page_is_wider_than_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in sorted(SITE.glob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name
