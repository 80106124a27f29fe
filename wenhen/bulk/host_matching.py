"""Match the pages of one host, or works with each other, against a frozen library."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from matcher.model import Candidate, Match
from wenhen.bulk.frozen_library import FrozenLibrary
from wenhen.bulk.host_pages import ReadPage, make_page_texts, newest_pages
from wenhen.bulk.snapshot_file import to_json_line
from wenhen.cases.model import Case, CaseStatus
from wenhen.fingerprints.reading import TextReading, load_readings
from wenhen.kit.errors import Message, failure
from wenhen.kit.progress import Owner
from wenhen.matching.candidate_cache import CandidateCache
from wenhen.matching.candidates import find_candidate_works_of_pages
from wenhen.matching.case_creation import PageCopies, make_copy_cases, open_cases, open_suspicion_cases
from wenhen.matching.comparison import compare_with_candidates, make_matches
from wenhen.matching.findings import find_overlapping_works
from wenhen.matching.paraphrases import find_paraphrased_works
from wenhen.pages.model import Page
from wenhen.product.context import Context

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
        [overlapping_works] = find_overlapping_works(context, [(work, reading)])
        sharing = [source for source in overlapping_works if source.copied]
        yield from make_matches(context, [(source, Owner.of_work(id), work.version) for source in sharing])
