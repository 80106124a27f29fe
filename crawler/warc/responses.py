"""Turn Scrapy's responses into archived exchanges and captures. Decide whether one is HTML, JSON or a document."""

import hashlib
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response

from crawler.capture import Capture, ConnectionRecord, RecordedExchange, WarcPlace
from crawler.context import (
    META_AGAIN,
    META_NOT_RENDERED,
    META_RECEIVED_HEADERS,
    META_RENDERED,
    META_WARC_PLACE,
    STORED_FLAG,
    CertificateChains,
    context_of,
)
from crawler.crawl_stats import Batcher, Ledger, RequestRefused
from crawler.extraction.documents.file_kinds import FILE_MEDIA_TYPES, detect_response_kind
from crawler.fetch.resolver import dns_answer_for
from crawler.ports import Archive
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import Message, Unavailable

UNKNOWN_CONNECTION = ConnectionRecord()


def record_exchange(
    request: Request, response: Response, connection: ConnectionRecord = UNKNOWN_CONNECTION
) -> RecordedExchange:
    """Return the exchange to archive. Scrapy does not tell the phrase of a status line, so the usual one is used."""
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    request_lines = [f"{request.method} {target} HTTP/1.1".encode()]
    if "Host" not in request.headers:
        request_lines.append(b"Host: " + parts.netloc.rpartition("@")[2].encode())
    status = f"{response.protocol or 'HTTP/1.1'} {response.status} {_status_phrase(response.status)}".encode()
    return RecordedExchange(
        request.url,
        (*request_lines, *_header_lines(request.headers)),
        request.body,
        (status, *_header_lines(response.headers)),
        response.body,
        str(response.ip_address) if response.ip_address else None,
        "dataloss" in response.flags,
        bool(request.meta.get(META_AGAIN)),
        connection,
    )


def _header_lines(headers: Headers) -> list[bytes]:
    return [name + b": " + value for name, values in headers.items() for value in values]


def _status_phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


class WarcMiddleware:
    """Hands every response to the archive, redirects and errors included, before anything reads it."""

    def __init__(self, archive: Archive, ledger: Ledger, chains: CertificateChains) -> None:
        self._ledger = ledger
        self._chains = chains
        self._write = Batcher[RecordedExchange, WarcPlace](archive.write_all)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "WarcMiddleware":
        """Scrapy's constructor."""
        context = context_of(crawler)
        if context.archive is None:
            raise NotConfigured
        return cls(context.archive, context.ledger, context.chains)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Archive the response in a thread. No page continues without its evidence."""
        if STORED_FLAG in response.flags:  # it comes from the store
            return response
        try:
            connection = ConnectionRecord(self._chains.of(response), dns_answer_for(request))
            request.meta[META_WARC_PLACE] = await self._write(record_exchange(request, response, connection))
        except Unavailable as error:
            self._ledger.fatal = self._ledger.fatal or error
            raise RequestRefused(SkipReason.NOT_STORED, error.message) from error
        return response


def rendered_body(response: Response) -> bytes | None:
    """Return the rendered page in UTF-8 if there is one, or the feed's text if that is longer."""
    rendered: bytes | None = response.meta.get(META_RENDERED)
    return rendered


def make_capture(response: Response) -> Capture:
    """Return the capture of a response. The body is without transfer and content encodings."""
    received: Headers = response.meta.get(META_RECEIVED_HEADERS, response.headers)
    pairs = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, values in received.items() for value in values
    )
    problems: tuple[Message, ...] = (Message("page.short_body"),) if "dataloss" in response.flags else ()
    if META_NOT_RENDERED in response.meta:
        problems = (*problems, response.meta[META_NOT_RENDERED])
    rendered = rendered_body(response)
    return Capture(
        fetched_at=datetime.now(UTC),
        url=response.url,
        status=response.status,
        headers=pairs,
        body_digest=hashlib.sha256(response.body).hexdigest(),
        body_size=len(response.body),
        rendered_digest=None if rendered is None else hashlib.sha256(rendered).hexdigest(),
        warc=response.meta.get(META_WARC_PLACE),
        server_address=str(response.ip_address) if response.ip_address else None,
        problems=problems,
    )


HTML_TYPES = ("text/html", "application/xhtml+xml")
UNDECIDED_TYPES = ("", "text/plain", "application/octet-stream", "text/xml", "application/xml", "unknown/unknown")
HTML_SIGNATURES = (
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<body",
    b"<title",
    b"<meta",
    b"<div",
    b"<table",
    b"<p>",
    b"<br",
)
# Pictures, archives, documents and fonts, whatever their declared type.
BINARY_SIGNATURES = (
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
SNIFFED_BYTES = 4096  # bytes at the start of a body that are examined


def read_media_type(headers: Headers) -> str:
    """Return the media type of a Content-Type header in lower case, without parameters, or "" if there is none."""
    value = (headers.get("Content-Type") or b"").decode("latin-1")
    return value.partition(";")[0].strip().lower()


def may_be_html_type(headers: Headers) -> bool:
    """Tell whether the content type allows the body to be a page."""
    return read_media_type(headers) in HTML_TYPES + UNDECIDED_TYPES


def is_json_type(headers: Headers) -> bool:
    """Tell whether a body is declared as JSON."""
    return read_media_type(headers).rpartition("/")[2] in ("json", "ld+json", "hal+json", "vnd.api+json")


def may_be_file_type(headers: Headers) -> bool:
    """Tell whether the content type allows the body to be a book or a document."""
    return read_media_type(headers) in FILE_MEDIA_TYPES


def is_file_response(response: Response) -> bool:
    """Tell whether a response is a book or a document that `crawler.extraction.sandbox_calls` can read."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, [value, *_] in response.headers.items()]
    return detect_response_kind(response.body, pairs, response.url) is not None


def is_html_response(response: Response) -> bool:
    """Tell whether a response is a page, by its content type or, if that is vague, by the start of its body."""
    if read_media_type(response.headers) in HTML_TYPES:
        return not response.body.startswith(BINARY_SIGNATURES)
    head = response.body[:SNIFFED_BYTES].replace(b"\0", b"").lower()  # UTF-16 as well
    return may_be_html_type(response.headers) and any(sign in head for sign in HTML_SIGNATURES)
