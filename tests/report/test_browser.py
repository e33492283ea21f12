"""The pages in a real browser: no errors, no requests, sorting and searching, print, phone, dark mode.

Needs Debian's Chromium, which `make test` installs where it can. In CI it has to be there; elsewhere these
tests say why they are skipped. Screenshots are left in build/screenshots, to be looked at.
"""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import dawnchorus as dc
from contexts import sung
from dawnchorus.report import report_html
from dawnchorus.report.feedback import feedback_html
from dawnchorus.report.subject import Subject
from dawnchorus.simulation.demo import demo_simulation

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
EVIL = "<script>alert(1)</script>"
A4 = {"width": 680, "height": 1000}
"""What is between the margins of a sheet, in the pixels of a browser."""
SCROLL = """top => new Promise(done => {
    scrollTo({top, behavior: "instant"});
    requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY)));
})"""
"""Scroll there at once, and say where that is when it has been drawn."""


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium, and in CI there has to be: apt-get install chromium")
        pytest.skip("there is no Chromium on this machine (apt-get install chromium, or set CHROMIUM)")
    if os.environ.get("CI"):
        import playwright.sync_api as playwright
    else:
        playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as run:
        chromium = run.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of the demo's data, a mixture with truth and an evil name; feedback; a fit in context."""
    simulation = demo_simulation(1)
    a = simulation.annotations
    frame = a.to_frame().replace({"annotator": {"Aino": EVIL}})
    tables = {"recordings": a.recordings, "species": a.species}
    level = a.annotators.rename(index={"Aino": EVIL})
    evil = dc.Annotations.from_frame(frame, "explicit", annotators=level, **tables)
    posterior = dc.fit(evil, "dp-bmm-hierarchical", warmup=100, draws=150, min_ess=None, seed=1)
    folder = tmp_path_factory.mktemp("pages")
    singing = sung(n_recordings=150, n_species=3, n_sites=4).annotations
    short = {"warmup": 50, "draws": 60, "min_ess": None, "seed": 1}
    in_context = dc.fit(singing, "base", context="site + cc(hour, df=4) + bs(date, df=3)", **short)
    texts = {
        "context": report_html(in_context),
        "report": report_html(posterior, truth=simulation.truth),
        "feedback": feedback_html(Subject(posterior, self_rating="level"), 1),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(browser, pages):
    """Open a page, and see that it makes no error and asks for nothing outside itself."""
    wrong, contexts = [], []

    def open_page(name, *, width=1200, height=900, dark=False):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        uri = (pages / f"{name}.html").as_uri()
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                request.url == uri or request.url.startswith("data:") or wrong.append(request.url)
            ),
        )
        page.goto(uri)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def shoot(page, path):
    """Keep a picture of the whole page: views of its window, one below the other. A view that fails, fails.

    Chromium takes a picture of a page longer than its window by growing the window to the page and copying
    what it draws there. On a slow or busy machine the copy may be asked for before there is anything to copy,
    and where /tmp is nearly full there is no room for it (76 MB for a report, more than once): either way it
    answers "Unable to capture screenshot". A view of the window as it is, once drawn, needs neither.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height, window = page.evaluate(
        "(e => [e.clientWidth, e.scrollHeight, e.clientHeight])(document.documentElement)"
    )
    # What stays in sight while scrolling would be in every view, and hide what is behind it.
    page.eval_on_selector_all("nav.contents", "all => all.forEach(e => { e.style.position = 'static'; })")
    whole = Image.new("RGB", (width, height))
    for wanted in range(0, height, window):
        top = page.evaluate(SCROLL, wanted)
        assert top == min(wanted, max(height - window, 0))
        with Image.open(io.BytesIO(page.screenshot())) as view:
            assert view.size == (width, window)
            whole.paste(view, (0, top))
    whole.save(path, compress_level=1)  # a second faster than the default
    return whole


def column(page, table, number):
    return page.eval_on_selector_all(
        f"#{table} tbody tr:not([hidden]) > :nth-child({number})",
        "cells => cells.map(c => c.dataset.value === undefined ? c.textContent : Number(c.dataset.value))",
    )


ANY_SCREEN = pytest.mark.parametrize(
    ("width", "dark"), [(1200, False), (390, False), (390, True), (1200, True)]
)


@pytest.mark.parametrize("name", ["report", "feedback", "context"])
@ANY_SCREEN
def test_pages_fit_any_screen(opened, name, width, dark):
    page = opened(name, width=width, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    ink, paper = page.evaluate("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    light = [sum(map(int, colour[4:-1].split(","))) for colour in (ink, paper)]
    assert (light[0] > light[1]) == dark


@pytest.mark.parametrize("name", ["report", "feedback"])
@ANY_SCREEN
def test_pictures_are_kept(opened, name, width, dark):
    page = opened(name, width=width, height=1500, dark=dark)
    path = SCREENSHOTS / f"{name}-{width}{'-dark' if dark else ''}.png"
    path.unlink(missing_ok=True)
    picture = shoot(page, path)
    with Image.open(path) as kept:
        assert kept.size == picture.size
    assert picture.width == width
    assert picture.height > 2000
    grey = np.asarray(picture.convert("L"))
    assert (np.median(grey) < 128) == dark
    assert all(np.ptp(grey[top : top + 1000]) > 100 for top in range(0, picture.height - 1000, 1000))


def test_tables_can_be_sorted(opened):
    page = opened("report")
    page.get_by_role("button", name="Show all 30").click()
    head = page.locator("#species-table th", has_text="Missed")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    shares = [share for share in column(page, "species-table", 6) if share is not None]
    assert shares == sorted(shares, reverse=True)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    shares = [share for share in column(page, "species-table", 6) if share is not None]
    assert shares == sorted(shares)
    page.locator("#species-table th", has_text="Species").get_by_role("button").click()
    names = column(page, "species-table", 1)
    assert len(names) == 30
    assert names == sorted(names, key=str.lower)


def test_tables_can_be_searched_and_filtered(opened):
    page = opened("report")
    tools = page.locator('[data-for="species-table"]')
    tools.get_by_role("searchbox").fill("wARBler")
    names = column(page, "species-table", 1)
    assert len(names) == 4
    assert all("Warbler" in name for name in names)
    assert tools.locator("output").text_content() == "4 of 30 shown"
    tools.get_by_role("searchbox").fill("nightingale")
    assert column(page, "species-table", 1) == []
    tools = page.locator('[data-for="recordings-table"]')
    site = tools.get_by_label("Site")
    site.select_option(index=1)
    chosen = site.input_value()
    assert set(column(page, "recordings-table", 2)) == {chosen}
    tools.get_by_label("Species").select_option(index=1)
    bird = tools.get_by_label("Species").input_value()
    assert all(bird in text for text in column(page, "recordings-table", 6))
    page.locator('[data-for="annotators-table"]').get_by_role("searchbox").fill("vaino")
    assert column(page, "annotators-table", 1) == ["Väinö"]


def test_a_name_that_is_code_stays_a_name(opened):
    page = opened("report")
    page.locator('[data-for="annotators-table"]').get_by_role("searchbox").fill("alert")
    assert column(page, "annotators-table", 1) == [EVIL]


def test_on_a_phone_the_doubtful_species_are_in_sight(opened):
    page = opened("report", width=390)
    for table in ("recordings-table", "overruled-table", "worst-table"):
        box = page.locator(f"#{table} td.text").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


VISIBLE = """all => all.map(s => s.getBoundingClientRect()).filter(b => b.width > 0)
    .map(b => [b.left, b.right, b.width])"""
"""Left, right and width of what is shown."""


@pytest.mark.parametrize("name", ["report", "feedback", "context"])
@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_figures_and_tables_are_whole(opened, name, width):
    page = opened(name, width=width)
    shown = page.eval_on_selector_all("figure svg", VISIBLE)
    panels = page.locator("figure .panels svg").count()
    assert len(shown) == panels + page.locator("figure .narrow svg").count()
    assert page.locator("figure .wide svg, figure .panels").count() == page.locator("figure").count()
    for left, right, wide in shown:
        assert left >= 0
        assert right <= width
        assert wide >= 300  # drawn for this width, not made small
    letters = page.eval_on_selector_all(
        "figure :is(.narrow, .panels) svg text", "all => all.map(t => t.getBoundingClientRect().height)"
    )
    assert min(letters) > 6
    scrolled = page.eval_on_selector_all(
        "figure, .scroll", "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    )
    assert scrolled == []
    for left, right, _ in page.eval_on_selector_all("figure :is(.narrow, .panels) svg use", VISIBLE):
        assert 0 <= left < right <= width  # every dot and mark


def test_on_a_screen_figures_have_their_width(opened):
    page = opened("report", width=1280)
    shown = page.eval_on_selector_all("figure svg", VISIBLE)
    assert len(shown) == page.locator("figure :is(.wide, .panels) svg").count()
    assert max(wide for _, _, wide in shown) > 600
    assert page.locator("figure .narrow svg:visible").count() == 0


def test_folds_open(opened):
    page = opened("report")
    fold = page.locator("details", has_text="All about the data")
    assert not fold.locator("h3").first.is_visible()
    fold.locator("summary").click()
    assert fold.locator("h3").first.is_visible()


@pytest.mark.parametrize("name", ["report", "feedback", "context"])
def test_no_figure_is_cut_in_print(opened, name):
    page = opened(name, **A4)
    page.emulate_media(media="print", color_scheme="light")
    assert page.locator("figure .narrow svg:visible").count() == 0
    boxes = page.eval_on_selector_all(
        "figure :is(.wide, .panels) svg",
        "all => all.map(s => { const b = s.getBoundingClientRect(); return [b.width, b.height, b.right]; })",
    )
    assert boxes
    for width, height, right in boxes:
        assert 0 < width <= A4["width"]
        assert 0 < height <= A4["height"]
        assert right <= A4["width"] + 1
    assert page.evaluate("getComputedStyle(document.querySelector('figure')).breakInside") == "avoid"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    sheet = page.pdf(path=SCREENSHOTS / f"{name}.pdf", format="A4")
    assert sheet.startswith(b"%PDF")


def test_without_scripts_everything_is_there(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((pages / "report.html").as_uri())
    assert page.locator("#species-table tbody tr:visible").count() == 30
    assert page.locator(".tools:visible").count() == 0
    context.close()
