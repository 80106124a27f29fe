"""Make the pages of one host from an archive, and match them, or works with each other, against a frozen library."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any, Final
from urllib.parse import urlsplit

from crawler.addresses import canonical_url
from crawler.archives.archived_page import ArchivedPage
from crawler.capture import Capture
from crawler.extraction.model import ExtractedPage
from crawler.extraction.sandbox_calls import read_page
from matcher.model import Candidate, Match
from wenhen.bulk.frozen_library import FrozenLibrary
from wenhen.bulk.snapshot_file import to_json_line
from wenhen.cases.model import Case, CaseStatus
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading, load_readings
from wenhen.kit.errors import Message, failure
from wenhen.kit.progress import Owner, Progress, Step, page_id
from wenhen.kit.web import is_below_prefix
from wenhen.matching.candidate_cache import CandidateCache
from wenhen.matching.candidates import find_candidate_works_of_pages
from wenhen.matching.case_creation import PageCopies, make_copy_cases, open_cases, open_suspicion_cases
from wenhen.matching.comparison import compare_with_candidates, make_matches
from wenhen.matching.findings import find_overlapping_works
from wenhen.matching.paraphrases import find_paraphrased_works
from wenhen.pages.extraction import learn_and_strip_templates, learn_template, strip_host_template
from wenhen.pages.model import Page, Part
from wenhen.pages.service import has_previous_part, join_parts

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
    texts = learn_and_strip_templates(context, {host: [stored_page.text for stored_page in single]})[host]
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


# Results as JSON lines, without fields that differ in each run: numbers, timestamps, clusters.


# Fields of a case and its match. A frozen library knows no page versions and no fingerprint ids.
TRANSIENT_FIELDS: Final = frozenset(
    (
        "number",
        "opened_at",
        "updated_at",
        "cluster_id",
        "matched_at",
        "page_version",
        "page_fingerprints",
        "work_fingerprints",
    )
)


def format_case_line(case: Case) -> str:
    """Format a case as a JSON line."""
    (document,) = json.loads(to_json_line(Case, [case]))
    return _to_json(document)


def format_match_line(match: Match) -> str:
    """Format a match of two works as a JSON line."""
    (document,) = json.loads(to_json_line(Match, [match]))
    return _to_json(document)


def _to_json(value: Any) -> str:
    return json.dumps(_without_transient_fields(value), ensure_ascii=False)


def _without_transient_fields(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_transient_fields(value) for name, value in value.items() if name not in TRANSIENT_FIELDS}


# Matching of the pages of a host against a frozen library, by the same steps and rules as in the queues.


PAGES_PER_BATCH = 50  # pages that are looked up at a time, as in the queues


@dataclass(frozen=True, slots=True)
class HostFindings:
    """Results of a host. problems: URLs of the pages that failed, each with the reason."""

    cases: Sequence[Case]
    problems: Sequence[tuple[str, Message]]


def match_host(library: FrozenLibrary, host: str, read: Iterable[ReadPage]) -> HostFindings:
    """Match the pages of a host.

    Pages with leads are matched again with the final template of the host.
    """
    library.store.begin()
    pages = newest_pages(read)
    for page in pages:
        if page.body is not None:
            library.store.blobs.put(page.body)
    texts = list(make_page_texts(library, host, pages))
    problems = _match_pages(library, [(text.page, text.text) for text in texts if text.text])
    opened = library.store.cases.opened
    leads = {case.page_id for case in opened.values() if case.status is CaseStatus.LEAD}
    again = [text for text in texts if text.page.id in leads and text.settled != text.text]
    for id in [id for id, case in opened.items() if case.page_id in {page_text.page.id for page_text in again}]:
        del opened[id]
    problems += _match_pages(
        library, [(replace(page_text.page, version=2), page_text.settled) for page_text in again if page_text.settled]
    )
    return HostFindings(sorted(opened.values(), key=lambda case: (case.page_url, case.work_id)), problems)


def _match_pages(library: FrozenLibrary, pages: Sequence[tuple[Page, str]]) -> list[tuple[str, Message]]:
    """Open the cases of pages in the store. Return the pages that failed, each with the reason."""
    problems, left = [], iter(pages)
    while batch := list(islice(left, PAGES_PER_BATCH)):
        read = [(_replace_text(page, text), TextReading(text)) for page, text in batch]
        ranked = find_candidate_works_of_pages(library.context, read)
        works = CandidateCache(
            library.context, [(look[1], candidates) for look, candidates in zip(read, ranked, strict=True)]
        )
        for (page, reading), candidates in zip(read, ranked, strict=True):
            try:
                _open_page_cases(library.context, page, reading, candidates, works)
            except Exception as error:  # noqa: BLE001  one failed page does not stop the others
                problems.append((page.url, failure(error)))
    return problems


def _open_page_cases(
    context: Context, page: Page, reading: TextReading, ranked: Sequence[Candidate], works: CandidateCache
) -> None:
    outcome = compare_with_candidates(context, reading, ranked, works)
    matches = make_matches(context, [(source, Owner.of_page(page.id), page.version) for source in outcome])
    open_cases(context, make_copy_cases(context, [PageCopies(page, reading, list(zip(outcome, matches, strict=True)))]))
    paraphrased_works = find_paraphrased_works(context, reading, [source for source in outcome if source.copied])
    open_suspicion_cases(context, page, reading, paraphrased_works)


def _replace_text(page: Page, text: str) -> Page:
    return replace(page, text_digest=sha256(text.encode()).hexdigest(), length=len(text))


# Overlaps between the works of a frozen library.


def find_overlaps(library: FrozenLibrary, ids: Collection[str]) -> Iterator[Match]:
    """Yield the matches of these works with all others that count as copies, in both directions."""
    context = library.context
    for id, work in sorted(library.store.works.many(ids).items()):
        (reading,) = load_readings(context, [work.text_digest]).values()
        reading.find_stored_letters(context, (id, work.version), work.text_digest)
        [overlapping_works] = find_overlapping_works(context, [(work, reading)])
        sharing = [source for source in overlapping_works if source.copied]
        yield from make_matches(context, [(source, Owner.of_work(id), work.version) for source in sharing])
