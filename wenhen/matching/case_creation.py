"""Open cases for copied pages, and suspicion cases for paraphrased ones."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from matcher.attribution.apply_exclusions import ReadText
from matcher.model import Level, Match, Retold
from matcher.paraphrase.retellings import join_passages
from matcher.paraphrase.suspicions import pair_passages, suspicion_reasons
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.opening_rule import is_on_own_site
from wenhen.context.use_cases import Context
from wenhen.exclusions.model import Excluded, Exclusion, case_places
from wenhen.exclusions.service import RemainingMatch, find_covering_exclusions, subtract_exclusions
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Owner, match_id
from wenhen.kit.telemetry import trace_span
from wenhen.licences.model import Licence
from wenhen.licences.service import is_credited
from wenhen.matching.comparison import Source
from wenhen.matching.paraphrases import SuspectedWork
from wenhen.pages.model import Page
from wenhen.pages.service import find_full_capture
from wenhen.works.model import Work

# Construction of a case from a match, and the page and work as they were compared.


def make_case(
    context: Context,
    page: Page,
    text: str,
    work: Work,
    match: Match,
    status: CaseStatus,
    licence: Licence | None,
    full_match: Match | None = None,
) -> Case:
    """Make a case. The store gives it its number.

    - text: text of the page.
    - licence: licence that covers the page.
    - found: the match before exclusions; None if nothing was excluded.
    """
    now = context.now()
    assert page.text_digest
    return Case(
        id=match.id,
        number=0,  # the store gives the next one
        page_id=page.id,
        work_id=work.id,
        status=status,
        opened_at=now,
        updated_at=now,
        match=match,
        found=full_match,
        capture=find_full_capture(context.store, page.id, page.capture),
        page_url=page.url,
        page_host=page.host,
        page_title=page.title,
        page_text_digest=page.text_digest,
        work_title=work.title,
        work_text_digest=work.text_digest,
        licence_id=licence.id if licence else None,
        credited=is_credited(context, licence, text, page.capture),
    )


# Cases for the copies of many pages, by the rule of `wenhen.cases.opening_rule`. Excluded text opens no case, and is
# subtracted from cases that are open.


class PageCopies(NamedTuple):
    """A page, and the works that it shares text with, each with its match."""

    page: Page
    reading: TextReading
    kept: Sequence[tuple[Source, Match]]


class OpenedCase(NamedTuple):
    """A case in the store, and whether it is new."""

    case: Case
    new: bool


class _CopyToOpen(NamedTuple):
    """A copy that opens a case unless it is excluded. licence: licence that covers the page."""

    page: Page
    reading: TextReading
    source: Source
    match: Match
    licence: Licence | None = None


def make_copy_cases(context: Context, copies: Sequence[PageCopies]) -> list[Case]:
    """Make a case for each match that opens one."""
    accused = [
        _CopyToOpen(page, reading, source, match)
        for page, reading, kept in copies
        for source, match in kept
        if source.accuse and not is_on_own_site(context.store.holders, source.work, page.url)
    ]
    covered = [case_places(copy.match.id, copy.match.work_id, copy.page.host) for copy in accused]
    exclusions = context.store.exclusions.find_covering(set().union(*covered)) if accused else []
    licences = context.store.licences.find_covering_all(
        [(copy.page.url, copy.source.work.id, copy.page.capture.fetched_at) for copy in accused]
    )
    cases = (
        _make_copy_case(context, copy._replace(licence=licence), where, exclusions)
        for copy, licence, where in zip(accused, licences, covered, strict=True)
    )
    return [case for case in cases if case is not None]


def open_cases(context: Context, cases: Sequence[Case]) -> list[OpenedCase]:
    """Open cases, or update those that exist."""
    with ExitStack() as spans:
        for case in cases:
            spans.enter_context(trace_span("case.open", str(Owner.of_page(case.page_id))))
        return [OpenedCase(*stored) for stored in context.store.cases.open_or_update_all(cases)]


def _make_copy_case(
    context: Context, copy: _CopyToOpen, where: Collection[str], exclusions: Collection[Exclusion]
) -> Case | None:
    """Make the case of a copy, or None if it opens none. exclusions: may include those of other copies."""
    page, reading, source, match, licence = copy
    left = _subtract_exclusions(
        context, copy, [exclusion for exclusion in exclusions if not set(where).isdisjoint(exclusion.covers)]
    )
    if not left.opens and not _is_open_case(context, match.id):
        return None
    return make_case(context, page, reading.text, source.work, left.match, CaseStatus.LEAD, licence, left.found)


def _subtract_exclusions(context: Context, copy: _CopyToOpen, exclusions: Collection[Exclusion]) -> RemainingMatch:
    work = copy.source.comparison.pair
    return subtract_exclusions(context, copy.match, exclusions, copy.reading, ReadText(work.work_text, work.work))


def _is_open_case(context: Context, id: str) -> bool:
    with suppress(NotFound):
        return bool(context.store.cases.get(id))
    return False


# Suspicion cases, from the paraphrase look-up. They have a status of their own, below leads. A case that a person has
# decided, or that a copy opened, is not changed.


def open_suspicion_cases(
    context: Context, page: Page, reading: TextReading, suspects: Iterable[SuspectedWork]
) -> set[str]:
    """Open or update a case for each work that a page may paraphrase.

    Returns the ids of the cases that stand.
    """
    standing = set()
    for suspect in suspects:
        if is_on_own_site(context.store.holders, suspect.work, page.url) or _is_source_excluded(context, page, suspect):
            continue
        match = make_suspicion_match(context, suspect, page)
        licence = context.store.licences.find_covering(page.url, suspect.work.id, page.capture.fetched_at)
        case = make_case(context, page, reading.text, suspect.work, match, CaseStatus.SUSPECTED, licence)
        known = _find_known_case(context, case.id)
        if known is None or known.status is CaseStatus.SUSPECTED:
            context.store.matches.put(case.match)
            context.store.cases.open_or_update(case)
            standing.add(case.id)
        elif known.match.level is Level.SUSPECTED:
            standing.add(case.id)
    return standing


def make_suspicion_match(context: Context, suspect: SuspectedWork, page: Page) -> Match:
    """Make a match without passages: a paraphrase does not count as copied text."""
    pairs = join_passages(pair_passages(suspect.page, suspect.suspicion))
    return Match(
        id=match_id(Owner.of_page(page.id), suspect.work.id),
        page_id=page.id,
        page_version=page.version,
        work_id=suspect.work.id,
        work_version=suspect.work.version,
        page_fingerprints=(),
        work_fingerprints=(),
        hits=len(suspect.suspicion.evidence.runs),
        similarity=0.0,
        score=0.0,
        weight=0.0,
        share_of_page=0.0,
        share_of_work=0.0,
        longest_run=0,
        level=Level.SUSPECTED,
        reasons=suspicion_reasons(pairs, suspect.suspicion),
        passages=(),
        matched_at=context.now(),
        retold=tuple(
            Retold(
                page_start=pair.page.begin,
                page_end=pair.page.end,
                work_start=pair.work.begin,
                work_end=pair.work.end,
                words=pair.words,
            )
            for pair in pairs
        ),
    )


def _is_source_excluded(context: Context, page: Page, suspect: SuspectedWork) -> bool:
    """Return whether users excluded this work as a source of this page."""
    id = match_id(Owner.of_page(page.id), suspect.work.id)
    covered = find_covering_exclusions(context, id, suspect.work.id, page.host)
    return any(each.what is Excluded.SOURCE and each.work_id == suspect.work.id for each in covered)


def _find_known_case(context: Context, id: str) -> Case | None:
    with suppress(NotFound):
        return context.store.cases.get(id)
    return None
