"""Store the results of look-ups of pages and works: matches, cases and overlaps."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from matcher.model import Match
from wenhen.cases.model import Case, CaseStatus
from wenhen.context.use_cases import Context
from wenhen.exclusions.service import recompute_new_cases
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.progress import Owner, OwnerKind, match_id, parse_copy_id
from wenhen.licences.service import mark_new_licensed_cases
from wenhen.matching.candidate_cache import CandidateCache
from wenhen.matching.candidates import find_candidate_works_of_all
from wenhen.matching.case_creation import OpenedCase, PageCopies, make_copy_cases, open_cases, open_suspicion_cases
from wenhen.matching.clustering import (
    join_near_works,
    page_member,
    remove_outdated_members,
    update_case_clusters,
    work_member,
)
from wenhen.matching.comparison import Source, compare_with_candidates, make_matches
from wenhen.matching.paraphrases import SuspectedWork, find_paraphrased_works_of_all
from wenhen.matching.rematch import rematch_leads_against
from wenhen.pages.model import Page
from wenhen.steps.claims import Claim
from wenhen.steps.runner import try_each
from wenhen.triage.service import apply_triage_rules, revert_outdated_dismissals
from wenhen.works.model import Work

# Overlaps: works of the library that share text, such as editions, reprints or works by other holders.


def store_overlaps(context: Context, works: Sequence[tuple[Work, TextReading]]) -> None:
    """Store the matches of these works with other works, and remove earlier matches that were not found again.

    Leads against works that were not known to overlap are queued again. This is done before the matches are stored, so
    that a worker that dies in between misses no lead.
    """
    overlapping_works = find_overlapping_works(context, works)
    members = [work_member(work) for work, _ in works]
    remove_outdated_members(context, members)
    join_near_works(context, list(zip(members, overlapping_works, strict=True)))
    sharing = [
        (source, work)
        for (work, _), sources in zip(works, overlapping_works, strict=True)
        for source in sources
        if source.copied
    ]
    rematch_leads_against(context, sorted(_find_new_overlaps(context, sharing)))
    copies = [Owner.of_work(work.id) for work, _ in works]
    earlier = set().union(*context.store.matches.ids_of_copies(copies).values())
    matches = make_matches(context, [(source, Owner.of_work(work.id), work.version) for source, work in sharing])
    context.store.matches.put_all(matches, there=earlier)
    context.store.matches.remove(earlier - {match.id for match in matches})


def find_overlapping_works(context: Context, works: Sequence[tuple[Work, TextReading]]) -> list[list[Source]]:
    """Return for each work the other works that it shares passages with, the strongest first."""
    candidates = find_candidate_works_of_all(context, [reading for _, reading in works])
    looks = [
        (reading, [candidate for candidate in ranked if candidate.owner_id != work.id])
        for (work, reading), ranked in zip(works, candidates, strict=True)
    ]
    library = CandidateCache(context, looks)
    found = [
        [source for source in compare_with_candidates(context, *look, library) if not source.work.common]
        for look in looks
    ]
    for reading, _ in looks:
        reading.forget_comparison()
    return found


def _find_new_overlaps(context: Context, sharing: Sequence[tuple[Source, Work]]) -> set[str]:
    """Return the ids of the sources that no stored match shows to overlap with a work, in the current versions."""
    pairs = [(source.work.id, ((work, source.work), (source.work, work))) for source, work in sharing]
    versions = {_overlap_id(*way): (way[0].version, way[1].version) for _, ways in pairs for way in ways}
    stored = context.store.matches.versions(versions)
    known = {id for id, stored_versions in stored.items() if stored_versions == versions[id]}
    return {source_id for source_id, ways in pairs if known.isdisjoint(_overlap_id(*way) for way in ways)}


def _overlap_id(copy: Work, work: Work) -> str:
    return match_id(Owner.of_work(copy.id), work.id)


def remove_overlaps(context: Context, work_id: str) -> None:
    """Remove the matches of this work with other works, in both directions."""
    own = context.store.matches.of_copy(Owner.of_work(work_id))
    others = [
        match for match in context.store.matches.of_work(work_id) if parse_copy_id(match.page_id).kind is OwnerKind.WORK
    ]
    context.store.matches.remove([match.id for match in (*own, *others)])


def find_matched_pages(context: Context, work_ids: Collection[str]) -> set[str]:
    """Return the ids of the pages that any of the works was found in, without overlaps with works."""
    return {copy.id for copy in context.store.matches.copies_of(work_ids) if copy.kind is OwnerKind.PAGE}


# Matches and cases of a page. Those of an earlier look-up that were not found again are removed or marked absent. That
# includes a lead whose text is still there but is common text now. A case that a person has decided stays if the texts
# of page and work are the same as they were then.


class PageLookup(NamedTuple):
    """A page as it was looked up, and the works that it shares text with."""

    page: Page
    reading: TextReading
    found: Sequence[Source]


class StoredFindings(NamedTuple):
    """The results of look-ups.

    claims: claims of the pages that succeeded. outdated: ids of pages that were compared with a work that was removed
    or changed since.
    """

    claims: list[Claim[Page]]
    failed: list[tuple[Claim[Page], Exception]]
    outdated: set[str]


def store_findings(context: Context, looks: Sequence[tuple[Claim[Page], PageLookup]]) -> StoredFindings:
    """Store the matches of pages with works, and open their cases."""
    owners = [Owner.of_page(claim.id) for claim, _ in looks]
    paraphrased = _find_paraphrased(context, looks)
    matched = context.store.matches.ids_of_copies(owners)
    kept = _store_matches(context, [look for _, look in looks], set().union(*matched.values()))
    known = context.store.cases.of_pages([owner.id for owner in owners])
    remove_outdated_members(context, [page_member(look.page) for _, look in looks])
    opened = open_cases(context, make_copy_cases(context, [_page_copies(look, kept) for _, look in looks]))
    accused: dict[str, set[str]] = {claim.id: set() for claim, _ in looks}
    for case, _ in opened:
        accused[case.page_id].add(case.id)

    def conclude(claim: Claim[Page], look: PageLookup) -> PageLookup:
        accused[claim.id] |= open_suspicion_cases(context, look.page, look.reading, paraphrased[claim.id])
        return look

    done, failed = try_each(looks, conclude)
    seen_before = [look.page for claim, look in done if Owner.of_page(claim.id) in matched or claim.id in known]
    if seen_before:
        earlier = set().union(*(matched.get(Owner.of_page(page.id), set()) for page in seen_before))
        mark_lost_matches(context, seen_before, earlier, kept, set().union(*accused.values()))
    join_near_works(context, [(page_member(look.page), look.found) for _, look in done])
    with_cases = {claim.id for claim, _ in done if accused[claim.id] or claim.id in known}
    update_case_clusters(context, with_cases, new=with_cases - known.keys())
    _apply_user_decisions(context, opened)
    return StoredFindings([claim for claim, _ in done], failed, _find_outdated_pages(context, done, paraphrased))


def _apply_user_decisions(context: Context, opened: Sequence[OpenedCase]) -> None:
    """Apply triage rules, dismissals, licences and exclusions to cases that were opened or updated."""
    apply_triage_rules(context, [outcome.case for outcome in opened if outcome.new])
    revert_outdated_dismissals(context, [outcome.case for outcome in opened if not outcome.new])
    mark_new_licensed_cases(context, [outcome.case for outcome in opened])
    recompute_new_cases(context, [outcome.case for outcome in opened])


def _find_outdated_pages(
    context: Context,
    looks: Sequence[tuple[Claim[Page], PageLookup]],
    paraphrased: Mapping[str, Sequence[SuspectedWork]],
) -> set[str]:
    """Return the ids of pages whose works changed after they were fetched.

    The removal of a work, or a new version of it, restarts the pages that it was found in. It did not know of these.
    """
    compared = {
        claim.id: [*(source.work for source in look.found), *(suspect.work for suspect in paraphrased[claim.id])]
        for claim, look in looks
    }
    ids = {work.id for works in compared.values() for work in works}
    now = context.store.works.many(ids)
    return {id for id, works in compared.items() if any(_is_changed_work(work, now.get(work.id)) for work in works)}


def _is_changed_work(work: Work, now: Work | None) -> bool:
    return now is None or now.removed_at is not None or now.version != work.version


def _find_paraphrased(
    context: Context, looks: Sequence[tuple[Claim[Page], PageLookup]]
) -> dict[str, list[SuspectedWork]]:
    """Return the works that each page may paraphrase, by page id."""
    texts = [(look.reading, [source for source in look.found if source.copied]) for _, look in looks]
    suspects = find_paraphrased_works_of_all(context, texts)
    return {claim.id: page_suspects for (claim, _), page_suspects in zip(looks, suspects, strict=True)}


def _page_copies(look: PageLookup, kept: Mapping[str, Sequence[tuple[Source, Match]]]) -> PageCopies:
    return PageCopies(look.page, look.reading, kept[look.page.id])


def _store_matches(
    context: Context, looks: Sequence[PageLookup], there: Collection[str]
) -> dict[str, list[tuple[Source, Match]]]:
    """Store the matches of pages, and return the sources with their matches by page id.

    there: ids of the matches of an earlier look-up.
    """
    page_sources = [(source, Owner.of_page(page.id), page.version) for page, _, sources in looks for source in sources]
    matches = make_matches(context, page_sources)
    context.store.matches.put_all(matches, there=there)
    kept: dict[str, list[tuple[Source, Match]]] = {look.page.id: [] for look in looks}
    for (source, owner, _), match in zip(page_sources, matches, strict=True):
        kept[owner.id].append((source, match))
    return kept


def mark_lost_matches(
    context: Context,
    pages: Sequence[Page],
    earlier: Collection[str],
    kept: Mapping[str, Sequence[tuple[Source, Match]]],
    accused: Collection[str],
) -> None:
    """Remove matches that were not found again, and mark the cases as absent that no longer open.

    earlier: ids of the matches of an earlier look-up. kept: the matches of this look-up by page id.
    accused: ids of the cases that open.
    """
    found = [source_and_match for page in pages for source_and_match in kept[page.id]]
    context.store.matches.remove(set(earlier).difference((match.id for _, match in found), accused))
    common = {match.id: source.work for source, match in found if source.copied and not source.accuse}
    by_id = {page.id: page for page in pages}
    cases = chain.from_iterable(context.store.cases.of_pages(by_id).values())
    lost = [case for case in cases if case.present and case.id not in accused]
    leads = [case.id for case in lost if case.id in common and case.status is CaseStatus.LEAD]
    standing = [
        case.id for case in lost if case.id in common and _is_decided(case, by_id[case.page_id], common[case.id])
    ]
    copies_gone = {case.id for case in lost}.difference(leads, standing, _find_uncompared_cases(context, lost))
    context.store.cases.mark_absent(leads, context.now(), common=True)
    context.store.cases.mark_absent(copies_gone, context.now())


def _find_uncompared_cases(context: Context, lost: Sequence[Case]) -> list[str]:
    """Return the ids of decided cases whose work was removed from the library.

    The page was not compared with that work, so it is unknown whether the copy is gone.
    """
    decided = [case for case in lost if case.status is not CaseStatus.LEAD]
    works = context.store.works.many({case.work_id for case in decided}) if decided else {}
    return [case.id for case in decided if case.work_id in works and works[case.work_id].removed_at is not None]


def _is_decided(case: Case, page: Page, work: Work) -> bool:
    """Return whether a person has decided a case on exactly these texts."""
    same = case.page_text_digest == page.text_digest and case.work_text_digest == work.text_digest
    return same and case.status is not CaseStatus.LEAD
