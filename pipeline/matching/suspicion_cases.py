"""What the second look at a page found, kept as cases of a status of their own, below the leads.

A case that people have decided on, or that a copy opened, stays what it is.
"""

from collections.abc import Iterable
from contextlib import suppress

from matcher.suspicion.reasons import reasons
from matcher.suspicion.sentences import drawn_together
from pipeline.context import Context
from pipeline.matching.excluded_cases import covering
from pipeline.matching.new_case import new_case
from pipeline.matching.second_look import Suspected
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import at_home
from store.errors import NotFound
from store.records import Case, CaseStatus, Excluded, Level, Match, Owner, Page, Retold
from store.rules.record_ids import match_id


def open_suspicions(context: Context, page: Page, reading: Reading, found: Iterable[Suspected]) -> set[str]:
    """Open or update a case for each work that a page is told after; the ids of those that stand."""
    standing = set()
    for one in found:
        if at_home(context.store.holders, one.work, page.url) or _excluded(context, page, one):
            continue
        match = match_of_suspicion(context, one, page)
        licence = context.store.licences.covering(page.url, one.work.id, page.capture.fetched_at)
        case = new_case(context, page, reading.text, one.work, match, CaseStatus.SUSPECTED, licence)
        known = _known(context, case.id)
        if known is None or known.status is CaseStatus.SUSPECTED:
            context.store.matches.put(case.match)
            context.store.cases.open_or_update(case)
            standing.add(case.id)
        elif known.match.level is Level.SUSPECTED:
            standing.add(case.id)
    return standing


def match_of_suspicion(context: Context, one: Suspected, page: Page) -> Match:
    """A match without passages: nothing of it counts as copied."""
    pairs = drawn_together(one.page, one.suspicion.work, one.suspicion.evidence)
    return Match(
        id=match_id(Owner.of_page(page.id), one.work.id),
        page_id=page.id,
        page_version=page.version,
        work_id=one.work.id,
        work_version=one.work.version,
        page_fingerprints=(),
        work_fingerprints=(),
        hits=len(one.suspicion.evidence.runs),
        similarity=0.0,
        score=0.0,
        weight=0.0,
        share_of_page=0.0,
        share_of_work=0.0,
        longest_run=0,
        level=Level.SUSPECTED,
        reasons=reasons(pairs, one.suspicion),
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


def _excluded(context: Context, page: Page, one: Suspected) -> bool:
    """Whether people said that this page has nothing from this work."""
    id = match_id(Owner.of_page(page.id), one.work.id)
    covered = covering(context, id, one.work.id, page.host)
    return any(each.what is Excluded.SOURCE and each.work_id == one.work.id for each in covered)


def _known(context: Context, id: str) -> Case | None:
    with suppress(NotFound):
        return context.store.cases.get(id)
    return None
