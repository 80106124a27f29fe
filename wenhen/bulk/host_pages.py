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

# An archived page read: what of it goes on to the look at its host.


HTTP_OK = 200


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


def is_page_record(archived: ArchivedPage) -> bool:
    """Whether a record holds what a crawl would have kept as a page."""
    return archived.status == HTTP_OK and bool(archived.body or archived.text)


def read_archived_page(context: Context, archived: ArchivedPage) -> ReadPage:
    """The page with its main text; one whose text the archive holds is not read again. Raises Unreadable."""
    url = canonical_url(archived.url)
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
        whole=bool(read.parts),
        previous=read.place.previous_page,
        next=read.place.next_page,
        chapter=read.place.chapter,
        body=content if _may_be_licensed(context, url) else None,
    )


def _extract_page(archived: ArchivedPage) -> ExtractedPage:
    if archived.text is not None:
        return ExtractedPage(text=archived.text, charset="utf-8", title=archived.title)
    return read_page(archived.body, archived.headers, archived.url)


def _may_be_licensed(context: Context, url: str) -> bool:
    """Whether a licence may want to know what else stands on the page."""
    return any(
        licence.attribution and is_below_prefix(url, licence.url_prefix) for licence in context.store.licences.all()
    )


# The pages of one host as they would stand in the store: the newest of each address, its text without the template,
# and the pages of one text joined.


@dataclass(frozen=True, slots=True)
class TextOfPage:
    """A page with the text that is matched. settled: the text by the host's template of the end."""

    page: Page
    text: str
    settled: str


def newest_pages(read: Iterable[ReadPage]) -> list[ReadPage]:
    """The newest of each address, in the order in which they were fetched."""
    newest: dict[str, ReadPage] = {}
    for stored_page in read:
        if stored_page.url not in newest or _fetch_order(stored_page) > _fetch_order(newest[stored_page.url]):
            newest[stored_page.url] = stored_page
    return sorted(newest.values(), key=_fetch_order)


def _fetch_order(stored_page: ReadPage) -> tuple[str, str, str]:
    return stored_page.capture.fetched_at.isoformat(), stored_page.url, stored_page.capture.body_digest


def make_page_texts(library: FrozenLibrary, host: str, read: Sequence[ReadPage]) -> Iterator[TextOfPage]:
    """What is matched of the pages of a host. Each learns from those before it what the host shows everywhere, as the
    pages of a crawl do; those of a text over several pages come last, when all of them are known.
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
    """The pages that are one of several, by their addresses, where each other finds them."""
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
