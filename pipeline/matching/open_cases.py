"""The cases that pages open with what they copy, by the rule of `pipeline.matching.when_a_case_opens`, of many pages.

What people excluded opens none, and is taken off those that are open.
"""

from collections.abc import Collection, Sequence
from contextlib import ExitStack, suppress
from typing import NamedTuple

from matcher.verdict.excluding import Text
from pipeline.context import Context
from pipeline.matching.compare_with_candidates import Source
from pipeline.matching.excluded_cases import Left, left_of
from pipeline.matching.new_case import new_case
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import at_home
from store.errors import NotFound
from store.records import Case, CaseStatus, Exclusion, Licence, Match, Owner, Page
from store.rules.cases.exclusion_covers import places
from store.trace_spans import span


class PageCopies(NamedTuple):
    """A page, and the works that it shares text with, each with its match."""

    page: Page
    reading: Reading
    kept: Sequence[tuple[Source, Match]]


class Opened(NamedTuple):
    """A case that stands, and whether it is new."""

    case: Case
    new: bool


class _Copy(NamedTuple):
    """A copy that is to open a case, but for what people excluded. licence: the one that covers the page."""

    page: Page
    reading: Reading
    source: Source
    match: Match
    licence: Licence | None = None


def cases_of(context: Context, copies: Sequence[PageCopies]) -> list[Case]:
    """A case for each match that opens one."""
    accused = [
        _Copy(page, reading, source, match)
        for page, reading, kept in copies
        for source, match in kept
        if source.accuse and not at_home(context.store.holders, source.work, page.url)
    ]
    covered = [places(one.match.id, one.match.work_id, one.page.host) for one in accused]
    exclusions = context.store.exclusions.covering(set().union(*covered)) if accused else []
    licences = context.store.licences.covering_all(
        [(one.page.url, one.source.work.id, one.page.capture.fetched_at) for one in accused]
    )
    cases = (
        _case(context, one._replace(licence=licence), where, exclusions)
        for one, licence, where in zip(accused, licences, covered, strict=True)
    )
    return [case for case in cases if case is not None]


def open_cases(context: Context, cases: Sequence[Case]) -> list[Opened]:
    """Open cases, or update those that are there."""
    with ExitStack() as spans:
        for case in cases:
            spans.enter_context(span("case.open", str(Owner.of_page(case.page_id))))
        return [Opened(*one) for one in context.store.cases.open_or_update_all(cases)]


def _case(context: Context, copy: _Copy, where: Collection[str], exclusions: Collection[Exclusion]) -> Case | None:
    """The case of a copy, if it opens one. exclusions: of this one and of others."""
    page, reading, source, match, licence = copy
    left = _left(context, copy, [one for one in exclusions if not set(where).isdisjoint(one.covers)])
    if not left.opens and not _is_open(context, match.id):
        return None
    return new_case(context, page, reading.text, source.work, left.match, CaseStatus.LEAD, licence, left.found)


def _left(context: Context, copy: _Copy, exclusions: Collection[Exclusion]) -> Left:
    work = copy.source.comparison.pair
    return left_of(context, copy.match, exclusions, copy.reading, Text(work.work_text, work.work))


def _is_open(context: Context, id: str) -> bool:
    with suppress(NotFound):
        return bool(context.store.cases.get(id))
    return False
