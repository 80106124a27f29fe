"""Sites and runs on their screens: changed, steered, imported; how far a crawl is."""

import dataclasses
import io
import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import TestResponse

from crawler.ports import CrawlCounts, PageChange
from dashboard.sites import site_views
from tests.support.acting import by
from tests.support.crawls.waiting import let_wait
from tests.support.screens import post
from tests.support.seed import NOW
from wenhen.context.use_cases import Acting, TrialCrawl
from wenhen.crawls.comparison import find_missed_addresses
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.crawls.service import NO_PAGE_MESSAGE, end_run, start_crawl
from wenhen.crawls.sink import StoringSink
from wenhen.kit.errors import Message, Unavailable
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.runtime.wiring import App
from wenhen.sites.model import Layout
from wenhen.sites.service import add_site
from wenhen.steps.problems import CRAWL


def send(client: FlaskClient, address: str, **form: object) -> TestResponse:
    """Send a form of the list of sites."""
    return post(client, address, form_at="/sites/", **form)


@pytest.fixture
def run(product: App) -> Run:
    """A crawl that has fetched some of its pages."""
    add_site(by(product), {"urls": "http://a.test/", "name": "甲站", "tags": "小说"})
    add_site(by(product), {"urls": "http://b.test/", "name": "乙站", "tags": "新闻"})
    run = start_crawl(product, Subject.read("a.test"))
    product.store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, NOW)
    product.store.runs.beat(run.id, NOW, {"fetched": 30, "failed": 10, "waiting": 60, "failed_http_404": 10})
    return run


def test_how_far_a_crawl_is_can_be_seen_with_script_and_without(client: FlaskClient, run: Run) -> None:
    page = client.get("/sites/").text
    assert re.search(r'<progress max="100" value="40"', page)
    (told,) = client.get("/sites/runs/going").json or []
    assert (told["id"], told["done"], told["total"], told["state"]) == (run.id, 40, 100, "going")
    assert "已抓取 30" in told["told"]
    assert "失败·HTTP 404" in client.get(f"/sites/runs/{run.id}").text


def test_a_run_tells_in_words_what_it_was_of(client: FlaskClient, product: App, run: Run) -> None:
    rebuild = product.store.runs.start(RunKind.REBUILD, Subject(SubjectKind.INDEX, "page"), NOW)
    batch = product.store.runs.start(RunKind.CRAWL, Subject(SubjectKind.BATCH, "7f3a"), NOW)
    page = client.get("/sites/").text
    assert [words in page for words in ("甲站", "<bdi>网页</bdi>", "搜索发现的地址 7f3a")] == [True] * 3
    assert "网页" in client.get(f"/sites/runs/{rebuild.id}").text
    assert "discovered:7f3a" in client.get(f"/sites/runs/{batch.id}?lang=en").text


def test_a_run_says_what_is_another_than_before_and_what_gave_nothing_by_reason(
    client: FlaskClient, product: App, run: Run
) -> None:
    product.store.runs.set_looks(run.id, ("post-title", "post-body", "sidebar"), {"zh": 25, "zh-CN": 5})
    end_run(product, product.store.runs.get(run.id))
    later = dataclasses.replace(product, now=lambda: product.now() + timedelta(days=1))
    after = start_crawl(later, Subject.read("a.test"))
    sink = StoringSink(later, after.id, "a.test")
    counts = CrawlCounts(12, {"robots": 1, "dropped": 500}, {"http_403": 30}, {PageChange.RESTED: 2})
    sink.progress(counts)
    sink.looks(["entry"], {"en": 12})
    sink.report_refused("http://a.test/gone", Message("fetch.robots"), "robots")
    end_run(later, later.store.runs.get(after.id))
    ended = product.store.runs.get(after.id)
    assert [one.code.partition(".")[2] for one in ended.noticed] == [
        *("fewer_pages", "more_missed", "other_template", "other_language"),
    ]
    told = ended.noticed[1].figures
    assert (told["count"], told["reason"]) == (31, "http_403"), "what somebody dropped is no refusal of the site"
    page = client.get(f"/sites/runs/{after.id}").text
    for words in (
        "网页换了模板（不再有 post-body post-title sidebar）",
        "由 zh 变为 en",
        "只有 14 个网页",
        "多在：HTTP 403",
    ):
        assert words in page
    assert "http://a.test/gone" in page[page.index('id="missed"') :]
    assert "能到的都抓了。" in page
    [missed] = find_missed_addresses(product.store, after.id)["robots"]
    assert (missed.what, missed.run) == ("http://a.test/gone", after.id)


