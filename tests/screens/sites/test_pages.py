"""The crawled pages: sought by what is known of them, each with its text and what came near it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from crawler.capture import Capture
from tests.support.acting import by
from tests.support.screens import MakeCaller
from tests.support.seed import NOW, OPENING, PAGE_TEXT, Seeder
from tests.support.way import made_text, work_through
from wenhen.kit.progress import Step
from wenhen.pages.model import Page, PageFilter, PageText
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import Nearness, find_near_works
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work

Read = Callable[..., Page]


@pytest.fixture
def read(seed: Seeder) -> Read:
    """Puts a page with this text into the store, as the extraction would."""

    def put(url: str, text: str, title: str, charset: str = "gb18030", status: int = 200) -> Page:
        body = text.encode()
        digest = seed.store.blobs.put(body)
        capture = Capture(fetched_at=NOW, url=url, status=status, headers=(), body_digest=digest, body_size=len(body))
        page = seed.store.pages.put_capture(url, capture, site_id=None)
        claim = seed.store.pages.claim(page.id, Step.EXTRACT, timedelta(minutes=1))
        assert claim
        read = PageText(
            text_digest=seed.store.blobs.put_text(text),
            length=len(text),
            title=title,
            author=None,
            published_at=None,
            charset=charset,
            note=None,
        )
        [moved] = seed.store.pages.set_texts([(claim, read)], Step.FINGERPRINT, None)
        return moved.record

    return put


def test_pages_are_found_by_what_is_known_of_them(client: FlaskClient, seed: Seeder, read: Read) -> None:
    read("https://one.example/a", PAGE_TEXT, "老船匠")
    read("https://two.example/b", PAGE_TEXT, "渡口 (一)", charset="utf-8", status=404)
    for query, found in (
        ("", {"one", "two"}),
        ("host=ONE.example", {"one"}),
        ("title=老", {"one"}),
        ("title=(一", set()),
        ("title=渡口 (", {"two"}),
        ("charset=UTF-8", {"two"}),
        ("status=404&host=two.example", {"two"}),
        ("status=404&host=one.example", set()),
        ("until=2000-01-01", set()),
        ("since=2000-01-01", {"one", "two"}),
    ):
        page = client.get(f"/pages/?{query}").text
        assert {name for name in ("one", "two") if f"<bdi>{name}.example" in page} == found, query
    assert client.get("/pages/?status=x").status_code == 400
    assert [one.host for one in seed.store.pages.search(PageFilter(status=404))] == ["two.example"]


def test_a_page_tells_its_text_and_what_came_near(client: FlaskClient, caller: MakeCaller, read: Read) -> None:
    page = read("https://one.example/a", PAGE_TEXT + "<b>", "老船匠")
    shown = client.get(f"/pages/{page.id}").text
    assert OPENING in shown
    assert "&lt;b&gt;" in shown
    assert f"/check/fingerprints/?page={page.id}" in shown
    assert "作品库中没有与它相近的作品" in shown
    assert OPENING in client.get(f"/check/fingerprints/?page={page.id}").text
    answer = caller()("GET", f"/pages/{page.id}").get_json()
    assert answer["text"] == PAGE_TEXT + "<b>"
    assert client.get("/pages/nowhere").status_code == 404


def test_why_a_work_that_came_near_opened_no_case_is_told(client: FlaskClient, product: App, read: Read) -> None:
    work, own = made_text("检查"), made_text("另一篇")
    put_work(by(product), WorkDraft(id="one", title="作品", text=work))
    work_through(product)
    copy = read("https://one.example/a", own[:300] + work[100:400], "抄")
    quoting = read("https://one.example/b", own[:300] + "。" + work[100:125] + "。" + own[300:], "引")
    (near,) = find_near_works(product, copy)
    assert near.nearness is Nearness.DUE
    assert near.longest_run
    assert near.longest_run > 250
    assert [one.nearness for one in find_near_works(product, quoting)] == [Nearness.QUOTATION]
    assert "未立案：只及引用的篇幅" in client.get(f"/pages/{quoting.id}").text


def test_the_raw_capture_stands_beside_the_text_where_it_is_text(
    client: FlaskClient, seed: Seeder, read: Read, caller: MakeCaller
) -> None:
    ask = caller()
    page = read("https://one.example/a", "<script>alert(1)</script>" + OPENING, "老船匠", charset="utf-8")
    shown = client.get(f"/pages/{page.id}").text.split('aria-labelledby="raw"><bdi>')[1].split("</bdi>")[0]
    assert shown == "&lt;script&gt;alert(1)&lt;/script&gt;" + OPENING
    answer = ask("GET", f"/pages/{page.id}/raw").get_json()
    assert answer == {"charset": "utf-8", "left_out": 0, "text": "<script>alert(1)</script>" + OPENING}
    digest = seed.store.blobs.put(b"\x89PNG\0\0")
    picture = Capture(fetched_at=NOW, url="u", status=200, headers=(), body_digest=digest, body_size=6)
    page = seed.store.pages.put_capture("https://one.example/p", picture, site_id=None)
    assert "不是文字" in client.get(f"/pages/{page.id}").text
    assert ask("GET", f"/pages/{page.id}/raw").status_code == 404
