"""What a look at a page found, kept: its matches and cases. What an earlier look found and this one did not is gone.

So is a lead whose text is still there and accuses nobody any more, because other works have it as well. What a person
has decided on such a case stands: the page's text is the same as it was then.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pipeline.context import Context
from pipeline.matching.apply_triage_rules import apply_rules, take_back
from pipeline.matching.clustering import join_near_works, leave_outdated, page_member, tell_cases
from pipeline.matching.compare_with_candidates import Source, matches_of
from pipeline.matching.excluded_cases import figure_opened
from pipeline.matching.licensed_cases import mark_opened
from pipeline.matching.open_cases import Opened, PageCopies, cases_of, open_cases
from pipeline.matching.second_look import Suspected, suspected_all
from pipeline.matching.suspicion_cases import open_suspicions
from pipeline.matching.text_with_letters import Reading
from pipeline.outcome_of_step import each
from store.ports import Claim
from store.records import Case, CaseStatus, Match, Owner, Page, Work


class PageLook(NamedTuple):
    """A page as it was looked at, and the works that it shares text with."""

    page: Page
    reading: Reading
    found: Sequence[Source]


class Kept(NamedTuple):
    """What came of looks. claims: of the pages that are through; outdated: pages, by their ids, that were compared with
    a work which was removed since, or has another text.
    """

    claims: list[Claim[Page]]
    failed: list[tuple[Claim[Page], Exception]]
    outdated: set[str]


def keep_findings(context: Context, looks: Sequence[tuple[Claim[Page], PageLook]]) -> Kept:
    """Store what pages share with works, and open their cases."""
    owners = [Owner.of_page(claim.id) for claim, _ in looks]
    told = _told_anew(context, looks)
    matched = context.store.matches.ids_of_copies(owners)
    kept = _keep_matches(context, [look for _, look in looks], set().union(*matched.values()))
    known = context.store.cases.of_pages([owner.id for owner in owners])
    leave_outdated(context, [page_member(look.page) for _, look in looks])
    opened = open_cases(context, cases_of(context, [_copies(look, kept) for _, look in looks]))
    accused: dict[str, set[str]] = {claim.id: set() for claim, _ in looks}
    for case, _ in opened:
        accused[case.page_id].add(case.id)

    def conclude(claim: Claim[Page], look: PageLook) -> PageLook:
        accused[claim.id] |= open_suspicions(context, look.page, look.reading, told[claim.id])
        lost = matched.get(Owner.of_page(claim.id), set()) - {match.id for _, match in kept[claim.id]}
        if lost or claim.id in known:
            mark_lost(context, look.page, kept[claim.id], accused[claim.id])
        return look

    done, failed = each(looks, conclude)
    join_near_works(context, [(page_member(look.page), look.found) for _, look in done])
    with_cases = {claim.id for claim, _ in done if accused[claim.id] or claim.id in known}
    tell_cases(context, with_cases, new=with_cases - known.keys())
    _follow_people(context, opened)
    return Kept([claim for claim, _ in done], failed, _outdated(context, done, told))


def _follow_people(context: Context, opened: Sequence[Opened]) -> None:
    """Let these cases follow what people said: their rules, and what changed while they were opened."""
    apply_rules(context, [one.case for one in opened if one.new])
    take_back(context, [one.case for one in opened if not one.new])
    mark_opened(context, [one.case for one in opened])
    figure_opened(context, [one.case for one in opened])


def _outdated(
    context: Context, looks: Sequence[tuple[Claim[Page], PageLook]], told: Mapping[str, Sequence[Suspected]]
) -> set[str]:
    """The pages whose works changed since they were fetched. What removes a work, or looks a new text of it up, sends
    the pages that it was found in through their look-up again, and did not know of these.
    """
    compared = {
        claim.id: [*(one.work for one in look.found), *(one.work for one in told[claim.id])] for claim, look in looks
    }
    ids = {work.id for some in compared.values() for work in some}
    now = context.store.works.many(ids)
    return {id for id, some in compared.items() if any(_changed(work, now.get(work.id)) for work in some)}


def _changed(work: Work, now: Work | None) -> bool:
    return now is None or now.removed_at is not None or now.version != work.version


def _told_anew(context: Context, looks: Sequence[tuple[Claim[Page], PageLook]]) -> dict[str, list[Suspected]]:
    """By its id, the works that each page may be told after."""
    texts = [(look.reading, [one for one in look.found if one.copied]) for _, look in looks]
    found = suspected_all(context, texts)
    return {claim.id: some for (claim, _), some in zip(looks, found, strict=True)}


def _copies(look: PageLook, kept: Mapping[str, Sequence[tuple[Source, Match]]]) -> PageCopies:
    return PageCopies(look.page, look.reading, kept[look.page.id])


def _keep_matches(
    context: Context, looks: Sequence[PageLook], there: Collection[str]
) -> dict[str, list[tuple[Source, Match]]]:
    """The sources of each page, by its id, each with its match. there: ids of matches of an earlier look."""
    found = [(source, Owner.of_page(page.id), page.version) for page, _, sources in looks for source in sources]
    matches = matches_of(context, found)
    context.store.matches.put_all(matches, there=there)
    kept: dict[str, list[tuple[Source, Match]]] = {look.page.id: [] for look in looks}
    for (source, owner, _), match in zip(found, matches, strict=True):
        kept[owner.id].append((source, match))
    return kept


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
