"""The pages of a host looked at in a frozen library: their cases, by the steps and the rule that the queues go by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from pipeline.bulk.frozen_library import FrozenLibrary
from pipeline.bulk.host_pages import newest, texts_of_host
from pipeline.bulk.read_pages import ReadPage
from pipeline.context import Context
from pipeline.matching.candidates import works_like_pages
from pipeline.matching.compare_with_candidates import matches_of, sources_among
from pipeline.matching.open_cases import PageCopies, cases_of, open_cases
from pipeline.matching.second_look import suspected
from pipeline.matching.suspicion_cases import open_suspicions
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.works_of_a_batch import Library
from store.failures import failure
from store.messages import Message
from store.records import Candidate, Case, CaseStatus, Owner, Page

TOGETHER = 50  # pages that are looked up at a time, as in the queues


@dataclass(frozen=True, slots=True)
class HostLook:
    """What came of a host. problems: addresses of pages that could not be looked at, each with its reason."""

    cases: Sequence[Case]
    problems: Sequence[tuple[str, Message]]


def look_at_host(library: FrozenLibrary, host: str, read: Iterable[ReadPage]) -> HostLook:
    """The cases of a host's pages. Those with leads are read once more by the host's template of the end, as they are
    once it rests.
    """
    library.store.begin()
    pages = newest(read)
    for one in pages:
        if one.body is not None:
            library.store.blobs.put(one.body)
    texts = list(texts_of_host(library, host, pages))
    problems = _look(library, [(one.page, one.text) for one in texts if one.text])
    opened = library.store.cases.opened
    leads = {case.page_id for case in opened.values() if case.status is CaseStatus.LEAD}
    again = [one for one in texts if one.page.id in leads and one.settled != one.text]
    for id in [id for id, case in opened.items() if case.page_id in {one.page.id for one in again}]:
        del opened[id]
    problems += _look(library, [(replace(one.page, version=2), one.settled) for one in again if one.settled])
    return HostLook(sorted(opened.values(), key=lambda case: (case.page_url, case.work_id)), problems)


def _look(library: FrozenLibrary, pages: Sequence[tuple[Page, str]]) -> list[tuple[str, Message]]:
    """Open the cases of these pages, which are taken in hand by the store; those that failed."""
    problems, left = [], iter(pages)
    while some := list(islice(left, TOGETHER)):
        read = [(_with_text(page, text), Reading(text)) for page, text in some]
        ranked = works_like_pages(library.context, read)
        works = Library(library.context, ranked)
        for (page, reading), candidates in zip(read, ranked, strict=True):
            try:
                _open(library.context, page, reading, candidates, works)
            except Exception as error:  # noqa: BLE001  it keeps up no other page
                problems.append((page.url, failure(error)))
    return problems


def _open(context: Context, page: Page, reading: Reading, ranked: Sequence[Candidate], works: Library) -> None:
    found = sources_among(context, reading, ranked, works)
    matches = matches_of(context, [(source, Owner.of_page(page.id), page.version) for source in found])
    open_cases(context, cases_of(context, [PageCopies(page, reading, list(zip(found, matches, strict=True)))]))
    told = suspected(context, reading, [source for source in found if source.copied])
    open_suspicions(context, page, reading, told)


def _with_text(page: Page, text: str) -> Page:
    return replace(page, text_digest=sha256(text.encode()).hexdigest(), length=len(text))
