"""An administrator says how a site is reached, in a real browser on the real store, with script and without."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browsing.windows import NARROW, WIDE, picture, sign_in, violations
from tests.support.people import add_user
from tests.support.seed import KEY, Seeder, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role
from wenhen.kit.sealed_secrets import Seal

pytestmark = pytest.mark.browser

SEAL = Seal(lambda: [KEY])
SECRET = "7f-geheim-9"
SITE = "/sites/of/copies"
MAIL = "a-rather-long-name.of-the-law-office-of-the-whole-company@copies.example"


@pytest.fixture
def address(store: Store, redis_url: str) -> Iterator[str]:
    """Where a dashboard that asks for sign-in is served; there is the site copies."""
    Seeder(store).library()
    add_user(store, "chief", Role.ADMINISTRATOR)
    with product_over(store, redis_url) as product, dashboard_over(product, sign_in=True) as address:
        yield address


@pytest.mark.parametrize(
    ("viewport", "scheme", "script"),
    [(WIDE, "light", True), (NARROW, "dark", True), (NARROW, "light", False)],
    ids=["wide", "narrow", "no script"],
)
def test_an_administrator_sets_session_proxies_and_robots_of_a_site(
    browser: Browser, address: str, store: Store, viewport: dict[str, int], scheme: str, script: bool
) -> None:
    """The screen fits its window at each step, and axe finds no fault."""
    context = browser.new_context(
        base_url=address,
        locale="zh-CN",
        viewport=viewport,  # type: ignore[arg-type]  # sizes
        color_scheme=scheme,  # type: ignore[arg-type]  # a scheme
        java_script_enabled=script,
    )
    page = context.new_page()

    def look(name: str) -> None:
        picture(page, name)
        assert page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth") == 0, name
        if script:  # axe is one
            assert violations(page) == [], name

    page.goto("/sites/")
    sign_in(page, "chief")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_text("修改所选站点的一项设置").click()
    look("sites")
    page.locator("[name=all]").check()
    page.locator("[name=setting]").select_option("every")
    page.locator("[name=value]").fill("6.5")
    page.get_by_role("button", name="修改所选", exact=True).click()
    expect(page.locator(".flash")).to_have_text("已处理 1 个站点。")
    assert store.sites.get("copies").interval_hours == 6.5
    page.goto(SITE)
    page.get_by_text("设置登录会话").click()
    page.locator("[name=cookies]").fill(f"sid={SECRET}")
    page.get_by_role("button", name="保存会话").click()
    expect(page.locator(".flash")).to_have_text("会话已保存，下次抓取起使用。")
    page.get_by_text("设置代理").click()
    page.locator("[name=proxies]").fill("http://me:w0rd@proxy.example:3128\n")
    page.locator("#access").get_by_role("button", name="保存", exact=True).click()
    expect(page.locator("#access")).to_contain_text("http://me:***@proxy.example:3128")
    page.get_by_text("robots.txt 的决定").click()
    look("forms")
    page.get_by_label("不遵守的理由").fill("书面授权 2026-17")
    page.get_by_role("button", name="不遵守 robots.txt").click()
    expect(page.locator("#access dd").first).to_contain_text("书面授权 2026-17")
    page.get_by_text("设置登录会话").click()
    look("decided")
    assert SECRET not in page.content()
    assert store.sites.get("copies").ignore_robots_by == "chief"
    assert [SEAL.open_sealed(one.value, "site:copies") for one in store.accesses.get("copies").cookies] == [SECRET]
    page.goto(f"{SITE}?lang=en")
    expect(page.get_by_role("heading", name="How it is reached")).to_be_visible()
    look("english")
    context.close()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_dossier_of_a_site_fits_a_telephone(browser: Browser, address: str, store: Store, language: str) -> None:
    foot = f"<footer>主办单位：河口网络科技有限公司 粤ICP备00000001号 {MAIL}</footer>"
    Seeder(store).case(f"https://copies.example/{'about-' * 20}us.html", beside=foot)
    context = browser.new_context(base_url=address, locale="zh-CN", viewport=NARROW, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{SITE}?lang={language}")
    sign_in(page, "chief")
    page.get_by_role("link", name={"zh": "站点档案", "en": "Dossier"}[language]).click()
    expect(page.get_by_text("粤ICP备00000001号")).to_be_visible()
    picture(page, f"dossier-{language}")
    assert page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth") == 0
    assert violations(page) == []
    context.close()
