"""A passage left out of a case with the keyboard alone, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import WIDE, picture
from wenhen.context.store_and_queue import Store

pytestmark = pytest.mark.browser


def test_the_passage_that_is_being_read_is_left_out_and_taken_back(open_browser: Opener, store: Store) -> None:
    page = open_browser(viewport=WIDE, reduced_motion="reduce").new_page()
    page.goto("/cases/5")
    before = store.cases.get("5").match
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("[data-at]")).to_have_text("2/40")
    page.keyboard.press("x")
    reason = page.locator("[data-excludes]")
    expect(reason).to_be_focused()
    reason.press("Enter")  # nothing goes without a reason
    expect(page.locator("[data-at]")).to_have_text("2/40")
    reason.fill("合理引用")
    reason.press("Enter")
    expect(page.locator("[data-at]")).to_have_text("–/39")
    second = sorted(before.passages, key=lambda one: one.page_start)[1]
    assert second not in store.cases.get("5").match.passages
    picture(page, "left-out")
    page.get_by_role("button", name="恢复计入").click()
    expect(page.locator("[data-at]")).to_have_text("–/40")
    assert store.cases.get("5").match == before
