"""A page compiled from several works, found by the whole chain and looked at in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import NARROW, WIDE, violations
from tests.support.way import capture, made_page, made_text, store_work, work_through
from wenhen.cases.model import Case
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.browser

ADVERT = "（扫码关注河岸书评，每日一篇好文章，转发有礼。）"
OWN = made_text("the page's own", 150)


@pytest.fixture
def compiled(product: App) -> list[Case]:
    """The cases of a page of three works, one of which stands in a collection too, with words of its own between."""
    texts = {name: made_text(name, 300) for name in ("first", "second", "third")}
    for name, text in texts.items():
        store_work(product, name, text, title=f"《{name}》")
    store_work(product, "collection", texts["second"], title="《选本》")
    first = texts["first"][:160] + ADVERT + texts["first"][160:]
    text = "\n".join([first, OWN, texts["second"], texts["third"]])
    capture(product, "https://compiled.example/1.html", made_page("汇编", text))
    work_through(product)
    return sorted(product.store.cases.find(host="compiled.example", limit=10), key=lambda case: case.number)


def looks(page: Page) -> dict[str, int]:
    """How many characters of the page's matched text have each look."""
    found: dict[str, int] = page.evaluate(
        """() => {
            const counts = {};
            for (const piece of document.querySelectorAll("[data-pane=page] .chunk > :not(a, [data-unmatched])")) {
                const look = piece.className.replace(/ (here|change|first)/g, "");
                counts[look] = (counts[look] || 0) + [...piece.textContent].length;
            }
            return counts;
        }"""
    )
    return found


def test_every_source_of_a_page_is_marked_and_can_be_switched_off_at_once(
    open_browser: Opener, compiled: list[Case]
) -> None:
    case = next(one for one in compiled if one.work_id == "first")
    page = open_browser(viewport=WIDE).new_page()
    page.goto(f"/cases/{case.number}")
    boxes = page.locator("[data-source-box]")
    expect(boxes).to_have_count(3)  # the collection is named beside the work whose text it holds
    expect(page.locator(".sources li").nth(1)).to_contain_text("同文另见")
    counted = looks(page)
    assert counted["source source-1"] == counted["source source-2"] == 320
    assert counted["ignored"] < len(OWN) + 20

    boxes.nth(1).uncheck()
    assert looks(page) == {**without(counted, "source source-1"), "off": 320}
    expect(page.locator("[data-ruler] g[data-source='2']")).to_be_hidden()
    expect(page.locator("[data-off-legend]")).to_be_visible()
    boxes.nth(0).uncheck()
    assert looks(page)["off"] == 640 + 3  # and the signs around the advert
    assert "same" not in looks(page)
    switched = looks(page)
    page.reload()
    expect(boxes.nth(0)).not_to_be_checked()
    assert looks(page) == switched
    boxes.nth(0).check()
    boxes.nth(1).check()
    assert looks(page) == counted
    assert page.url.endswith(f"/cases/{case.number}?")

    expect(page.locator("[data-unmatched]").first).to_have_text(re.compile("导航.*首页 关于"))
    page.locator("[data-unmatched-box]").uncheck()
    expect(page.locator("[data-unmatched]").first).to_be_hidden()


def without(counts: dict[str, int], look: str) -> dict[str, int]:
    """The counts but for one."""
    return {name: count for name, count in counts.items() if name != look}


def test_sources_are_switched_by_the_address_where_no_script_runs(open_browser: Opener, compiled: list[Case]) -> None:
    page = open_browser(viewport=NARROW, java_script_enabled=False).new_page()
    page.goto(f"/cases/{compiled[0].number}")
    page.locator("[data-source-box]").nth(2).uncheck()
    page.locator("[data-unmatched-box]").uncheck()
    page.get_by_role("button", name="只标出所选").click()
    expect(page).to_have_url(re.compile("shown=.*#compare$"))
    expect(page.locator("[data-source-box]").nth(2)).not_to_be_checked()
    expect(page.locator("[data-pane=page] mark.off").first).to_be_visible()
    expect(page.locator("[data-unmatched]").first).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_marked_page_is_accessible_and_fits_the_window(
    open_browser: Opener, compiled: list[Case], window: dict[str, int], scheme: str
) -> None:
    page = open_browser(viewport=window, color_scheme=scheme).new_page()
    page.goto(f"/cases/{compiled[-1].number}?shown=&shown={compiled[0].number}&shown=unmatched")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= window["width"]
