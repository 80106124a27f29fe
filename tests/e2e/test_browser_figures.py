"""What scripts make of figures: those of a screen stay as its HTML has them, the threshold counts as it is moved."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.desk import UNLICENSED, Document, varied_product
from tests.support.servers.served import dashboard_over
from tests.support.shown import shown
from wenhen.runtime.embedded.servers import ServerAddresses

pytestmark = [pytest.mark.browser, pytest.mark.server]

# Where `tests/screens/figures` reads figures: tiles, tabs, cells of tables, numbers above lists, what columns tell.
SCREENS = (
    *("/", "/suspects/", "/suspects/?fold=site", "/works/", "/works/one?id=w0", "/cases/1", "/analysis/"),
    *("/reports/", "/sites/", "/sites/of/copies", "/licences/", "/health/", "/discoveries/", "/users/", "/audit/"),
)
NUMBERS = "main [data-figure], main .tile b, main nav.tabs b, main .pager span"
FIGURES = f"{NUMBERS}, main td, main th, main svg title"


@pytest.fixture(scope="module")
def desk(browser: Browser, servers: ServerAddresses) -> Iterator[tuple[Page, Any]]:
    """A window on the dashboard over a varied store, and its database."""
    with (
        varied_product(servers) as (product, db),
        dashboard_over(product) as address,
        browser.new_context(base_url=address, locale="zh-CN") as context,
    ):
        yield context.new_page(), db


@pytest.mark.parametrize("address", SCREENS)
def test_scripts_change_no_figure(desk: tuple[Page, Any], address: str) -> None:
    page, _ = desk
    answer = page.goto(address)
    assert answer
    told = shown(answer.text()).locator(FIGURES).all_inner_texts()
    seen = page.locator(FIGURES).all_text_contents()
    assert [" ".join(text.split()) for text in seen] == told != []
    assert "" not in page.locator(NUMBERS).all_inner_texts(), "all can be seen"


def test_the_threshold_counts_unlicensed_leads_as_it_is_moved(desk: tuple[Page, Any]) -> None:
    page, db = desk
    for threshold in (30, 75):
        page.goto("/")
        page.locator("#threshold").fill(str(threshold))
        above: Document = {"status": "lead", **UNLICENSED, "match.share_of_page": {"$gte": threshold / 100}}
        leads = {case["number"] for case in db.cases.find(above)}
        assert int(page.locator("[data-above]").inner_text().replace(",", "")) == len(leads)
        address = page.locator("[data-threshold-link]").get_attribute("href")
        boxes = shown(page.request.get(address or "").text()).locator("input[name=case]").all()
        listed = {int(one) for box in boxes for one in (box.get_attribute("value") or "").split(",")}
        assert listed == leads
