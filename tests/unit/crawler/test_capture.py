"""Responses as evidence."""

import hashlib

import pytest
from scrapy import Request
from scrapy.http import Headers, Response

from crawler.extraction.charset import header_charset
from crawler.warc.responses import is_html_response, make_capture
from wenhen.kit.errors import Message


def response(body: bytes, content_type: str | None = "text/html", **fields: object) -> Response:
    headers = {"Content-Type": content_type} if content_type is not None else {}
    return Response("http://a.test/", body=body, headers=headers, request=Request("http://a.test/"), **fields)  # type: ignore[arg-type]  # any field


@pytest.mark.parametrize(
    ("content_type", "body", "page"),
    [
        ("text/html", b"anything", True),
        ("TEXT/HTML; charset=gbk", b"", True),
        ("application/xhtml+xml", b"", True),
        ("text/html", b"\x89PNG\r\n", False),
        ("text/html", b"%PDF-1.7", False),
        (None, b"\n <!DOCTYPE HTML>", True),
        ("text/plain", b"<html>", True),
        ("text/plain", "<html>".encode("utf-16"), True),
        ("text/plain", b"a story", False),
        ("application/octet-stream", b"\x89PNG", False),
        ("application/xml", b"<?xml version='1.0'?><rss>", False),
        ("image/png", b"<html>", False),
        ("application/json", b'{"html": "<p>"}', False),
    ],
)
def test_a_page_is_known_by_its_type_or_by_how_it_begins(content_type: str | None, body: bytes, page: bool) -> None:
    assert is_html_response(response(body, content_type)) is page


def test_a_capture_says_what_the_server_sent_before_it_was_unpacked() -> None:
    answer = response(b"<p>x</p>", status=200)
    answer.meta["received_headers"] = Headers({"Content-Encoding": "gzip", "Set-Cookie": ["a=1", "b=2"]})
    taken = make_capture(answer)
    assert taken.headers == (("Content-Encoding", "gzip"), ("Set-Cookie", "a=***"), ("Set-Cookie", "b=***"))
    assert taken.body_digest == hashlib.sha256(b"<p>x</p>").hexdigest()
    assert (taken.body_size, taken.status, taken.problems) == (8, 200, ())
    assert taken.fetched_at.tzinfo is not None


def test_a_body_cut_short_is_noted() -> None:
    assert make_capture(response(b"<p>", flags=["dataloss"])).problems == (Message("page.short_body"),)


@pytest.mark.parametrize(
    ("value", "charset"),
    [
        ("text/html; charset=GBK", "GBK"),
        ('text/html;charset="big5"', "big5"),
        ("text/html", None),
        ("", None),
        (";;=", None),
    ],
)
def test_the_charset_of_a_content_type(value: str, charset: str | None) -> None:
    assert header_charset([("Server", "x"), ("content-type", value)]) == charset
