"""A day of each person who works with the product: `wenhen up` with sign-in, a real site, a real browser."""

import re
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.support.commands.command import Command
from tests.support.local_site import served
from tests.support.way import made_page, made_text, wait_for
from wenhen.runtime.embedded.servers import stop_servers

RIVER, SNOW, MOON = (made_text(f"day {name}", 900) for name in ("river", "snow", "moon"))
OTHER = made_text("day of somebody else", 900)
PASSWORD = "槐树开花的时候老人修船"
HTML = "text/html; charset=utf-8"
STARTS = 90  # seconds for `up` to print its address

pytestmark = [pytest.mark.server, pytest.mark.browser, pytest.mark.usefixtures("nursery")]


@dataclass(frozen=True)
class Product:
    """A running `wenhen up`, its address, what it printed, and the command on the same data."""

    address: str
    printed: str
    wenhen: Command


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    links = "".join(f'<p><a href="/{name}.html">{name}</a></p>' for name in ("river", "snow", "moon", "other"))
    pages = {"/": (HTML, f"<html><body>{links}</body></html>".encode())}
    for name, text in (("river", RIVER), ("snow", SNOW), ("moon", MOON), ("other", OTHER)):
        pages[f"/{name}.html"] = (HTML, made_page(f"转载 {name}", text))
    with served(pages) as address:
        yield address


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, nursery: None) -> Iterator[Product]:
    """`wenhen up` on a data folder of its own, until the tests are over."""
    folder = tmp_path_factory.mktemp("days")
    wenhen = Command(folder / "home", folder / "data", {"WENHEN_DASHBOARD_SIGN_IN": "1"})
    wenhen.home.mkdir()
    log = (folder / "up.log").open("w+")
    up = subprocess.Popen(
        wenhen.arguments("up", "--port", "0"), env=wenhen.environment(), cwd=wenhen.home, stdout=log, stderr=log
    )
    try:
        yield Product(*_printed(folder / "up.log", up), wenhen)
    finally:
        up.send_signal(signal.SIGINT)
        up.wait(60)
        log.close()
        stop_servers(folder / "data")


def _printed(log: Path, up: "subprocess.Popen[bytes]") -> tuple[str, str]:
    until = time.monotonic() + STARTS
    while time.monotonic() < until:
        text = log.read_text(encoding="utf-8")
        found = re.search(r"http://\S+", text)
        if found and "Ctrl-C" in text:
            return found[0].rstrip("/"), text
        assert up.poll() is None, text
        time.sleep(0.2)
    raise AssertionError(f"nothing was served within {STARTS} s: {log.read_text(encoding='utf-8')}")


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    """A window in which nobody has signed in yet; nothing may go wrong in it."""
    wrongs: list[str] = []
    with browser.new_context(
        base_url=product.address, locale="zh-CN", viewport={"width": 1440, "height": 1000}
    ) as context:
        context.on("weberror", lambda error: wrongs.append(str(error.error)))
        yield context.new_page()
    assert wrongs == []


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/sign-in/")
    page.fill("#name", name)
    page.fill("#password", password)
    page.click("form.stack button.main")
    page.wait_for_url(lambda url: "/sign-in" not in url)  # whoever goes elsewhere before that is not signed in


def change_password(page: Page, old: str) -> None:
    """What everybody has to do first with a password that somebody else has seen."""
    expect(page.locator("#old")).to_be_visible()
    for field, value in (("old", old), ("new", PASSWORD), ("again", PASSWORD)):
        page.fill(f"#{field}", value)
    page.locator("[aria-labelledby=password-title] button.main").click()
    expect(page.locator(".notice[role=alert]")).to_have_count(0)


def newcomer(page: Page, product: Product, name: str, role: str) -> None:
    """Add a user by command, sign in, and choose a password."""
    given = product.wenhen.run("users", "add", name, "--role", role).stdout.strip()
    sign_in(page, name, given)
    change_password(page, given)


def test_the_administrator_gets_a_password_once_and_has_to_change_it(page: Page, product: Product) -> None:
    [given] = re.findall(r"one-time password: (\S+)", product.printed)
    sign_in(page, "admin", given)
    page.goto("/works/")
    assert page.url.rstrip("/").endswith("/account"), "nothing else opens before the password was changed"
    change_password(page, given)
    page.goto("/health/")
    expect(page.locator("main")).to_contain_text("MongoDB")


