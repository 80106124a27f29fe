"""A response as evidence: what the server sent, and what it said of it."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import Message

from scrapy import Request
from scrapy.http import Headers, Response

from store.records import Capture

HTML_TYPES = ("text/html", "application/xhtml+xml")
UNDECIDED_TYPES = ("", "text/plain", "application/octet-stream", "text/xml", "application/xml", "unknown/unknown")
HTML_SIGNS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<meta", b"<div", b"<table", b"<p>", b"<br")
# Pictures, archives, documents and fonts, whatever they are declared as.
BINARY_SIGNS = (
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"RIFF",
    b"%PDF-",
    b"PK\x03\x04",
    b"Rar!",
    b"7z\xbc\xaf",
    b"wOF",
    b"\x1f\x8b",
)
SNIFFED = 4096  # bytes
RENDERED_HEADERS = (("Content-Type", "text/html; charset=utf-8"),)  # of what a browser made of a page


class SentHeadersMiddleware:
    """Keeps the headers as they came, before decompression takes Content-Encoding away."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the headers on the request."""
        request.meta["sent_headers"] = response.headers.copy()
        return response


def media_type(headers: Headers) -> str:
    """The media type of a Content-Type header in lower case, without parameters; empty when there is none."""
    value = (headers.get("Content-Type") or b"").decode("latin-1")
    return value.partition(";")[0].strip().lower()


def header_charset(headers: Sequence[tuple[str, str]]) -> str | None:
    """The charset parameter of the first Content-Type header."""
    for name, value in headers:
        if name.lower() == "content-type":
            message = Message()
            message["Content-Type"] = value
            charset = message.get_param("charset")
            return charset if isinstance(charset, str) and charset else None
    return None


def may_be_html(headers: Headers) -> bool:
    """Whether the content type leaves it possible that the body is a page."""
    return media_type(headers) in HTML_TYPES + UNDECIDED_TYPES


def is_html(response: Response) -> bool:
    """Whether a response is a page: by its content type, or where that says little, by how the body begins."""
    if media_type(response.headers) in HTML_TYPES:
        return not response.body.startswith(BINARY_SIGNS)
    head = response.body[:SNIFFED].replace(b"\0", b"").lower()  # UTF-16 as well
    return may_be_html(response.headers) and any(sign in head for sign in HTML_SIGNS)


def rendered_page(response: Response) -> bytes | None:
    """What a browser made of the page, in UTF-8, where one was asked."""
    rendered: bytes | None = response.meta.get("rendered")
    return rendered


def capture(response: Response) -> Capture:
    """The record of a response; its body is as received, transfer and content encodings taken off."""
    sent: Headers = response.meta.get("sent_headers", response.headers)
    pairs = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, values in sent.items() for value in values
    )
    problems = ("body shorter than Content-Length",) if "dataloss" in response.flags else ()
    if "not_rendered" in response.meta:
        problems = (*problems, response.meta["not_rendered"])
    rendered = rendered_page(response)
    return Capture(
        fetched_at=datetime.now(UTC),
        url=response.url,
        status=response.status,
        headers=pairs,
        body_digest=hashlib.sha256(response.body).hexdigest(),
        body_size=len(response.body),
        rendered_digest=None if rendered is None else hashlib.sha256(rendered).hexdigest(),
        warc=response.meta.get("warc"),
        server_address=str(response.ip_address) if response.ip_address else None,
        problems=problems,
    )
