"""The pages of one host as they would stand in the store: the newest of each address, its text without the template,
and the pages of one text joined.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.bulk.frozen_library import FrozenLibrary
from pipeline.bulk.read_pages import ReadPage
from pipeline.context import Context
from pipeline.pages.learn_host_templates import learn_and_leave_out, learn_template, leave_out_template
from pipeline.pages.texts_over_several_pages import follows, joined
from store.records import Page, Part, Progress, Step
from store.rules.record_ids import page_id


@dataclass(frozen=True, slots=True)
class TextOfPage:
    """A page with the text that is matched. settled: the text by the host's template of the end."""

    page: Page
    text: str
    settled: str


def newest(read: Iterable[ReadPage]) -> list[ReadPage]:
    """The newest of each address, in the order in which they were fetched."""
    found: dict[str, ReadPage] = {}
    for one in read:
        if one.url not in found or _order(one) > _order(found[one.url]):
            found[one.url] = one
    return sorted(found.values(), key=_order)


def _order(one: ReadPage) -> tuple[str, str, str]:
    return one.capture.fetched_at.isoformat(), one.url, one.capture.body_digest


def texts_of_host(library: FrozenLibrary, host: str, read: Sequence[ReadPage]) -> Iterator[TextOfPage]:
    """What is matched of the pages of a host. Each learns from those before it what the host shows everywhere, as the
    pages of a crawl do; those of a text over several pages come last, when all of them are known.
    """
    files = [one for one in read if one.whole]
    parts = [one for one in read if not one.whole and (one.previous or one.next)]
    single = [one for one in read if not (one.whole or one.previous or one.next)]
    context = library.context
    texts = learn_and_leave_out(context, host, [one.text for one in single]) if single else []
    for one in parts:
        learn_template(context, host, one.text)
    yield from (_as_page(one, one.text, one.text) for one in files)
    for one, text in zip(single, texts, strict=True):
        yield _as_page(one, text, leave_out_template(context, host, one.text))
    yield from _joined(context, host, parts, _known(library, parts))


def _known(library: FrozenLibrary, parts: Sequence[ReadPage]) -> Mapping[str, Page]:
    """The pages that are one of several, by their addresses, where each other finds them."""
    pages = {}
    for one in parts:
        digest = library.store.blobs.put_text(one.text) if one.text else None
        part = Part(text_digest=digest, previous=one.previous, next=one.next, chapter=one.chapter)
        pages[one.url] = replace(_page(one), part=part)
    library.store.pages.by_id.update({page.id: page for page in pages.values()})
    return pages


def _joined(context: Context, host: str, parts: Sequence[ReadPage], pages: Mapping[str, Page]) -> Iterator[TextOfPage]:
    for one in parts:
        part = pages[one.url].part
        if not follows(context, one.url, part):
            text = leave_out_template(context, host, joined(context, one.url, part, one.text))
            yield _as_page(one, text, text)


def _as_page(one: ReadPage, text: str, settled: str) -> TextOfPage:
    return TextOfPage(_page(one), text, settled)


def _page(one: ReadPage) -> Page:
    return Page(
        id=page_id(one.url),
        url=one.url,
        host=one.host,
        site_id=None,
        version=1,
        capture=one.capture,
        progress=Progress(step=Step.DONE, due=one.capture.fetched_at),
        first_seen=one.capture.fetched_at,
        updated_at=one.capture.fetched_at,
        title=one.title,
        author=one.author,
        published_at=one.published_at,
        charset=one.charset,
    )
