"""What somebody writes survives a session that ends: drafts, and sign-in over the page, in the queue too."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browsing.windows import WIDE, picture, sign_in, violations
from tests.support.people import PASSWORD, add_user
from tests.support.seed import Seeder, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role

pytestmark = pytest.mark.browser

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def address(store: Store, redis_url: str) -> Iterator[str]:
    """Where a dashboard that asks for sign-in is served."""
    Seeder(store).library()
    add_user(store, "沈", Role.LAWYER)
    add_user(store, "chief", Role.ADMINISTRATOR, totp_secret=SECRET)
    with (
        product_over(store, redis_url) as product,
        dashboard_over(product, sign_in=True, clock=lambda: datetime.now(UTC)) as address,
    ):
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A window in which the lawyer is signed in."""
    context = browser.new_context(base_url=address, locale="zh-CN", viewport=WIDE)
    page = context.new_page()
    page.goto("/cases/2")
    sign_in(page, "沈")
    expect(page.locator("#comment")).to_be_visible()
    yield page
    context.close()


def end_session(page: Page, *, known: bool = True) -> None:
    """The session ends; known: the page was there for a while, so that it asks before it sends."""
    page.context.clear_cookies()
    if known:
        page.evaluate("there = 0")


def test_a_comment_is_posted_after_signing_in_over_the_page(page: Page, store: Store) -> None:
    page.locator("#comment").fill("与原作逐段相同")
    end_session(page)
    page.get_by_role("button", name="发表").click()
    dialog = page.locator("[data-sign-in]")
    expect(dialog).to_be_visible()
    picture(page, "sign-in-over-the-page")
    assert violations(page) == []
    page.locator("#again-password").fill("不对")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    page.locator("#again-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".comments .said")).to_have_text("与原作逐段相同")
    expect(page.locator("#comment")).to_have_value("")
    assert [one.text for one in store.comments.of_case(2)] == ["与原作逐段相同"]


def test_what_was_sent_just_as_the_session_ended_is_in_the_form_again(page: Page, store: Store) -> None:
    page.locator("#comment").fill("先写下的")
    end_session(page, known=False)
    page.get_by_role("button", name="发表").click()
    expect(page.locator(".flash.refused")).to_contain_text("没有送出")
    sign_in(page, "沈")
    expect(page.locator("#comment")).to_have_value("先写下的")
    expect(page.locator(".draft")).to_contain_text("已恢复")
    page.get_by_role("button", name="发表").click()
    expect(page.locator(".comments .said")).to_have_text("先写下的")
    page.reload()
    expect(page.locator("#comment")).to_have_value("")
    expect(page.locator(".draft")).to_have_count(0)
    assert len(store.comments.of_case(2)) == 1


def test_a_draft_stays_with_its_form_until_it_is_discarded(page: Page) -> None:
    page.locator("#comment").fill("未完")
    page.goto("/cases/1")
    expect(page.locator("#comment")).to_have_value("")
    page.goto("/cases/2")
    expect(page.locator("#comment")).to_have_value("未完")
    page.locator(".draft button").click()
    page.reload()
    expect(page.locator("#comment")).to_have_value("")


def test_what_is_written_before_the_script_of_a_slow_network_runs_is_kept_too(page: Page) -> None:
    held: list[Route] = []
    page.route("**/forms*.js*", lambda route: held.append(route))  # noqa: PLW0108  a method takes no attribute
    page.goto("/cases/2", wait_until="commit")
    page.locator("#comment").fill("早写")
    assert page.evaluate("localStorage.length") == 0
    held[0].continue_()
    page.wait_for_load_state()
    page.unroute("**/forms*.js*")
    page.goto("/cases/2")
    expect(page.locator("#comment")).to_have_value("早写")


def test_a_draft_never_stands_in_the_form_of_another_record(browser: Browser, address: str, store: Store) -> None:
    add_user(store, "编辑", Role.ADMINISTRATOR)
    first, second = sorted(store.works.ids())[:2]
    context = browser.new_context(base_url=address, locale="zh-CN", viewport=WIDE)
    page = context.new_page()
    page.goto(f"/works/edit?id={first}")
    sign_in(page, "编辑")
    page.locator("[name=author]").fill("另一位作者")
    page.goto(f"/works/edit?id={second}")
    expect(page.locator(".draft")).to_have_count(0)
    expect(page.locator("[name=author]")).not_to_have_value("另一位作者")
    page.goto(f"/works/edit?id={first}")
    expect(page.locator("[name=author]")).to_have_value("另一位作者")
    context.close()


def test_a_decision_of_the_queue_goes_on_after_signing_in_over_the_page(page: Page, store: Store) -> None:
    page.goto("/suspects/?status=lead")
    number = page.locator("tr.here").get_attribute("data-case")
    assert number
    end_session(page, known=False)
    page.keyboard.press("y")
    expect(page.locator("[data-sign-in]")).to_be_visible()
    page.locator("#again-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    assert str(store.cases.get(number).status) == "confirmed"
    page.keyboard.press("u")
    expect(page.locator(".flash")).to_contain_text("已撤销")

    end_session(page, known=False)
    page.keyboard.press("y")
    page.get_by_role("button", name="暂不登录").click()
    expect(page.locator(".flash.refused")).to_contain_text("登录已结束，什么都没有送出")
    assert str(store.cases.get(number).status) == "lead"


def test_without_a_connection_the_queue_and_a_form_say_so(page: Page) -> None:
    page.goto("/suspects/?status=lead")
    page.context.set_offline(True)
    page.keyboard.press("y")
    expect(page.locator(".flash.refused")).to_contain_text("没有连接")
    page.context.set_offline(False)
    page.goto("/cases/2")
    page.locator("#comment").fill("离线时写的")
    page.context.set_offline(True)
    page.evaluate("there = 0")
    page.get_by_role("button", name="发表").click()
    expect(page.locator(".flash.refused")).to_contain_text("没有连接")
    expect(page.locator("#comment")).to_have_value("离线时写的")


def test_who_has_a_second_factor_gives_it_over_the_page(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, locale="zh-CN", viewport=WIDE)
    page = context.new_page()
    page.goto("/cases/2")
    sign_in(page, "chief")
    page.locator("#code").fill(pyotp.TOTP(SECRET).at(datetime.now(UTC) - timedelta(seconds=30)))
    page.keyboard.press("Enter")
    page.locator("#comment").fill("管理员写的")
    end_session(page)
    page.get_by_role("button", name="发表").click()
    page.locator("#again-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.locator("#again-code").fill(pyotp.TOTP(SECRET).now())
    page.keyboard.press("Enter")
    expect(page.locator(".comments .said")).to_have_text("管理员写的")
    context.close()
