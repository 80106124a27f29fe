"""What a look at a page found, kept: its matches and cases. What an earlier look found and this one did not is gone.

So is a lead whose text is still there and accuses nobody any more, because other works have it as well. What a person
has decided on such a case stands: the page's text is the same as it was then.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from matcher.verdict.excluding import Text
from pipeline.batch import each
from pipeline.context import Context
from pipeline.matching.clustering import join_near_works, leave_outdated, page_member, tell_cases
from pipeline.matching.excluded_cases import Left, covering, left_of
from pipeline.matching.look_up import Source, matches_of
from pipeline.matching.new_case import new_case
from pipeline.matching.opening import at_home
from pipeline.matching.reading import Reading
from pipeline.matching.suspicion_cases import open_suspicions
from pipeline.matching.triage import apply_rules, take_back
from store.errors import NotFound
from store.ports import Claim
from store.records import Case, CaseStatus, Match, Owner, Page, Work
from store.tracing import span


class PageLook(NamedTuple):
    """A page as it was looked at, and the works that it shares text with."""

    page: Page
    reading: Reading
    found: Sequence[Source]


Failed = list[tuple[Claim[Page], Exception]]
Opened = list[tuple[Case, bool]]  # each with whether it is new


def keep_findings(context: Context, looks: Sequence[tuple[Claim[Page], PageLook]]) -> tuple[list[Claim[Page]], Failed]:
    """Store what pages share with works, and open their cases: the claims of those that are through, and of those that
    failed.
    """
    owners = [Owner.of_page(claim.id) for claim, _ in looks]
    kept = _keep_matches(context, [look for _, look in looks])
    known = context.store.cases.of_pages([owner.id for owner in owners])
    matched = context.store.matches.ids_of_copies(owners)
    leave_outdated(context, [page_member(look.page) for _, look in looks])
    opened: list[Case] = []
    seen_again: list[Case] = []

    def conclude(claim: Claim[Page], look: PageLook) -> None:
        mine = kept[claim.id]
        cases = open_cases(context, look.page, look.reading, mine)
        opened.extend(case for case, new in cases if new)
        seen_again.extend(case for case, new in cases if not new)
        accused = {case.id for case, _ in cases}
        copied = [one for one in look.found if one.copied]
        accused |= open_suspicions(context, look.page, look.reading, copied)
        join_near_works(context, page_member(look.page), look.found)
        if accused or claim.id in known:
            tell_cases(context, claim.id)
        lost = matched.get(Owner.of_page(claim.id), set()) - {match.id for _, match in mine}
        if lost or claim.id in known:
            mark_lost(context, look.page, mine, accused)

    done, failed = each(looks, conclude)
    apply_rules(context, opened)
    take_back(context, seen_again)
    return [claim for claim, _ in done], failed


def _keep_matches(context: Context, looks: Sequence[PageLook]) -> dict[str, list[tuple[Source, Match]]]:
    """The sources of each page, by its id, each with its match."""
    found = [(source, Owner.of_page(page.id), page.version) for page, _, sources in looks for source in sources]
    matches = matches_of(context, found)
    context.store.matches.put_all(matches)
    kept: dict[str, list[tuple[Source, Match]]] = {look.page.id: [] for look in looks}
    for (source, owner, _), match in zip(found, matches, strict=True):
        kept[owner.id].append((source, match))
    return kept


def open_cases(context: Context, page: Page, reading: Reading, kept: Sequence[tuple[Source, Match]]) -> Opened:
    """Open or update a case for each match that opens one, see `pipeline.matching.opening`. What people excluded opens
    none, and is taken off those that are open.
    """
    opening = [
        (source, match)
        for source, match in kept
        if source.accuse and not at_home(context.store.holders, source.work, page.url)
    ]
    cases: Opened = []
    for source, match in opening:
        left = _left(context, page, reading, source, match)
        if left.opens or _is_open(context, match.id):
            with span("case.open", str(Owner.of_page(page.id))):
                case = new_case(context, page, reading.text, source.work, left.match, CaseStatus.LEAD, left.found)
                cases.append(context.store.cases.open_or_update(case))
    return cases


def mark_lost(context: Context, page: Page, kept: Sequence[tuple[Source, Match]], accused: set[str]) -> None:
    """Drop the matches that are no longer found, and mark the cases as gone that no longer open."""
    matched = {match.id for _, match in kept} | accused
    gone = [match.id for match in context.store.matches.of_copy(Owner.of_page(page.id)) if match.id not in matched]
    context.store.matches.remove(gone)
    common = {match.id: source.work for source, match in kept if source.copied and not source.accuse}
    open_cases = context.store.cases.find(page_id=page.id, limit=1000)
    lost = [case for case in open_cases if case.present and case.id not in accused]
    leads = [case.id for case in lost if case.id in common and case.status is CaseStatus.LEAD]
    standing = [case.id for case in lost if case.id in common and _decided(case, page, common[case.id])]
    copies_gone = {case.id for case in lost}.difference(leads, standing, _not_compared(context, lost))
    context.store.cases.mark_absent(leads, context.now(), common=True)
    context.store.cases.mark_absent(copies_gone, context.now())


def _not_compared(context: Context, lost: Sequence[Case]) -> list[str]:
    """The cases that a person has decided and whose work was removed from the library: the page was not compared with
    it, so nobody knows whether the copy is gone.
    """
    decided = [case for case in lost if case.status is not CaseStatus.LEAD]
    works = context.store.works.many({case.work_id for case in decided}) if decided else {}
    return [case.id for case in decided if case.work_id in works and works[case.work_id].removed_at is not None]


def _decided(case: Case, page: Page, work: Work) -> bool:
    """Whether a person has decided on a case, and on just these texts."""
    same = case.page_text_digest == page.text_digest and case.work_text_digest == work.text_digest
    return same and case.status is not CaseStatus.LEAD


def _left(context: Context, page: Page, reading: Reading, source: Source, match: Match) -> Left:
    exclusions = covering(context, match.id, match.work_id, page.host)
    work = source.comparison.pair
    return left_of(context, match, exclusions, reading, Text(work.work_text, work.work))


def _is_open(context: Context, id: str) -> bool:
    with suppress(NotFound):
        return bool(context.store.cases.get(id))
    return False
