"""The queue judged in a real browser: nothing is hit that was not meant, and the next case is there at once."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import NARROW, picture, violations
from tests.support.seed import Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store

DESK = {"width": 1440, "height": 900}
pytestmark = pytest.mark.browser


def inside(page: Page) -> int:
    """How many rows stand wholly in the window."""
    count: int = page.evaluate(
        "[...document.querySelectorAll('tr[data-case]')].map(row => row.getBoundingClientRect())"
        ".filter(box => box.top >= 0 && box.bottom <= innerHeight).length"
    )
    return count


@pytest.fixture
def many(store: Store, address: str) -> Seeder:
    """A hundred leads more; four pages of one cluster."""
    seed = Seeder(store)
    for number in range(100):
        seed.case(f"https://h{number % 30}.example/{number}.html", share=0.3 + number / 200)
    store.cases.set_clusters({store.cases.get(str(number)).page_id: "c1" for number in (10, 20, 30, 40)})
    return seed


def test_a_hundred_cases_are_judged_with_a_key_each(open_browser: Opener, many: Seeder, store: Store) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&fold=none")
    expect(page.locator("[data-preview] h2")).to_be_visible()
    assert inside(page) >= 18
    took = page.evaluate(
        """async () => {
            const here = () => document.querySelector("tr.here")?.dataset.case;
            const pane = document.querySelector("[data-preview]");
            const took = [];
            while (took.length < 100) {
                const before = here(), start = performance.now();
                const key = "y4"[took.length % 2];
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                while (here() === before || pane.dataset.shows !== here()) {
                    await new Promise(requestAnimationFrame);
                }
                took.push(performance.now() - start);
                // Who judges reads for a moment; the list is fetched again meanwhile.
                if (document.querySelectorAll("tr[data-case]:not([hidden])").length < 3) {
                    while (document.querySelector("tr[data-case][hidden]")) await new Promise(requestAnimationFrame);
                }
            }
            return took.sort((a, b) => a - b);
        }"""
    )
    print(f"100 decisions, a key each: next case in {took[50]:.0f} ms (median), {took[95]:.0f} ms (95 of 100)")
    expect(page.locator("[data-swap=tabs] a[aria-current]")).to_contain_text("5")
    assert store.cases.count(status=CaseStatus.CONFIRMED) == 50
    assert store.cases.count(status=CaseStatus.DISMISSED) == 50


def test_what_is_marked_is_what_a_key_acts_on(open_browser: Opener, many: Seeder, store: Store) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&fold=none")
    here, meant = page.locator("tr.here th a"), page.locator("tr.meant th a")
    page.keyboard.press("j")
    second = here.inner_text()
    page.keyboard.press("n")
    page.keyboard.press("Enter")  # no reason was written
    expect(page.locator(".flash")).to_contain_text("排除须写明理由")
    expect(here).to_have_text(second)
    expect(meant).to_have_text(second)
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.keyboard.press("j")
    expect(meant).to_have_text(second)  # the tick is what counts, and is what is marked
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    assert str(store.cases.get(second[1:]).status) == "confirmed"

    # A notice that was sent is not taken back by the key that confirms.
    move_case(store, second[1:], CaseStatus.NOTICE_SENT, by="x", reason=None, at=store.cases.get("1").opened_at)
    page.goto("/suspects/?status=notice_sent")
    expect(page.locator(".bulk button[value=confirmed]")).to_be_disabled()
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_contain_text("不能这样判")
    assert str(store.cases.get(second[1:]).status) == "notice_sent"


def test_a_key_of_the_queue_is_found_by_its_name(open_browser: Opener, many: Seeder, store: Store) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&fold=none")
    number = page.locator("tr.here th a").inner_text().removeprefix("#")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="页面、作品").fill("确认侵权")
    deed = page.get_by_role("listbox", name="可以前往").get_by_role("option").filter(has_text="确认侵权")
    expect(deed).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    assert str(store.cases.get(number).status) == "confirmed"


def test_enter_waits_for_what_fits_the_words_typed(open_browser: Opener, many: Seeder, store: Store) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&fold=none")
    number = page.locator("tr.here th a").inner_text().removeprefix("#")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="页面、作品").fill("确认侵权")
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    assert str(store.cases.get(number).status) == "confirmed"


def test_many_at_once_are_asked_for_and_a_folded_row_names_its_hosts(
    open_browser: Opener, many: Seeder, store: Store
) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&order=oldest")
    expect(page.locator(".fold summary").first).to_contain_text("h4.example、h14.example、h24.example")
    page.locator("[data-all]").check()
    page.keyboard.press("y")
    expect(page.locator("dialog[open]")).to_contain_text("105 件，分布在 34 个域名")
    page.get_by_role("button", name="不判").click()
    assert store.cases.count(status=CaseStatus.CONFIRMED) == 0
    page.keyboard.press("y")
    page.locator("dialog[open] button[value=yes]").click()
    expect(page.locator(".flash")).to_have_text("已确认 105 个案件。")
    page.locator(".toast").get_by_role("button", name="撤销").click()
    expect(page.locator(".flash")).to_contain_text("等 105 件。")
    assert store.cases.count(status=CaseStatus.CONFIRMED) == 0

    page.locator("summary", has_text="列").click()
    page.get_by_label("占作品").check()
    page.get_by_role("button", name="保存", exact=True).click()
    expect(page.locator("thead th.col-share_of_work")).to_be_visible()
    page.get_by_role("link", name="抄袭概率").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("抄袭概率")
    assert violations(page) == []
    picture(page, "queue")
    narrow = open_browser(viewport=NARROW).new_page()
    narrow.goto("/suspects/?status=lead")
    assert inside(narrow) >= 1
    picture(narrow, "queue-narrow")


def test_among_all_cases_a_decided_row_stays_and_its_buttons_follow(
    open_browser: Opener, many: Seeder, store: Store
) -> None:
    cases = store.cases
    before = cases.get("1").capture.fetched_at - timedelta(days=1)
    move_case(store, "1", CaseStatus.REMOVED, by="x", reason=None, at=before)
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?fold=none&order=oldest")
    confirm, dismiss = page.locator(".bulk button[value=confirmed]"), page.locator(".bulk button[value=dismissed]")
    expect(page.locator("tr.here th a")).to_have_text("#1")
    expect(confirm).to_have_text("重新追究")
    expect(dismiss).to_be_disabled()
    page.keyboard.press("j")
    expect(confirm).to_have_text("确认侵权")
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    expect(page.locator("tr.here th a")).to_have_text("#3")
    expect(page.locator("tr[data-case='2'] .col-status")).to_contain_text("已确认")
    page.keyboard.press("k")
    expect(page.locator("tr.here th a")).to_have_text("#2")
    expect(confirm).to_be_disabled()


def test_one_press_of_back_leads_from_a_decided_case_to_its_list(open_browser: Opener, many: Seeder) -> None:
    page = open_browser(viewport=DESK).new_page()
    page.goto("/suspects/?status=lead&fold=none&order=oldest")
    page.locator("tr[data-case] th a").first.click()
    expect(page).to_have_url(re.compile(r"/cases/1\?"))
    page.locator(".verdict textarea").fill("公版")
    page.locator(".verdict button[value=dismissed]").click()
    expect(page.locator(".flash")).to_have_text("案件 #1 已排除。")
    expect(page.locator(".verdict textarea")).to_have_value("")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/suspects/\?"))
    page.goto("/cases/2")
    page.locator(".verdict button[value=dismissed]").click()
    expect(page.locator(".verdict [role=alert]")).to_contain_text("请写明理由")  # what is refused is said as ever
