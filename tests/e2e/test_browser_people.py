"""Signing in, one's own account and the administrator's screens, in a real browser on the real store."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pyotp
import pytest
from playwright.sync_api import Browser, expect

from tests.support.browsing.walks import windows_over
from tests.support.browsing.windows import NARROW, SCHEMES, WIDE, picture, sign_in, violations
from tests.support.people import add_user
from tests.support.seed import Seeder, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role

pytestmark = pytest.mark.browser

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def address(store: Store, redis_url: str) -> Iterator[str]:
    """Where a dashboard that asks for sign-in is served; chief has a second factor, 沈 is an operator."""
    Seeder(store).library()
    add_user(store, "chief", Role.ADMINISTRATOR, totp_secret=SECRET)
    add_user(store, "沈")
    with (
        product_over(store, redis_url) as product,
        dashboard_over(product, sign_in=True, clock=lambda: datetime.now(UTC)) as address,
    ):
        yield address


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_person_signs_in_with_both_factors_and_out_again(browser: Browser, address: str, script: bool) -> None:
    context = browser.new_context(base_url=address, locale="zh-CN", java_script_enabled=script)
    page = context.new_page()
    page.goto("/suspects/?status=lead")
    sign_in(page, "chief")
    expect(page.get_by_role("heading", level=1)).to_have_text("两步验证")
    expect(page.locator("#code")).to_be_focused()
    page.keyboard.type(pyotp.TOTP(SECRET).now())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("疑似侵权")
    assert page.url.endswith("/suspects/?status=lead")
    page.get_by_role("link", name="chief").click()
    page.get_by_role("button", name="退出登录").click()
    expect(page.locator(".flash")).to_have_text("已退出登录。")
    page.go_back()
    page.goto("/suspects/")
    expect(page.locator("#password")).to_be_visible()
    context.close()


def test_an_operator_sees_no_way_to_what_the_role_does_not_allow_and_is_turned_away(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(base_url=address, locale="zh-CN")
    page = context.new_page()
    page.goto("/")
    sign_in(page, "沈")
    page.get_by_role("link", name="沈").click()
    expect(page.get_by_role("link", name="用户与角色")).to_have_count(0)
    for there in ("/users/", "/audit/", "/webhooks/"):
        answer = page.goto(there)
        assert answer
        assert answer.status == 403
        expect(page.get_by_role("heading", level=1)).to_have_text("您的角色没有这项权限")
    context.close()


def test_the_way_in_fits_its_window_and_axe_finds_no_fault(browser: Browser, address: str) -> None:
    """Also that nothing breaks the policy, and nothing is asked of anybody else."""
    with windows_over(browser, address) as open_one:
        page = open_one(viewport=WIDE).new_page()

        def look(name: str) -> None:
            for window, scheme in ((WIDE, SCHEMES[0]), (NARROW, SCHEMES[1])):
                page.set_viewport_size(window)
                page.emulate_media(color_scheme=scheme)
                picture(page, f"{name}-{scheme}")
                assert page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth") == 0, name
                assert violations(page) == [], (name, scheme)

        page.goto("/sign-in/")
        look("sign-in")
        sign_in(page, "chief")
        expect(page.locator("#code")).to_be_focused()
        look("code")
