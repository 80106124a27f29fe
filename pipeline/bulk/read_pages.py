"""An archived page read: what of it goes on to the look at its host."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlsplit

from crawler.archives.archived_page import ArchivedPage
from crawler.crawl.canonical_addresses import canonical
from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.read_page import read_page
from pipeline.context import Context
from store.records import Capture
from store.rules.web.url_prefix import stands_below

OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page between the two halves of a job.

    whole: a file, which keeps its text whole. body: only where a licence asks what the page says anywhere.
    """

    url: str
    host: str
    capture: Capture
    text: str
    title: str | None
    author: str | None
    published_at: datetime | None
    charset: str
    whole: bool = False
    previous: str | None = None
    next: str | None = None
    chapter: int | None = None
    body: bytes | None = None


def is_page(archived: ArchivedPage) -> bool:
    """Whether a record holds what a crawl would have kept as a page."""
    return archived.status == OK and bool(archived.body or archived.text)


def read_archived(context: Context, archived: ArchivedPage) -> ReadPage:
    """The page with its main text; one whose text the archive holds is not read again. Raises Unreadable."""
    url = canonical(archived.url)
    read = _read(archived)
    content = archived.body if archived.text is None else archived.text.encode()
    capture = Capture(
        fetched_at=archived.fetched_at,
        url=archived.url,
        status=archived.status,
        headers=archived.headers,
        body_digest=sha256(content).hexdigest(),
        body_size=len(content),
        warc=archived.place,
    )
    return ReadPage(
        url=url,
        host=urlsplit(url).hostname or "",
        capture=capture,
        text=read.text,
        title=read.title,
        author=read.author,
        published_at=read.published_at,
        charset=read.charset,
        whole=bool(read.parts),
        previous=read.place.previous_page,
        next=read.place.next_page,
        chapter=read.place.chapter,
        body=content if _licensed(context, url) else None,
    )


def _read(archived: ArchivedPage) -> ExtractedPage:
    if archived.text is not None:
        return ExtractedPage(text=archived.text, charset="utf-8", title=archived.title)
    return read_page(archived.body, archived.headers, archived.url)


def _licensed(context: Context, url: str) -> bool:
    """Whether a licence may want to know what else stands on the page."""
    return any(one.attribution and stands_below(url, one.url_prefix) for one in context.store.licences.all())
