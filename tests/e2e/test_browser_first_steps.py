"""An empty installation comes to its first case in the browser, without the terminal."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browsing.windows import NARROW, WIDE, picture, violations
from tests.support.local_site import served
from tests.support.servers.served import dashboard_over
from tests.support.way import made_page, made_text, opened, work_through
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.browser

RIVER = made_text("river")
COPY = "http://pirate.test/copy"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """Nothing is there yet; a pirate's page waits on loopback."""
    with served({"/copy": ("text/html; charset=utf-8", made_page("转载", RIVER))}) as site:
        settings = {"crawler": {"host_map": {"pirate.test": site.removeprefix("http://")}, "internal_delay": 0}}
        with opened(servers, tmp_path, **settings) as product:
            for name, value in settings_environment(product.settings).items():  # for the crawl, a process of its own
                monkeypatch.setenv(name, value)
            yield product


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_three_steps_lead_to_the_first_case(browser: Browser, app: App, tmp_path: Path, viewport: object) -> None:
    work = tmp_path / "河.txt"
    work.write_text(RIVER, encoding="utf-8")
    with dashboard_over(app, clock=app.now) as address:
        page = browser.new_context(base_url=address, locale="zh-CN", viewport=viewport).new_page()  # type: ignore[arg-type]  # sizes
        page.goto("/")
        picture(page, "first-works")
        assert violations(page) == []
        page.get_by_label("文件（可多选）").set_input_files(work)
        page.get_by_role("button", name="导入").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        work_through(app)
        page.goto("/")
        picture(page, "first-address")
        assert violations(page) == []
        page.get_by_label("网址").fill(COPY)
        page.get_by_role("button", name="抓取并比对").click()
        expect(page.get_by_text("等待抓取")).to_be_visible()
        [run] = app.store.runs.recent(limit=1)
        run_crawl(app, run.id)
        work_through(app)
        case = page.get_by_role("link", name="案件 #1")
        expect(case).to_be_visible()
        picture(page, "first-outcome")
        assert violations(page) == []
        case.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("#1")
        page.wait_for_load_state()  # the script that knows the key
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="页面、作品").fill("抓取网址")
        places = page.get_by_role("listbox", name="可以前往")
        expect(places.get_by_role("option").first).to_contain_text("抓取网址")
        picture(page, "go")
        assert violations(page) == []
        page.keyboard.press("Enter")
        page.wait_for_url("**/addresses/")
        picture(page, "addresses")
        page.goto("/help/start")
        picture(page, "help")
        assert violations(page) == []
        page.context.close()