def test_an_operators_day_from_the_import_to_the_decisions(page: Page, product: Product, site: str) -> None:
    newcomer(page, product, "李操作", "operator")
    page.goto("/works/import/")
    page.set_input_files(
        "#files", [FilePayload(name=f"{name}.txt", mimeType="text/plain", buffer=text.encode()) for name, text in WORKS]
    )
    page.fill("#owner", "河岸文艺社")
    page.click("[data-intake] button.main")
    expect(page.locator("#done")).to_be_visible()
    assert len(product.wenhen.json("works", "list")) == 3
    page.goto("/works/")
    expect(page.locator("main tbody tr")).to_have_count(3)

    # A site at a private address can be added by the command alone.
    product.wenhen.run("sites", "add", f"{site}/", "--internal", "--name", "转载站")
    page.goto("/sites/")
    page.get_by_role("button", name=re.compile("立即抓取")).first.click()
    wait_for(lambda: len(product.wenhen.json("cases", "list")) == 3, "three cases")

    page.goto("/suspects/?fold=none")
    expect(page.locator("[data-case]")).to_have_count(3)
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_be_visible()
    page.goto("/suspects/?status=lead&fold=none")
    page.keyboard.press("n")
    page.keyboard.type("引用合理")
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_be_visible()
    page.wait_for_load_state()  # keys count once the script of the new page is there
    page.keyboard.press("u")
    page.wait_for_url("**/suspects/**")
    expect(page.locator(".flash")).to_contain_text("撤销")
    page.goto("/suspects/?status=lead&fold=none")
    expect(page.locator("[data-case]")).to_have_count(2)
    page.keyboard.press("e")
    expect(page.locator("[data-pane=page]")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("n")
    page.keyboard.press("y")
    expect(page.locator(".status-confirmed").first).to_be_visible()
    counts = {case["status"] for case in product.wenhen.json("cases", "list")}
    assert counts == {"lead", "confirmed"}


def test_an_operator_is_turned_away_from_what_is_not_his(page: Page, product: Product) -> None:
    newcomer(page, product, "王操作", "operator")
    for address in ("/users/", "/audit/"):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == 403, address
    page.goto("/suspects/?status=confirmed&fold=none")
    page.locator("[data-case] th a").first.click()
    expect(page.get_by_role("button", name=re.compile("通知"))).to_have_count(0)


def test_a_lawyers_day_from_the_lead_to_the_bundle_and_the_report(page: Page, product: Product) -> None:
    newcomer(page, product, "沈律师", "lawyer")
    page.goto("/suspects/?status=lead&fold=none")
    page.locator("[data-case] th a").first.click()
    page.wait_for_url("**/cases/**")
    case = page.url
    with page.expect_navigation():  # to the next case
        page.locator("button[name=status][value=confirmed]").click()
    page.goto(case)
    expect(page.locator(".status-confirmed").first).to_be_visible()
    page.fill("#comment", "证据齐全，发函。")
    page.get_by_role("button", name=re.compile("发表|提交|说")).first.click()
    expect(page.locator(".comments")).to_contain_text("证据齐全")
    page.locator("button[name=status][value=notice_sent]").click()
    expect(page.locator("#refusal")).to_contain_text("授权委托书")
    page.locator("#refusal a").click()
    for field in ("identity", "contact", "address", "representative"):
        page.fill(f"#field-{field}", f"填写 {field}")
    page.get_by_role("button", name="保存").click()
    for kind in ("identity", "representative", "authority", "proof"):
        page.select_option("[name=kind]", kind)
        page.fill("[name=valid_from]", "2025-01-01")
        page.set_input_files("[name=file]", FilePayload(name="证.pdf", mimeType="application/pdf", buffer=b"%PDF-1.7"))
        page.get_by_role("button", name="添加").click()
        expect(page.locator("[aria-labelledby=papers] tbody tr").last).to_contain_text("证.pdf")
    expect(page.locator("[aria-labelledby=list] .badge")).to_have_text("资料齐全")
    page.goto(case)
    page.get_by_role("link", name="通知函", exact=True).click()
    page.get_by_role("button", name="拟定通知函").click()
    expect(page.locator(".letter")).to_contain_text("民法典")
    page.get_by_role("button", name="已在平台表单提交").click()
    expect(page.locator("#answers")).to_be_visible()
    with page.expect_download() as bundle:
        page.get_by_role("link", name="律师材料包（zip）").click()
    with zipfile.ZipFile(bundle.value.path()) as counsel:
        assert len([name for name in counsel.namelist() if name.endswith(".docx")]) == 3
        assert [name for name in counsel.namelist() if name.startswith("papers/")] != []
    page.goto(case)
    expect(page.locator(".status-notice_sent").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Excel", exact=True).click()
    book = openpyxl.load_workbook(BytesIO(Path(download.value.path()).read_bytes()))
    assert "已发通知 Notice sent" in [cell.value for row in book["案件 Cases"].iter_rows() for cell in row]

    page.goto("/analysis/")
    copies = page.locator("[data-figure=copies]").inner_text()
    assert int(copies) == 3 == len(product.wenhen.json("cases", "list"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Excel", exact=True).click()
    assert openpyxl.load_workbook(BytesIO(Path(download.value.path()).read_bytes())).sheetnames[0].startswith("范围")

    page.goto("/audit/")
    expect(page.locator("main")).to_contain_text("沈律师")


def test_a_reviewers_day_hands_a_case_to_somebody(page: Page, product: Product) -> None:
    newcomer(page, product, "赵复核", "reviewer")
    page.goto("/suspects/?status=notice_sent&fold=none")
    page.locator("[data-case] th a").first.click()
    page.fill("#assignee", "李操作")
    page.locator("form:has(#assignee) button").click()
    expect(page.locator("#assignee")).to_have_value("李操作")
    page.goto("/suspects/?assignee=李操作&fold=none")
    expect(page.locator("[data-case]")).to_have_count(1)


WORKS = (("river", RIVER), ("snow", SNOW), ("moon", MOON))