def test_what_a_run_ended_with_is_told_in_chinese_and_in_english(client: FlaskClient, product: App, run: Run) -> None:
    product.store.runs.end(run.id, NOW, {}, NO_PAGE_MESSAGE)
    for address in ("/sites/", f"/sites/runs/{run.id}"):
        assert "没有抓到任何网页：原因见各项计数" in client.get(f"{address}?lang=zh").text
        assert "no page came of it: see what the counts say" in client.get(f"{address}?lang=en").text


def test_a_run_without_a_page_says_why_and_what_to_do(client: FlaskClient, product: App, run: Run) -> None:
    product.store.problems.put(
        CRAWL, "http://a.test/1", Message("soft_block.login", {"sign": "登录"}), NOW, kind="soft_block", run=run.id
    )
    product.store.runs.end(run.id, NOW, {"failed": 9, "failed_soft_block": 8, "failed_http_404": 1}, NO_PAGE_MESSAGE)
    for address in ("/sites/", "/sites/of/a.test", f"/sites/runs/{run.id}"):
        page = client.get(f"{address}?lang=zh").text
        assert ("登录墙：请登录" in page, "原因见各项计数" in page) == (True, False), address


def test_what_a_dry_run_would_fetch_is_listed_with_what_it_missed(
    client: FlaskClient, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [f"http://a.test/{number}" for number in range(3)]
    tried = TrialCrawl(asked=pages, pages=pages[:1], missed=[(pages[1], Message("soft_block.login", {"sign": "登录"}))])
    monkeypatch.setattr(site_views, "try_site", lambda _acting, _id: tried)
    assert "试抓" in client.get("/sites/of/a.test").text
    page = send(client, "/sites/try/a.test").text
    cells = [cell.text() for cell in LexborHTMLParser(page).css("tbody td")]
    assert (cells[0], cells[2]) == ("网页", "会抓，试抓未到")
    assert "登录" in cells[1]
    monkeypatch.setattr(site_views, "try_site", _refuses)
    refused = send(client, "/sites/try/a.test")
    assert refused.status_code == 400
    assert "120" in refused.text


def _refuses(_acting: Acting, id: str) -> TrialCrawl:
    raise Unavailable("sites.survey_too_long", url=id, seconds=120)


def test_a_run_is_paused_resumed_and_stopped(client: FlaskClient, product: App, run: Run) -> None:
    for to, state, said in (
        ("pause", RunState.PAUSING, "正在暂停"),
        ("resume", RunState.GOING, "从中断处继续"),
        ("stop", RunState.STOPPING, "正在停止"),
        ("pause", RunState.STOPPING, "不在可以这样做的状态"),
    ):
        assert send(client, f"/sites/runs/{run.id}/{to}").status_code == 303
        assert product.store.runs.get(run.id).state is state
        assert said in client.get(f"/sites/runs/{run.id}").text
    assert send(client, f"/sites/runs/{run.id}/remove").status_code == 404
    assert send(client, "/sites/runs/nowhere/stop").status_code == 404
    assert client.post(f"/sites/runs/{run.id}/stop").status_code == 400, "a forged form"


def test_what_waits_in_a_crawl_is_looked_at_by_pattern_and_dropped(client: FlaskClient, product: App, run: Run) -> None:
    let_wait(product, run, [f"http://a.test/{part}" for part in ("book/1", "tag/<b>", "tag/2")])
    page = f"/sites/runs/{run.id}/waiting"
    assert page in client.get(f"/sites/runs/{run.id}").text
    assert "待抓取 3 个地址" in client.get(page).text
    assert "/drop" not in client.get(page).text, "nothing is dropped before a pattern says what"
    found = client.get(f"{page}?pattern=/tag/").text
    assert ["http://a.test/tag/&lt;b&gt;" in found, "book/1" in found, "放弃这 2 个地址" in found] == [
        True,
        False,
        True,
    ]
    assert client.get(f"{page}?pattern=re:(").status_code == 400
    for pattern, said in (("/tag/", "已放弃 2 个"), ("re:(", "re:("), ("", "请写明放弃哪些地址")):
        assert send(client, f"/sites/runs/{run.id}/drop", pattern=pattern).status_code == 303
        assert said in client.get(page).text
    assert "待抓取 1 个地址" in client.get(page).text
    end_run(product, product.store.runs.get(run.id))
    assert send(client, f"/sites/runs/{run.id}/drop", pattern="/book/").status_code == 303
    assert "该任务已经结束" in client.get(page).text


def test_a_site_is_changed_and_what_cannot_be_used_is_said(client: FlaskClient, product: App, run: Run) -> None:
    form = {"urls": "http://a.test/", "name": "甲", "layout": "novel", "every": "6", "max_pages": "9", "max_depth": "2"}
    assert (
        send(
            client, "/sites/of/a.test", **form, tags="小说 重点", include="/book/\n/read/", quiet="8:00-9:00"
        ).status_code
        == 400
    )
    assert send(client, "/sites/of/a.test", **form, tags="小说 重点", include="/book/\n/read/").status_code == 303
    site = product.store.sites.get("a.test")
    assert (site.name, site.layout, site.tags, site.include) == (
        "甲",
        Layout.NOVEL,
        ("小说", "重点"),
        ("/book/", "/read/"),
    )
    page = client.get("/sites/of/a.test").text
    assert "/book/\n/read/" in page
    answer = send(client, "/sites/of/a.test", **{**form, "name": "留着我", "cron": "每天"})
    assert answer.status_code == 400
    assert "不是定时表达式" in answer.text
    assert 'value="留着我"' in answer.text
    assert product.store.sites.get("a.test").name == "甲"
    (entry, *_) = product.store.audit.find(limit=5)
    assert (entry.action, entry.subject) == ("site.edit", "site:a.test")


def test_sites_are_paused_resumed_and_crawled_together(client: FlaskClient, product: App, run: Run) -> None:
    send(client, "/sites/bulk", what="pause", all="1", tag="新闻")
    assert [site.paused for site in product.store.sites.all()] == [False, True]
    send(client, "/sites/bulk", what="pause", id=["a.test", "gone.test"])
    assert "已处理 1 个站点" in client.get("/sites/").text
    send(client, "/sites/bulk", what="resume", all="1")
    assert not any(site.paused for site in product.store.sites.all())
    send(client, "/sites/bulk", what="crawl", all="1")
    assert {str(one.subject) for one in product.store.runs.active(RunKind.CRAWL)} == {"a.test", "b.test"}
    assert send(client, "/sites/bulk", what="explode", all="1").status_code == 400


def test_sites_are_removed_together_if_that_is_meant_and_the_log_keeps_their_addresses(
    client: FlaskClient, product: App, run: Run
) -> None:
    unsure = send(client, "/sites/bulk", what="remove", id=["a.test"])
    assert unsure.status_code == 400
    [ticked] = LexborHTMLParser(unsure.text).css("input[name=id][checked]")
    assert ticked.attributes["value"] == "a.test"
    assert len(product.store.sites.all()) == 2
    send(client, "/sites/bulk", what="remove", sure="1", all="1", tag="新闻")
    assert [site.id for site in product.store.sites.all()] == ["a.test"]
    send(client, "/sites/bulk", what="remove", sure="1", id=["a.test", "gone.test"])
    assert product.store.sites.all() == []
    assert [(entry.subject, entry.old) for entry in product.store.audit.find(action="site.remove")] == [
        ("site:a.test", "http://a.test/"),
        ("site:b.test", "http://b.test/"),
    ]


def test_sites_are_imported_from_csv_and_refused_lines_are_shown(client: FlaskClient, product: App) -> None:
    file = (io.BytesIO("urls,name\nhttp://x.test/,新站\nnope,\n".encode()), "sites.csv")
    answer = send(client, "/sites/take", file=file)
    assert answer.status_code == 200
    assert "第 3 行" in answer.text
    assert [site.name for site in product.store.sites.all()] == ["新站"]
    assert send(client, "/sites/take", file=(io.BytesIO(b"\xff\xfe"), "x.csv")).status_code == 400
    assert send(client, "/sites/take", file=(io.BytesIO(b"colour\nred"), "x.csv")).status_code == 400
