"""What people excluded, honoured: by cases that are there, and by those that a look at a page would open."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from matcher.verdict.excluding import Read, without, without_all
from pipeline.context import Context
from pipeline.matching.calibration import present_calibration
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.when_a_case_opens import left_accuses
from store.errors import NotFound
from store.records import Case, CaseConditions, Excluded, Exclusion, Level, Match
from store.rules.cases.exclusion_covers import places

_BATCH = 500
_TEXTS = 8  # kept while many cases are looked at: those of one work come after each other


class Left(NamedTuple):
    """What is left of a match. found: as it was found, None where nothing was excluded; opens: whether what is left
    still opens a case.
    """

    match: Match
    found: Match | None
    opens: bool


def left_of(context: Context, match: Match, exclusions: Collection[Exclusion], page: Read, work: Read) -> Left:
    """A match after these exclusions; those of other works or that stand nowhere in it change nothing."""
    if any(one.what is Excluded.SOURCE and one.work_id == match.work_id for one in exclusions):
        return Left(without_all(match, present_calibration(context)), match, False)
    if match.level is Level.SUSPECTED:  # it has no letters to exclude
        return Left(match, None, True)
    blocks = [one.letters for one in exclusions if one.letters]
    left = without(match, blocks, page, work, present_calibration(context)) if blocks else match
    if left is match:
        return Left(match, None, True)
    return Left(left, match, left_accuses(left, context.settings.matcher.open_score))


def covering(context: Context, case_id: str, work_id: str, host: str) -> list[Exclusion]:
    """The exclusions that hold for a case, whether it is open yet or not."""
    return context.store.exclusions.covering(places(case_id, work_id, host))


def figure_anew(context: Context, cases: Iterable[Case]) -> int:
    """Let the figures of these cases follow what is excluded now; how many changed."""

    @lru_cache(_TEXTS)
    def read(digest: str) -> Reading:
        return Reading(context.store.blobs.get_text(digest))

    return sum(_figured(context, case, read) for case in cases)


def figure_opened(context: Context, cases: Sequence[Case]) -> int:
    """The same for cases that were written just now: people may have excluded something, or taken that back, since it
    was asked for, and whoever saw to the cases that it covers did not see these.
    """
    where = {case.id: places(case.id, case.work_id, case.page_host) for case in cases}
    covered = {
        place
        for one in (context.store.exclusions.covering(set().union(*where.values())) if cases else ())
        for place in one.covers
    }
    return figure_anew(
        context, [case for case in cases if case.found is not None or not covered.isdisjoint(where[case.id])]
    )


def cases_where(context: Context, where: CaseConditions, most: int) -> Iterator[Case]:
    """The cases that fit, the newest first."""
    asked: CaseConditions = {**where}
    while most > 0 and (found := context.store.cases.find(**asked, limit=min(_BATCH, most))):
        yield from found
        asked["below"], most = found[-1].number, most - len(found)


def _figured(context: Context, case: Case, read: Callable[[str], Reading]) -> bool:
    found = case.found or case.match
    exclusions = covering(context, case.id, case.work_id, case.page_host)
    try:
        page, work = read(case.page_text_digest), read(case.work_text_digest)
    except NotFound:  # the store has lost a text: nothing can be found in it
        page = work = Reading("")
    left = left_of(context, found, exclusions, page, work)
    if (left.match, left.found) == (case.match, case.found):
        return False
    return context.store.cases.set_match(case, left.match, left.found, context.now())
