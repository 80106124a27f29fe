"""A lawyer's way in a real browser: a lead, its letter, the removal, the copy again, the second letter, the bundle."""

from dataclasses import replace
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import WIDE
from tests.support.holders import ready_holder
from tests.support.seed import NOW
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store

pytestmark = pytest.mark.browser


def test_a_lawyer_goes_from_a_lead_to_the_second_letter_and_the_bundle(open_browser: Opener, store: Store) -> None:
    ready_holder(store)
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/cases/2")
    with page.expect_navigation():
        page.locator(".decision button[value=confirmed]").click()
    page.locator(".head a", has_text="通知函").click()
    page.get_by_role("button", name="拟定通知函").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("通知函 2026-0001")
    page.get_by_role("button", name="已寄出").click()
    expect(page.locator(".flash")).to_contain_text("2026-0001 已记为发出")

    page.goto("/cases/2/notice")
    expect(page.locator(".notice")).to_contain_text("已由通知 2026-0001 通知")
    expect(page.get_by_role("button", name="拟定通知函")).to_have_count(0)

    store.cases.mark_absent([store.cases.get("2").id], NOW)
    page.goto("/cases/2")
    page.locator(".proposal button").click()
    assert store.cases.get("2").status is CaseStatus.REMOVED
    case = store.cases.get("2")
    store.cases.open_or_update(replace(case, capture=replace(case.capture, fetched_at=NOW + timedelta(days=400))))
    page.goto("/cases/2")
    page.locator(".proposal button").click()
    page.goto("/notices/")
    page.locator("section[aria-labelledby=tasks] a", has_text="#2").click()
    expect(page.locator("article.letter")).to_contain_text("曾列入通知 2026-0001")
    page.get_by_role("button", name="拟定通知函").click()
    expect(page.locator("article.letter")).to_contain_text("侵权通知书（第 2 次通知）")
    expect(page.locator("dl.facts")).to_contain_text("此前的通知")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="律师材料包（zip）").click()
    assert waiting.value.suggested_filename == "wenhen-2026-0002.zip"
