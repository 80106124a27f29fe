"""Archives of pages that tests make up, and the pages as the store has them."""

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from crawler.capture import Capture, WarcPlace
from wenhen.runtime.wiring import App

BEGUN = datetime(2026, 3, 5, 8, tzinfo=UTC)
HEADERS = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class Sent:
    """A page as its server sent it."""

    url: str
    body: bytes
    fetched_at: datetime


def sent(pages: Iterable[tuple[str, bytes]]) -> list[Sent]:
    """Pages that were fetched one second after the other."""
    return [Sent(url, body, BEGUN + timedelta(seconds=place)) for place, (url, body) in enumerate(pages)]


def warc_record(kind: str, url: str, at: datetime, content: bytes, type: str = "text/plain") -> bytes:
    """A record of a WARC file, compressed by itself."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {at:%Y-%m-%dT%H:%M:%SZ}\r\n"
        f"WARC-Record-ID: {_record_id(url, at)}\r\nContent-Type: {type}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + content + b"\r\n\r\n", mtime=0)


def _record_id(url: str, at: datetime) -> str:
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{url} {at}')}>"


def response(page: Sent, status: str = "200 OK") -> bytes:
    """The record of a page's response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode()
    return warc_record("response", page.url, page.fetched_at, head + page.body, "application/http; msgtype=response")


def write_warc(path: Path, pages: Sequence[Sent]) -> dict[Sent, WarcPlace]:
    """A WARC file of these pages; where each stands in it."""
    places = {}
    with path.open("wb") as file:
        file.write(warc_record("warcinfo", "", BEGUN, b"software: a test"))
        for page in pages:
            places[page] = WarcPlace(
                file=path.name, offset=file.tell(), record_id=_record_id(page.url, page.fetched_at)
            )
            file.write(response(page))
    return places


def put_pages(app: App, pages: Sequence[Sent], places: dict[Sent, WarcPlace]) -> list[str]:
    """The pages captured as the archive holds them; their ids."""
    app.store.blobs.put_all([page.body for page in pages])
    captures = [
        Capture(
            fetched_at=page.fetched_at,
            url=page.url,
            status=200,
            headers=HEADERS,
            body_digest=sha256(page.body).hexdigest(),
            body_size=len(page.body),
            warc=places[page],
        )
        for page in pages
    ]
    stored = app.store.pages.put_captures(
        [(page.url, capture) for page, capture in zip(pages, captures, strict=True)], site_id=None
    )
    return [page.id for page in stored]
