"""An operator's way through the dashboard, in a real browser on the real store."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import expect

from tests.support.browsing.walks import Opener
from tests.support.browsing.windows import NARROW, WIDE, picture, pictured
from tests.support.holders import ready_holder
from tests.support.seed import NOW, PASSAGES
from tests.support.way import capture, made_page, made_text, pairs, store_work, work_through
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.browser


def test_an_operator_goes_from_the_overview_to_a_decision_and_the_report(open_browser: Opener, tmp_path: Path) -> None:
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/")
    page.locator(".tile.status-lead a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("疑似侵权")
    page.get_by_text("更多条件").click()
    page.locator("input[name=host]").fill("mirror.example")
    page.get_by_role("button", name="筛选", exact=True).click()
    expect(page.locator("tr[data-case]")).to_have_count(1)
    page.locator("tbody tr a.strong").click()
    expect(page.locator("[data-pane=page] mark.same").first).to_be_visible()

    page.get_by_role("button", name="排除").click()
    expect(page.get_by_role("alert")).to_have_text("请写明理由。")
    page.locator("#reason").fill("整篇转载，未署名")
    page.get_by_role("button", name="确认侵权").click()
    expect(page.locator(".flash")).to_have_text("案件 #2 已确认。")
    expect(page.locator("h1 .status-confirmed")).to_be_visible()

    with page.expect_download() as waiting:
        page.locator(".head a", has_text="JSON").click()
    report = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert waiting.value.suggested_filename == "文痕-案件-2-20260306.json"
    assert [(case["status"], case["decision"]) for case in report["cases"]] == [("confirmed", "整篇转载，未署名")]
    assert len(report["cases"][0]["passages"]) == len(PASSAGES)


def test_the_queue_is_judged_by_keyboard_alone(open_browser: Opener, store: Store) -> None:
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/suspects/?status=lead")
    here = page.locator("tr.here th a")
    expect(here).to_have_text("#5")
    for key in "jjk":
        page.keyboard.press(key)
    expect(here).to_have_text("#4")
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")
    expect(here).to_have_text("#3")  # the row that followed

    page.keyboard.press("n")
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.type("no reason is typed into the list")
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("已排除 1 个案件。")
    assert [str(store.cases.get(n).status) for n in "43"] == ["confirmed", "dismissed"]
    assert store.cases.get("3").reason == "no reason is typed into the list"
    expect(here).to_have_text("#2")  # keys are heard from now on
    page.keyboard.press("u")
    expect(page.locator(".flash")).to_contain_text("已撤销：")
    assert str(store.cases.get("3").status) == "lead"

    expect(here).to_have_text("#3")  # the one that is a lead again
    page.keyboard.press("?")
    expect(page.locator("[data-help]")).to_be_visible()
    page.keyboard.press("y")  # behind the overlay nothing is decided
    page.keyboard.press("Escape")
    expect(page.locator("[data-help]")).to_be_hidden()
    for key in "xjx":
        page.keyboard.press(key)
    expect(page.locator("[data-ticked]")).to_have_text("2")
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("已确认 2 个案件。")
    expect(here).to_have_text("#1")
    page.keyboard.press("e")
    page.wait_for_url("**/cases/1?status=lead")
    expect(page.get_by_role("button", name="快捷键")).to_be_visible()
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("案件 #1 已确认。")
    assert store.cases.count(status=CaseStatus.CONFIRMED) == 4


def test_the_queue_is_judged_without_script(open_browser: Opener, store: Store) -> None:
    page = open_browser(viewport=NARROW, java_script_enabled=False).new_page()
    page.goto("/suspects/?order=oldest")
    page.get_by_label("#1", exact=True).check()
    page.get_by_label("#2", exact=True).check()
    page.get_by_role("button", name="确认侵权").click()
    expect(page.locator(".flash")).to_have_text("已确认 2 个案件。")
    assert page.url.endswith("?order=oldest")
    page.get_by_role("button", name="撤销：").click()
    expect(page.locator(".flash")).to_contain_text("已撤销：")
    assert store.cases.count(status=CaseStatus.CONFIRMED) == 0


def test_a_day_of_case_work_by_keyboard(open_browser: Opener, store: Store) -> None:
    """Search, quiet, assign, all of a filter, a saved filter; then the case: a comment, the notice, the removal."""
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/suspects/?status=lead")
    page.keyboard.press("/")
    expect(page.locator("main [name=q]")).to_be_focused()
    page.keyboard.type("七秒")
    page.keyboard.press("Enter")
    expect(page.locator("tr[data-case]")).to_have_count(1)
    expect(page.locator(".chip", has_text="七秒")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("s")
    expect(page.locator(".flash")).to_contain_text("已静默 1 个案件")
    assert str(store.cases.get("4").status) == "quiet"

    page.goto("/suspects/?status=lead")
    page.keyboard.press("a")
    page.keyboard.type("沈之遥")
    page.keyboard.press("Enter")
    expect(page.locator(".flash")).to_have_text("已把 1 个案件交给 沈之遥。")
    assert store.cases.get("5").assignee == "沈之遥"
    page.locator("summary", has_text="保存筛选").click()
    page.get_by_label("给当前筛选起名").fill("待判")
    page.get_by_role("button", name="保存筛选").click()
    page.goto("/suspects/")
    page.get_by_role("link", name="待判", exact=True).click()
    expect(page.get_by_label("筛选出的全部 4 件")).to_be_visible()
    page.wait_for_load_state()
    page.get_by_label("筛选出的全部 4 件").check()
    expect(page.locator("[data-ticked]")).to_have_text("4")
    page.keyboard.press("y")
    expect(page.locator(".flash")).to_have_text("已确认 4 个案件。")
    page.wait_for_load_state()  # keys count once the script of the new page is there
    page.keyboard.press("u")
    expect(page.locator(".flash")).to_contain_text("等 4 件。")

    page.goto("/cases/1?status=lead")
    page.keyboard.press("e")
    expect(page.locator("#evidence")).to_be_in_viewport()
    page.keyboard.press("c")
    page.keyboard.type("已致电对方")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".said")).to_have_text("已致电对方")
    page.wait_for_load_state()
    page.keyboard.press("d")
    page.keyboard.type("通用语句")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".step.now")).to_have_text("已排除")
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(page.locator(".step.now")).to_have_text("待判")
    page.wait_for_load_state()
    page.keyboard.press("b")
    expect(page.locator("tr[data-case]")).to_have_count(4)
    ready_holder(store)
    page.goto("/cases/1")
    page.get_by_role("button", name="确认侵权").click()
    expect(page.locator(".step.now")).to_have_text("已确认")
    page.get_by_text("日期等").click()
    page.get_by_label("通知发出").fill("2026-03-06")
    page.get_by_role("button", name="记为已发通知").click()
    expect(page.locator(".step.now")).to_have_text("已发通知")
    store.cases.mark_absent([store.cases.get("1").id], NOW)
    page.reload()
    page.locator("form", has_text="抓取发现抄袭已消失").get_by_role("button", name="确认已删除").click()
    expect(page.locator(".step.now")).to_have_text("已删除")
    assert [str(move.status) for move in store.cases.get("1").history] == ["confirmed", "notice_sent", "removed"]


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_work_is_imported_and_a_copy_of_it_found_by_pasting(
    open_browser: Opener, product: App, tmp_path: Path, script: bool
) -> None:
    text = made_text("浏览器")
    (tmp_path / "新作.txt").write_text(text, encoding="gb18030")
    (tmp_path / "封面.png").write_bytes(b"PNG")
    page = open_browser(viewport=WIDE, java_script_enabled=script).new_page()
    page.goto("/works/")
    page.get_by_role("link", name="导入作品").click()
    page.locator("#files").set_input_files([tmp_path / "新作.txt", tmp_path / "封面.png"])
    page.get_by_role("button", name="导入").click()
    expect(page.get_by_role("status")).to_have_text("新增 1变更 0未变 0拒收 1")
    expect(page.locator("tbody")).to_contain_text("封面.png")
    work_through(product)

    page.get_by_role("link", name="比对").click()
    page.locator("#text").fill("前面的话。\n" + text[50:300])
    page.get_by_role("button", name="查抄袭").click()
    expect(page.get_by_role("link", name="新作")).to_be_visible()
    here, there = page.locator(".pairs .text").all_inner_texts()
    assert here == there
    assert "".join(here.split()) in "".join(text.split())


def test_a_site_is_added_crawled_and_removed(open_browser: Opener, store: Store) -> None:
    page = open_browser(viewport=NARROW).new_page()
    page.goto("/sites/")
    page.locator("[name=urls]").fill("https://new.example/")
    page.get_by_role("button", name="添加站点").click()
    expect(page.locator(".flash")).to_contain_text("已添加站点 new.example")
    page.get_by_role("button", name="立即抓取 new.example").click()
    expect(page.locator(".flash")).to_have_text("new.example 已排队抓取。")
    page.wait_for_url("**/sites/runs/*")
    page.goto("/sites/")
    row = page.locator("tr", has_text="https://new.example/")
    row.locator("summary").click()
    row.get_by_role("button", name="确认删除 new.example").click()
    expect(page.locator(".flash")).to_contain_text("已删除站点 new.example")
    assert [site.id for site in store.sites.all()] == ["copies"]

    page.get_by_label("以上全部 1 个").check()
    page.get_by_text("修改所选站点的一项设置").click()
    page.locator("[name=value]").fill("6")
    page.keyboard.press("Enter")  # does nothing: which of the buttons was meant?
    page.get_by_text("删除所选站点", exact=True).click()
    page.get_by_label("我确认删除所选站点").check()
    page.get_by_role("button", name="确认删除", exact=True).click()
    expect(page.locator(".flash")).to_have_text("已处理 1 个站点。")
    assert store.sites.all() == []
    assert [entry.action for entry in store.audit.find(limit=2)] == ["site.remove", "site.remove"]


def test_on_paper_tables_stay_tables_and_nothing_is_cut(open_browser: Opener) -> None:
    page = open_browser(viewport={"width": 794, "height": 1123}).new_page()
    page.emulate_media(media="print")
    for path in ("/suspects/", "/analysis/", "/works/one?id=dock"):
        page.goto(path)
        row = page.locator("table.rows tbody tr").first
        assert row.evaluate("row => getComputedStyle(row).display") == "table-row", path
    page.goto("/cases/5")
    assert page.locator("[data-pane]").evaluate_all("panes => panes.every(p => p.scrollHeight <= p.clientHeight)")
    expect(page.locator("form button").first).to_be_hidden()


def test_a_printed_case_pairs_page_and_work_passage_by_passage(
    open_browser: Opener, store: Store, tmp_path: Path
) -> None:
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/cases/5")
    page.pdf(path=tmp_path / "case.pdf", format="A4")
    if folder := pictured():
        shutil.copy(tmp_path / "case.pdf", folder)
    expect(page.locator("table.pairs-on-paper")).to_have_count(0)
    expect(page.locator("[data-pane=work] mark").first).to_be_visible()
    case = store.cases.get("5")
    with pypdfium2.PdfDocument(tmp_path / "case.pdf") as printed:
        paired = [place for sheet in printed for place in passages_on(sheet.get_textpage())]
        words = "".join("".join(sheet.get_textpage().get_text_range().split()) for sheet in printed)
    assert [number for number, _ in paired] == list(range(1, len(case.match.passages) + 1)), "in order, each once"
    assert all(sides == 2 for _, sides in paired), "its day begins at one height on both sides"
    for fact in (case.capture.url, case.capture.body_digest, case.page_text_digest, case.work_text_digest):
        assert fact in words
    assert "2026-03-0522:30:00" in words


def passages_on(sheet: pypdfium2.PdfTextPage) -> list[tuple[int, int]]:
    """The passages of the long case that begin on a sheet, with on how many sides of a row they do."""
    found = []
    for number in range(1, 41):
        begins, heights = f"第{(number - 1) * 70}日，潮水", list[float]()
        searcher = sheet.search(begins)
        while (hit := searcher.get_next()) is not None:
            heights.append(round(sheet.get_charbox(hit[0])[1]))
        if heights:
            found.append((number, len(heights) if len(set(heights)) == 1 else 0))
    return found


def test_on_a_telephone_a_decision_is_in_reach_at_every_row(open_browser: Opener, store: Store) -> None:
    page = open_browser(viewport=NARROW).new_page()
    page.goto("/suspects/?status=lead")
    page.locator("tr[data-case] input").first.check()
    expect(page.get_by_role("button", name="确认侵权")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="确认侵权").click()
    expect(page.locator(".flash")).to_have_text("已确认 1 个案件。")


def test_a_common_text_takes_a_lead_back_and_its_removal_brings_it_again(
    open_browser: Opener, product: App, tmp_path: Path
) -> None:
    lines = [made_text(f"line {number}", 80) for number in range(5)]
    work, quoting = ("\n".join(f"{line}\n{made_text(f'{who} {line[:4]}', 90)}" for line in lines) for who in "ab")
    store_work(product, "commentary", work, title="川上注")
    capture(product, "https://quoting.example/1", made_page("引经", quoting))
    capture(product, "https://copying.example/1", made_page("转载", work))
    work_through(product)
    file = tmp_path / "川上.txt"
    file.write_text("\n".join(lines), encoding="utf-8")

    def quoted() -> bool:
        work_through(product)
        work_through(replace(product, now=lambda: datetime.now(UTC) + timedelta(hours=1)))
        return ("https://quoting.example/1", "commentary") in pairs(product, present=True)

    assert quoted()
    page = open_browser(viewport=WIDE).new_page()
    page.goto("/works/")
    page.get_by_role("link", name="公共文本").click()
    page.locator("#files").set_input_files(file)
    page.get_by_role("button", name="添加公共文本").click()
    expect(page.locator(".flash")).to_contain_text("已添加 1 篇公共文本")
    expect(page.locator("tbody th")).to_have_text("川上")
    assert not quoted()
    [case] = product.store.cases.find(work_id="commentary", present=True)
    page.goto(f"/cases/{case.number}")
    grey = page.locator("[data-pane=page] mark.common")
    expect(grey.first).to_have_attribute("data-reason", "《川上》，公共文本")
    expect(page.get_by_text("其中一部分出自公共文本《川上》，不计")).to_be_visible()
    picture(page, "common-text")
    page.goto("/works/common/")
    page.locator("tbody summary").click()
    page.get_by_role("button", name="川上").click()
    expect(page.locator(".flash")).to_contain_text("已移除公共文本")
    assert quoted()
