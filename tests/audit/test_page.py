"""The HTML report in a browser: it opens, filters and navigates, asks nothing of anybody, and keeps text text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from audit_contents import confirmed, everything, finding, item, nothing
from browser import Opened, chromium, opened
from html_contents import MARKUP, hostile, many

from flake8_torchtrace.model import Outcome, Target, TargetVerdict, Verdict
from flake8_torchtrace.report import FORMATS
from flake8_torchtrace.report.content import Content
from flake8_torchtrace.report.html.overview import costly

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def written(folder: Path, content: Content) -> Path:
    path = folder / "report.html"
    path.write_text(FORMATS["html"](content), encoding="utf-8", errors="backslashreplace")
    return path


@pytest.fixture(scope="module")
def large(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A page with 3,000 findings."""
    with opened(browser, written(tmp_path_factory.mktemp("page"), many(3000))) as page:
        yield page
        assert (page.complaints, page.requests) == ([], [])


@pytest.mark.parametrize("content", [everything(), nothing()], ids=["everything", "nothing"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_view_opens_in_silence(browser: Browser, tmp_path: Path, content: Content, width: int) -> None:
    with opened(browser, written(tmp_path, content), width) as page:
        views = ["#overview", "#modules", "#findings", *(f"#f{index}" for index in range(len(content.items)))]
        for view in views:
            page.go(view)
            assert page.texts("h2") != []
            assert page.page.evaluate("document.documentElement.scrollWidth") <= width, view
        assert (page.complaints, page.requests) == ([], [])


def test_text_has_room_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, many(100)), 390) as page:
        for view in ("#overview", "#modules", "#findings"):
            page.go(view)
            widths = "[...document.querySelectorAll('table.stacks tbody td')].map(one => one.offsetWidth).filter(width => width)"
            found = page.page.evaluate(widths)
            assert found != [], view
            assert min(found) > 300, view


def test_what_export_loses_it_does_not_refuse() -> None:
    lost = Verdict("2.13.0", {Target.EXPORT_STRICT: TargetVerdict(Outcome.CONFIRMED, "text on standard output")})
    content = replace(everything(), items=(item("net.py", finding("TTR501"), lost), item("net.py", finding(), confirmed(Target.FULLGRAPH))))
    assert [(row.item.finding.code, bool(row.refused)) for row in costly(content)] == [("TTR101", True), ("TTR501", False)]


def test_markup_of_others_stays_text(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, hostile())) as page:
        for view in ("#overview", "#modules", "#findings", "#upgrade", "#m0", "#m1", "#f0"):
            page.go(view)
            page.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            assert "<script>alert(1)</script>" in page.page.locator("main").inner_text(), view
        page.go("#f0")
        assert any(MARKUP in text for text in page.texts(".source li"))
        assert page.texts("pre") == [f"all of it: {MARKUP}"]
        assert f"synthesised: {MARKUP}" in page.texts("dd")
        assert page.page.locator("img").count() == 0
        assert page.page.locator("script").count() == 2
        assert (page.complaints, page.requests) == ([], [])


def test_the_overview_leads_to_the_modules_that_it_counts(large: Opened) -> None:
    large.go("#overview")
    cards = [text.split("\n")[:2] for text in large.texts(".card")]
    assert cards == [["75", "whole-graph"], ["75", "export-ready"], ["150", "broken"], ["75", "unknown"]]
    large.page.locator(".card.broken").click()
    assert large.texts("#list-status") == ["150 of 300 modules"]
    assert len(large.texts("#list tbody tr")) == 100
    large.page.locator("#more").click()
    assert len(large.texts("#list tbody tr")) == 150
    assert not large.page.locator("#more").is_visible()


def test_search_and_filters_narrow_the_findings(large: Opened) -> None:
    large.go("#findings")
    assert large.texts("#list-status") == ["3,000 findings"]
    large.page.get_by_label("Search").fill("net17.py ttr103")
    assert large.texts("#list-status") == ["1 of 3,000 findings"]
    large.page.get_by_label("Level").select_option("confirmed")
    assert large.texts("#list tbody td.place a") == ["package/part17/net17.py:12"]
    assert "level=confirmed" in large.page.url
    large.page.get_by_label("Level").select_option("dismissed")
    assert large.texts("#list tbody tr") == []
    large.page.get_by_role("button", name="Clear").click()
    large.page.get_by_text("3,000 findings", exact=True).wait_for()
    large.go("#findings?family=value&target=compile")
    assert large.page.get_by_label("Family").input_value() == "value"
    assert 0 < int(large.texts("#list-status")[0].split()[0].replace(",", "")) < 3000


def test_down_to_a_finding_and_back_by_keyboard(large: Opened) -> None:
    large.go("#findings?q=net17.py+ttr103")
    assert large.page.evaluate("document.activeElement.id") == "list-title"
    large.page.locator("#list tbody a").focus()
    large.page.keyboard.press("Enter")
    large.page.wait_for_selector("#view-detail:not([hidden])")
    assert large.texts("#detail-title") == ["Net17"]
    assert large.page.evaluate("document.activeElement.querySelector('h4').textContent").startswith("TTR103")
    (number,) = {text.split("\n")[0].split()[0] for text in large.texts(".source li.hit") if "TTR103" in text}
    assert number == "12"
    assert "compile\tbroke\t3 graphs, 40 operators" in large.texts("#detail .panel")[0]
    large.page.locator("#back").click()
    large.page.wait_for_selector("#view-list:not([hidden])")
    assert large.texts("#list-status") == ["1 of 3,000 findings"]


def test_screen_readers_find_their_way(large: Opened) -> None:
    large.go("#findings")
    unlabelled = "[...document.querySelectorAll('input, select, button, a')].filter(one => !one.labels?.length && !one.textContent.trim()).length"
    assert large.page.evaluate(unlabelled) == 0
    assert large.page.locator("nav a[aria-current=page]").inner_text().startswith("Findings")
    assert large.page.get_by_role("status").inner_text() == "3,000 findings"
    assert large.page.evaluate("document.documentElement.lang") == "en"
    assert large.page.locator("svg:not([aria-label])").count() == 0
    large.page.keyboard.press("Control+Home")
    large.page.locator("body").evaluate("body => { document.activeElement.blur(); window.getSelection().removeAllRanges(); }")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser: Browser, tmp_path: Path, scheme: str) -> None:
    with opened(browser, written(tmp_path, everything()), scheme=scheme) as page:
        def is_dark() -> bool:
            red, green, blue = page.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)")
            return bool(red + green + blue < 200)

        assert is_dark() is (scheme == "dark")
        page.page.locator("#theme").click()
        assert is_dark() is (scheme != "dark")
