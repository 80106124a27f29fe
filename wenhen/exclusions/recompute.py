"""Apply exclusions to matches, and recompute the figures of cases."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from matcher.attribution.apply_exclusions import TextWithInitials, exclude_all, exclude_text
from matcher.model import Level, Match
from wenhen.cases.calibration import current_calibration
from wenhen.cases.model import Case, CaseConditions
from wenhen.cases.opening_rule import is_remainder_accusing
from wenhen.exclusions.model import Excluded, Exclusion, case_places
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import NotFound
from wenhen.product.context import Context

_CASE_BATCH_SIZE = 500
_MAX_CACHED_TEXTS = 8  # texts in memory; cases of one work are adjacent


class RemainingMatch(NamedTuple):
    """A match after exclusions.

    found: the match before exclusions; None if nothing was excluded. opens: whether the rest still opens a case.
    """

    match: Match
    found: Match | None
    opens: bool


def subtract_exclusions(
    context: Context, match: Match, exclusions: Collection[Exclusion], page: TextWithInitials, work: TextWithInitials
) -> RemainingMatch:
    """Apply exclusions to a match. Those of other works, or without text in it, have no effect."""
    if any(exclusion.what is Excluded.SOURCE and exclusion.work_id == match.work_id for exclusion in exclusions):
        return RemainingMatch(exclude_all(match, current_calibration(context)), match, False)
    if match.level is Level.SUSPECTED:  # it has no letters to exclude
        return RemainingMatch(match, None, True)
    blocks = [exclusion.letters for exclusion in exclusions if exclusion.letters]
    left = exclude_text(match, blocks, page, work, current_calibration(context)) if blocks else match
    if left is match:
        return RemainingMatch(match, None, True)
    rules, work_record = context.settings.matcher, context.store.works.many([match.work_id]).get(match.work_id)
    shortest = (work_record and work_record.shortest_passage) or rules.shortest_passage
    return RemainingMatch(left, match, is_remainder_accusing(left, rules.open_score, shortest))


def find_covering_exclusions(context: Context, case_id: str, work_id: str, host: str) -> list[Exclusion]:
    """Return the exclusions that cover a case, which need not be open."""
    return context.store.exclusions.find_covering(case_places(case_id, work_id, host))


def recompute_cases(context: Context, cases: Iterable[Case]) -> int:
    """Recompute the figures of these cases by the current exclusions. Return how many changed."""

    @lru_cache(_MAX_CACHED_TEXTS)
    def read(digest: str) -> TextReading:
        return TextReading(context.store.blobs.get_text(digest))

    return sum(_recompute_case(context, case, read) for case in cases)


def recompute_new_cases(context: Context, cases: Sequence[Case]) -> int:
    """Recompute the figures of cases that were just stored.

    Users may have added or withdrawn exclusions since they were loaded, and the recomputation for those did not see
    these cases.
    """
    where = {case.id: case_places(case.id, case.work_id, case.page_host) for case in cases}
    covered = {
        place
        for exclusion in (context.store.exclusions.find_covering(set().union(*where.values())) if cases else ())
        for place in exclusion.covers
    }
    return recompute_cases(
        context, [case for case in cases if case.found is not None or not covered.isdisjoint(where[case.id])]
    )


def iterate_cases(context: Context, where: CaseConditions, most: int) -> Iterator[Case]:
    """Yield the cases that match, the newest first."""
    conditions: CaseConditions = {**where}
    while most > 0 and (cases := context.store.cases.find(**conditions, limit=min(_CASE_BATCH_SIZE, most))):
        yield from cases
        conditions["below"], most = cases[-1].number, most - len(cases)


def _recompute_case(context: Context, case: Case, read: Callable[[str], TextReading]) -> bool:
    full_match = case.found or case.match
    exclusions = find_covering_exclusions(context, case.id, case.work_id, case.page_host)
    try:
        page, work = read(case.page_text_digest), read(case.work_text_digest)
    except NotFound:  # the store has lost a text: nothing can be found in it
        page = work = TextReading("")
    left = subtract_exclusions(context, full_match, exclusions, page, work)
    if (left.match, left.found) == (case.match, case.found):
        return False
    return context.store.cases.set_match(case, left.match, left.found, context.now())
