"""Where pages that scroll load more from, and what the answers say; nothing of it is run."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from crawler.extraction.model import NO_TEXT_PROBLEM
from crawler.extraction.page import extract_page
from crawler.extraction.scrolling.endpoints import next_response_url
from crawler.spiders.page_summary import summarize_page
from tests.support.pages.page_parts import FERRY, KILN, STARS, p, page

SITE = "http://a.test"
HTML, JSON = "text/html; charset=utf-8", "application/json"
PAGES = {
    "the next address in an attribute": "<div class=feed data-next-url='/api/feed?page=2&amp;size=10'></div>",
    "an element of htmx": '<div hx-get="/api/feed?page=2&amp;size=10" hx-trigger="revealed"></div>',
    "an endpoint and the number of this page": "<ul data-page='1' data-api='/api/feed?size=10&amp;page='></ul>",
    "an endpoint and the number of the next": "<ul data-next-page=2 data-load-url='/api/feed?page=1&amp;size=10'></ul>",
    "a place for the number": "<ul data-page=1 data-url='/api/feed?page={page}&amp;size=10'></ul>",
    "inline state": '<script>window.__STATE__={"list":[1],"nextPageUrl":"\\/api\\/feed?page=2\\u0026size=10"}</script>',
    "a variable": "<script>var loadMoreUrl = '/api/feed?page=2&size=10';</script>",
    "data in an attribute": "<div data-props='{&quot;next&quot;:&quot;/api/feed?page=2&amp;size=10&quot;}'></div>",
    "a cursor in data": '<script type=application/json>{"endpoint":"/api/feed?size=10","nextPage":2}</script>',
    "a link of the head": "<link rel=next type=application/json href='/api/feed?page=2&amp;size=10'>",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_where_it_loads_more_from(name: str) -> None:
    seen = summarize_page(f"{SITE}/", page(PAGES[name] + p(KILN)).encode(), HTML)
    (further,) = seen.further
    assert further in (f"{SITE}/api/feed?page=2&size=10", f"{SITE}/api/feed?size=10&page=2")


def test_pages_that_load_nothing_more_say_so() -> None:
    html = page(
        "<script src=/_next/static/next.js></script><img data-src=/lazy.jpg data-page=1>"
        "<a data-share-url=/x href=/y>转发</a>"
        f'<script>{{"next":"/_next/static/chunk.js"}}</script>{p(KILN)}'
    )
    assert summarize_page(f"{SITE}/", html.encode(), HTML).further == ()


@pytest.mark.parametrize(
    ("own", "answer", "following"),
    [
        ("/api?page=2", {"next": "/api?page=3"}, "/api?page=3"),
        ("/api", {"links": {"next": "http://a.test/api?after=x"}}, "/api?after=x"),
        ("/api", {"_links": {"next": {"href": "/api?cursor=x"}}}, "/api?cursor=x"),
        ("/api?cursor=a&size=9", {"data": [1], "next_cursor": "b", "has_more": True}, "/api?cursor=b&size=9"),
        ("/api", {"pageInfo": {"endCursor": "Zm9v", "hasNextPage": True}}, "/api?after=Zm9v"),
        ("/api?page=2", {"items": [1]}, "/api?page=3"),
        ("/api?offset=20&limit=10", {"items": [1]}, "/api?offset=30&limit=10"),
        ("/api?start=20", [1, 2, 3], "/api?start=23"),
        ("/api?page=2", {"items": [1], "hasMore": False, "next": "/api?page=3"}, None),
        ("/api?page=2", {"paging": {"is_end": True, "next": "/api?page=3"}}, None),
        ("/api?page=4", {"items": [1], "total_pages": 4}, None),
        ("/api", {"items": [1]}, None),
        ("/api?cursor=a", {"items": [1], "cursor": "a"}, None),
    ],
)
def test_what_follows_an_answer_is_its_own_word_a_cursor_or_the_next_number(
    own: str, answer: Any, following: str | None
) -> None:
    assert next_response_url(answer, SITE + own, gave=True) == (following and SITE + following)


def test_an_answer_that_gave_nothing_is_the_last() -> None:
    seen = summarize_page(f"{SITE}/api?page=9", b'{"items": []}', JSON)
    assert (seen.answer, seen.links, seen.text, seen.further) == (True, (), "", ())


def test_an_answer_names_pages_and_is_a_page_itself_where_it_holds_the_text() -> None:
    text = "".join(f"<p>{line}</p>" for line in (*FERRY, *KILN))
    item = {
        "id": 7,
        "title": "渡口",
        "author": {"nickname": "林溪"},
        "publishTime": 1680311460000,
        "summary": FERRY[1],
        "content": text,
        "url": "/story/7",
        "cover": "/7.jpg",
    }
    body = json.dumps({"code": 0, "data": [item]}, ensure_ascii=False).encode()
    seen = summarize_page(f"{SITE}/api?page=1", body, HTML)  # as many servers declare it
    assert seen.answer
    assert seen.links == ((f"{SITE}/story/7", "渡口"),)
    assert seen.further == (f"{SITE}/api?page=2",)
    read = extract_page(body, [("Content-Type", JSON)], f"{SITE}/api?page=1")
    assert read.text == "\n".join((*FERRY, *KILN))
    assert (read.title, read.author) == ("渡口", "林溪")
    assert read.published_at == datetime(2023, 4, 1, 1, 11, tzinfo=UTC)


def test_an_answer_with_little_to_say_has_no_text_and_broken_json_is_a_page_like_any_other() -> None:
    short = json.dumps({"items": [{"title": "星", "text": STARS[0]}]}, ensure_ascii=False).encode()
    assert extract_page(short, [], "").problems == (NO_TEXT_PROBLEM,)
    assert not summarize_page(f"{SITE}/", b'{"broken": ' + p(KILN).encode(), HTML).answer
    deep = b"[" * 200_000 + b"]" * 200_000
    assert not summarize_page(f"{SITE}/", deep, JSON).answer
