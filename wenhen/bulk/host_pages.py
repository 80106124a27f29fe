"""Extract archived pages, and make the pages of one host from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlsplit

from crawler.addresses import canonical_url
from crawler.archives.archived_page import ArchivedPage
from crawler.capture import Capture
from crawler.extraction.model import ExtractedPage
from crawler.extraction.sandbox_calls import read_page
from wenhen.bulk.frozen_library import FrozenLibrary
from wenhen.kit.progress import Progress, Step, page_id
from wenhen.kit.web import is_below_prefix
from wenhen.pages.extraction import learn_and_strip_templates, learn_template, strip_host_template
from wenhen.pages.model import Page, Part
from wenhen.pages.multipart import has_previous_part, join_parts
from wenhen.product.context import Context

# Extraction of archived pages.


HTTP_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page as the read task passes it to the look-up task.

    whole: the page is a file, whose text is not stripped of a template. body: only set if a licence requires
    attribution, which may be anywhere on the page.
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


def is_page_record(archived: ArchivedPage) -> bool:
    """Return whether a record holds what a crawl would store as a page."""
    return archived.status == HTTP_OK and bool(archived.body or archived.text)


def read_archived_page(context: Context, archived: ArchivedPage) -> ReadPage:
    """Extract the main text of an archived page. Text that the archive holds is used as it is. Raises Unreadable."""
    url = archived.row or canonical_url(archived.url)
    read = _extract_page(archived)
    content = archived.body if archived.text is None else archived.text.encode()
    capture = Capture(
        fetched_at=archived.fetched_at,
        url=archived.url,
        status=archived.status,
        headers=archived.headers,
        body_digest=sha256(content).hexdigest(),
        body_size=len(content),
        warc=archived.place,
        problems=archived.problems,
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
        whole=bool(read.parts or archived.row),
        previous=None if archived.row else read.place.previous_page,
        next=None if archived.row else read.place.next_page,
        chapter=read.place.chapter,
        body=content if _may_be_licensed(context, url) else None,
    )


def _extract_page(archived: ArchivedPage) -> ExtractedPage:
    if archived.text is not None:
        return ExtractedPage(text=archived.text, charset="utf-8", title=archived.title)
    return read_page(archived.body, archived.headers, archived.url)


def _may_be_licensed(context: Context, url: str) -> bool:
    """Return whether a licence that requires attribution may cover the page."""
    return any(
        licence.attribution and is_below_prefix(url, licence.url_prefix) for licence in context.store.licences.all()
    )


# Pages of one host as the store would hold them: the newest capture of each URL, text without the template, and
# multi-page texts joined.


@dataclass(frozen=True, slots=True)
class TextOfPage:
    """A page with the text to match. settled: its text without the final template of the host."""

    page: Page
    text: str
    settled: str


def newest_pages(read: Iterable[ReadPage]) -> list[ReadPage]:
    """Return the newest capture of each URL, in the order of fetching."""
    newest: dict[str, ReadPage] = {}
    for stored_page in read:
        if stored_page.url not in newest or _fetch_order(stored_page) > _fetch_order(newest[stored_page.url]):
            newest[stored_page.url] = stored_page
    return sorted(newest.values(), key=_fetch_order)


def _fetch_order(stored_page: ReadPage) -> tuple[str, str, str]:
    return stored_page.capture.fetched_at.isoformat(), stored_page.url, stored_page.capture.body_digest


def make_page_texts(library: FrozenLibrary, host: str, read: Sequence[ReadPage]) -> Iterator[TextOfPage]:
    """Yield the text of each page of a host.

    As in a crawl, each page is stripped of lines that earlier pages of the host show too. Multi-page texts come last,
    when all their pages are known.
    """
    files = [stored_page for stored_page in read if stored_page.whole]
    parts = [
        stored_page for stored_page in read if not stored_page.whole and (stored_page.previous or stored_page.next)
    ]
    single = [
        stored_page for stored_page in read if not (stored_page.whole or stored_page.previous or stored_page.next)
    ]
    context = library.context
    texts = learn_and_strip_templates(context, host, [stored_page.text for stored_page in single]) if single else []
    for stored_page in parts:
        learn_template(context, host, stored_page.text)
    yield from (_make_page_text(file, file.text, file.text) for file in files)
    for stored_page, text in zip(single, texts, strict=True):
        yield _make_page_text(stored_page, text, strip_host_template(context, host, stored_page.text))
    yield from _join_parts(context, host, parts, _find_parts(library, parts))


def _find_parts(library: FrozenLibrary, parts: Sequence[ReadPage]) -> Mapping[str, Page]:
    """Store the pages that are parts of a text, so that each finds the others. Return them by URL."""
    pages = {}
    for stored_page in parts:
        digest = library.store.blobs.put_text(stored_page.text) if stored_page.text else None
        part = Part(
            text_digest=digest, previous=stored_page.previous, next=stored_page.next, chapter=stored_page.chapter
        )
        pages[stored_page.url] = replace(_make_page(stored_page), part=part)
    library.store.pages.by_id.update({page.id: page for page in pages.values()})
    return pages


def _join_parts(
    context: Context, host: str, parts: Sequence[ReadPage], pages: Mapping[str, Page]
) -> Iterator[TextOfPage]:
    for page_part in parts:
        part = pages[page_part.url].part
        if not has_previous_part(context, page_part.url, part):
            text = strip_host_template(context, host, join_parts(context, page_part.url, part, page_part.text))
            yield _make_page_text(page_part, text, text)


def _make_page_text(stored_page: ReadPage, text: str, settled: str) -> TextOfPage:
    return TextOfPage(_make_page(stored_page), text, settled)


def _make_page(stored_page: ReadPage) -> Page:
    return Page(
        id=page_id(stored_page.url),
        url=stored_page.url,
        host=stored_page.host,
        site_id=None,
        version=1,
        capture=stored_page.capture,
        progress=Progress(step=Step.DONE, due=stored_page.capture.fetched_at),
        first_seen=stored_page.capture.fetched_at,
        updated_at=stored_page.capture.fetched_at,
        title=stored_page.title,
        author=stored_page.author,
        published_at=stored_page.published_at,
        charset=stored_page.charset,
    )
