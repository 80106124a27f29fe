"""The way of a page, from its captured bytes to its cases: many pages at a time, and each as it would go alone."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final

from pipeline.context import Context
from pipeline.matching import fingerprints
from pipeline.matching.candidates import works_like_pages
from pipeline.matching.clustering import join_near_pages
from pipeline.matching.compare_with_candidates import sources_among
from pipeline.matching.fingerprints import VersionText, tried_before
from pipeline.matching.keep_findings import PageLook, keep_findings
from pipeline.matching.text_with_letters import Reading, readings
from pipeline.matching.works_of_a_batch import Library
from pipeline.outcome_of_step import Moved, each
from pipeline.pages.extracting import extract_pages
from pipeline.pages.vanished_and_returned import mark_cases_gone
from store.ports import Claim
from store.records import Candidate, OwnerKind, Page, Step

__all__ = ["align_pages", "extract_pages", "fingerprint_pages", "index_pages", "look_up_pages", "match_pages"]

PageClaim = Claim[Page]
_LOOKED_AT: Final = frozenset({Step.LOOK_UP, Step.ALIGN, Step.DONE})  # steps at which a look may have been


def fingerprint_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Text -> fingerprints."""
    texts = [VersionText(page.id, page.version, reading) for page, reading in _read(context, claims)]
    made = fingerprints.fingerprint_all(context, OwnerKind.PAGE, texts)
    # A page of a later version is not among them; its claim is void.
    return Moved(context.store.pages.go_on([claim for claim in claims if claim.id in made], Step.INDEX, lease))


def index_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Fingerprints -> the index over pages, so that a work that comes in later finds these pages; their near duplicates
    among them.
    """
    again = [claim for claim in claims if tried_before(claim.record.progress)]
    for claim in again:
        fingerprints.index(context, OwnerKind.PAGE, claim.id, again=True)
    fingerprints.index_all(context, OwnerKind.PAGE, [claim.id for claim in claims if claim not in again])
    join_near_pages(context, _read(context, claims))
    return Moved(context.store.pages.go_on(claims, Step.LOOK_UP, lease))


def look_up_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Text -> the works that it may be copied from, ranked."""
    ranked = works_like_pages(context, _read(context, claims))
    found = list(zip(claims, ranked, strict=True))
    return Moved(context.store.pages.set_all_candidates(found, Step.ALIGN, lease))


def align_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Candidates -> passages, matches, cases. Then what no letter shows, as suspicions. What an earlier look found and
    this one does not is marked as gone.
    """
    ranked = context.store.pages.all_candidates([claim.id for claim in claims])
    return _align(context, claims, _read(context, claims), ranked, lease)


def match_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> Moved:
    """Both in one go, without keeping the candidates. Whoever sends a page through its look-up again meanwhile makes
    the claim void.
    """
    read = _read(context, claims)
    found = works_like_pages(context, read)
    return _align(context, claims, read, {page.id: one for (page, _), one in zip(read, found, strict=True)}, lease)


def _align(
    context: Context,
    claims: Sequence[PageClaim],
    read: Sequence[tuple[Page, Reading]],
    ranked: Mapping[str, Sequence[Candidate]],
    lease: timedelta | None,
) -> Moved:
    library = Library(context, ranked.values())
    looks = list(zip(claims, read, strict=True))
    found, failed = each(
        looks, lambda claim, look: PageLook(*look, sources_among(context, look[1], ranked.get(claim.id, []), library))
    )
    kept = keep_findings(context, found)
    for id in context.store.pages.gone([claim.id for claim in kept.claims]):
        mark_cases_gone(context, id)  # what it showed before it vanished
    _look_again(context, kept.outdated)
    current = [claim for claim in kept.claims if claim.id not in kept.outdated]
    moved = context.store.pages.go_on(current, Step.DONE, lease)
    _look_again_at_changed(context, current, moved)
    return Moved(moved, [*failed, *kept.failed])


def _look_again_at_changed(context: Context, looked: Sequence[PageClaim], moved: Sequence[PageClaim]) -> None:
    """Send pages through their look-up again that got another text during the look: what was kept of them belongs to
    the old one, and the look at the new one, which may have been quicker, did not see it.
    """
    done = {claim.id for claim in moved}
    lost = {claim.id: claim.record.version for claim in looked if claim.id not in done}
    _look_again(context, [id for id, page in context.store.pages.many(lost).items() if page.version != lost[id]])


def _look_again(context: Context, ids: Collection[str]) -> None:
    again = [id for id in sorted(ids) if context.store.pages.restart(id, Step.LOOK_UP, only_from=_LOOKED_AT)]
    if again:
        context.enqueue(OwnerKind.PAGE, again, Step.LOOK_UP)


def _read(context: Context, claims: Sequence[PageClaim]) -> list[tuple[Page, Reading]]:
    """Each page with the main text of its newest capture, which is empty where it has none."""
    texts = readings(context, {page.text_digest for page in (claim.record for claim in claims) if page.text_digest})
    pages = [claim.record for claim in claims]
    return [(page, texts[page.text_digest] if page.text_digest else Reading("")) for page in pages]
