"""Define the pipeline steps of pages and works.

A page goes from its capture to its cases, a work from its text to the pages that copy it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from matcher.model import Candidate, is_unprotected
from wenhen.context.use_cases import Context
from wenhen.fingerprints.reading import TextReading, load_readings
from wenhen.fingerprints.service import (
    VersionText,
    fingerprint_text,
    fingerprint_texts,
    index_owner,
    index_owners,
    remove_retired_fingerprints,
    was_tried_before,
)
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.matching.candidate_cache import MAX_CACHED_LETTERS, CandidateCache
from wenhen.matching.candidates import (
    find_candidate_pages_of_all,
    find_candidate_works_of_pages,
    find_texts_sharing_with,
)
from wenhen.matching.clustering import join_near_pages
from wenhen.matching.comparison import (
    choose_explained_text,
    compare_with_candidates,
    shortest_passage,
    stored_pages,
)
from wenhen.matching.findings import PageLookup, find_matched_pages, remove_overlaps, store_findings, store_overlaps
from wenhen.matching.index_rebuild import index_rare_words
from wenhen.matching.rematch import LOOKED_UP_STEPS, look_up_conditions, rematch_leads_against, repeat_removals
from wenhen.pages.extraction import extract_pages as extract_page_texts
from wenhen.pages.model import Page
from wenhen.pages.service import mark_cases_gone
from wenhen.steps.claims import Claim
from wenhen.steps.runner import StepResult, next_step, try_each
from wenhen.works.model import Work

# The steps of a page, from its captured bytes to its cases. Batches give the same results as single pages.


PageClaim = Claim[Page]
_STEPS_AFTER_LOOK_UP: Final = frozenset({Step.LOOK_UP, Step.ALIGN, Step.DONE})  # of pages that may be looked up


def extract_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Extract the main text of captured pages. Of two readings of a page the one that a work explains stands."""
    return extract_page_texts(context, claims, lease, choose_explained_text)


def fingerprint_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Make fingerprints of the texts."""
    texts = [VersionText(page.id, page.version, reading) for page, reading in _read_texts(context, claims)]
    made = fingerprint_texts(context, OwnerKind.PAGE, texts)
    # A page with a later stored version is missing; its claim is void.
    return StepResult(context.store.pages.go_on([claim for claim in claims if claim.id in made], Step.INDEX, lease))


def index_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Add the fingerprints to the index of pages, and join near duplicates.

    Works that arrive later find these pages in the index.
    """
    again = [claim for claim in claims if was_tried_before(claim.record.progress)]
    for claim in again:
        index_owner(context, OwnerKind.PAGE, claim.id, again=True)
    index_owners(context, OwnerKind.PAGE, [claim.id for claim in claims if claim not in again])
    join_near_pages(context, _read_texts(context, claims))
    return StepResult(context.store.pages.go_on(claims, Step.LOOK_UP, lease))


def look_up_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Rank the works that the texts may be copied from."""
    ranked = find_candidate_works_of_pages(context, _read_texts(context, claims))
    ranked_claims = list(zip(claims, ranked, strict=True))
    return StepResult(context.store.pages.set_all_candidates(ranked_claims, Step.ALIGN, lease))


def align_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Align pages with their candidates, and store matches and cases, then paraphrase suspicions.

    Results of an earlier look-up that are not found again are marked as gone.
    """
    ranked = context.store.pages.all_candidates([claim.id for claim in claims])
    return _align_and_store(context, claims, _read_texts(context, claims), ranked, lease)


def match_pages(context: Context, claims: Sequence[PageClaim], lease: timedelta | None) -> StepResult:
    """Look pages up and align them in one step, without storing the candidates.

    If the look-up of a page is restarted meanwhile, its claim becomes void.
    """
    read = _read_texts(context, claims)
    candidates_by_page = find_candidate_works_of_pages(context, read)
    return _align_and_store(
        context,
        claims,
        read,
        {page.id: candidates for (page, _), candidates in zip(read, candidates_by_page, strict=True)},
        lease,
    )


def _align_and_store(
    context: Context,
    claims: Sequence[PageClaim],
    read: Sequence[tuple[Page, TextReading]],
    ranked: Mapping[str, Sequence[Candidate]],
    lease: timedelta | None,
) -> StepResult:
    library = CandidateCache(context, [(reading, ranked.get(page.id, [])) for page, reading in read])
    looks = list(zip(claims, read, strict=True))
    pages = stored_pages(context)
    aligned, failed = try_each(
        looks,
        lambda claim, look: PageLookup(
            *look, compare_with_candidates(context, look[1], ranked.get(claim.id, []), library, pages)
        ),
    )
    kept = store_findings(context, aligned)
    for _, reading in read:
        reading.forget_comparison()
    for id in context.store.pages.gone_ids([claim.id for claim in kept.claims]):
        mark_cases_gone(context, id)  # what it showed before it vanished
    _restart_look_up(context, kept.outdated)
    current = [claim for claim in kept.claims if claim.id not in kept.outdated]
    moved = context.store.pages.go_on(current, Step.DONE, lease)
    _restart_changed_pages(context, current, moved)
    return StepResult(moved, [*failed, *kept.failed])


def _restart_changed_pages(context: Context, looked: Sequence[PageClaim], moved: Sequence[PageClaim]) -> None:
    """Restart the look-up of pages whose text changed during the look-up.

    The stored results belong to the old text, and the look-up of the new text may have been faster and not seen them.
    """
    done = {claim.id for claim in moved}
    lost = {claim.id: claim.record.version for claim in looked if claim.id not in done}
    _restart_look_up(context, [id for id, page in context.store.pages.many(lost).items() if page.version != lost[id]])


def _restart_look_up(context: Context, ids: Collection[str]) -> None:
    again = [id for id in sorted(ids) if context.store.pages.restart(id, Step.LOOK_UP, only_from=_STEPS_AFTER_LOOK_UP)]
    if again:
        context.enqueue(OwnerKind.PAGE, again, Step.LOOK_UP)


def _read_texts(context: Context, claims: Sequence[PageClaim]) -> list[tuple[Page, TextReading]]:
    """Return each page with the main text of its newest capture; empty if it has none."""
    texts = load_readings(
        context, {page.text_digest for page in (claim.record for claim in claims) if page.text_digest}
    )
    pages = [claim.record for claim in claims]
    return [(page, texts[page.text_digest] if page.text_digest else TextReading("")) for page in pages]


WorkClaim = Claim[Work]

TOO_SHORT_NOTE = "too_short"


def fingerprint_work(context: Context, claim: WorkClaim) -> Step | None:
    """Make fingerprints of the text. A text is marked if it, or a copy of it, is too short to be more than a
    quotation.
    """
    text = context.store.blobs.get_text(claim.record.text_digest)
    segments = fingerprint_text(context, OwnerKind.WORK, claim.id, claim.record.version, text)
    short = is_unprotected(segments, text, shortest_passage(context, claim.record))
    context.store.works.set_note(claim.id, TOO_SHORT_NOTE if short else None)
    return _advance_work(context, claim, Step.INDEX)


def index_work(context: Context, claim: WorkClaim) -> Step | None:
    """Add the fingerprints to the index of works, and remove those of an earlier version."""
    again = was_tried_before(claim.record.progress)
    index_owner(context, OwnerKind.WORK, claim.id, again=again)
    index_rare_words(context, [claim.id], again=again)
    return _advance_work(context, claim, Step.LOOK_UP)


def fingerprint_works(context: Context, claims: Sequence[WorkClaim], lease: timedelta | None) -> StepResult:
    """Run `fingerprint_work` for many works."""
    texts = context.store.blobs.get_texts([claim.record.text_digest for claim in claims])
    text_of = {claim.id: texts[claim.record.text_digest] for claim in claims}
    made = fingerprint_texts(
        context,
        OwnerKind.WORK,
        [VersionText(claim.id, claim.record.version, TextReading(text_of[claim.id])) for claim in claims],
    )
    noted: dict[str | None, list[str]] = {TOO_SHORT_NOTE: [], None: []}
    for work in (claim.record for claim in claims if claim.id in made):
        short = is_unprotected(made[work.id], text_of[work.id], shortest_passage(context, work))
        note = TOO_SHORT_NOTE if short else None
        if work.note != note:
            noted[note].append(work.id)
    for note, ids in noted.items():
        context.store.works.set_notes(ids, note)
    # A work with a later stored version is missing; its claim is void.
    return _advance_works(context, [claim for claim in claims if claim.id in made], Step.INDEX, lease)


def index_works(context: Context, claims: Sequence[WorkClaim], _lease: timedelta | None) -> StepResult:
    """Run `index_work` for many works that were not tried before."""
    ids = [claim.id for claim in claims]
    index_owners(context, OwnerKind.WORK, ids)
    index_rare_words(context, ids)
    return _advance_works(context, claims, Step.LOOK_UP, None)  # another worker looks them up


def look_up_work(context: Context, claim: WorkClaim) -> Step | None:
    """Match the work with the stored pages and with the rest of the library, as `look_up_works` does."""
    return next_step(look_up_works(context, [claim], None))


def look_up_works(context: Context, claims: Sequence[WorkClaim], _lease: timedelta | None) -> StepResult:
    """Match works with the stored pages and with the rest of the library.

    Pages that may copy them, and pages that an earlier version was found in, are matched again. For a common text,
    these are the pages that share text with it, and those with leads against works that do.
    """
    conditions = look_up_conditions(context)  # before the look-up: what changes meanwhile makes them outdated
    for batch in _batch_by_length(claims):
        _look_up_works(context, batch)
    done = [replace(claim, step=Step.DONE) for claim in claims]
    if context.store.works.end_look_ups(claims, conditions) < len(claims):
        # A work that was removed meanwhile may be done as well, so all of them are asked whether they were removed.
        repeat_removals(context, [claim.id for claim in claims])
        done = context.store.works.still_held(done, Step.DONE)
    return StepResult(done)


def _look_up_works(context: Context, claims: Sequence[WorkClaim]) -> None:
    readings = load_readings(context, {claim.record.text_digest for claim in claims})
    texts = [(claim.record, readings[claim.record.text_digest]) for claim in claims]
    common_texts = [(work, reading) for work, reading in texts if work.common]
    works = [(work, reading) for work, reading in texts if not work.common]
    again = set[str]()
    for page_ids in find_candidate_pages_of_all(context, [reading for _, reading in works]):
        again.update(page_ids)
    for _, reading in common_texts:
        again |= find_texts_sharing_with(context, reading, OwnerKind.PAGE)
    again |= find_matched_pages(context, [work.id for work, _ in texts])
    _rematch_pages(context, again)
    if works:
        store_overlaps(context, works)
    for work, reading in common_texts:
        rematch_leads_against(context, find_texts_sharing_with(context, reading, OwnerKind.WORK) - {work.id})


def _batch_by_length(claims: Sequence[WorkClaim]) -> Iterator[Sequence[WorkClaim]]:
    """Group works into batches whose texts fit in memory."""
    batch: list[WorkClaim] = []
    for claim in claims:
        if batch and sum(each.record.length for each in batch) + claim.record.length > MAX_CACHED_LETTERS:
            yield batch
            batch = []
        batch.append(claim)
    if batch:
        yield batch


def remove_work(context: Context, claim: WorkClaim) -> Step | None:
    """Remove the work from the index, and match the pages again that it was found in, so that their cases are
    updated.
    """
    context.store.fingerprints.replace(OwnerKind.WORK, claim.id, [])
    remove_retired_fingerprints(context, OwnerKind.WORK, [claim.id])
    _rematch_pages(context, find_matched_pages(context, [claim.id]))
    remove_overlaps(context, claim.id)
    context.store.clusters.leave(Owner.of_work(claim.id))
    return Step.DONE if context.store.works.advance(claim, Step.DONE) else None


def _advance_work(context: Context, claim: WorkClaim, to: Step) -> Step | None:
    """Advance a work. If its claim was lost, it may have been removed; then what this step stored must go too."""
    if context.store.works.advance(claim, to):
        return to
    repeat_removals(context, [claim.id])
    return None


def _advance_works(context: Context, claims: Sequence[WorkClaim], to: Step, lease: timedelta | None) -> StepResult:
    """Advance many works, as `_advance_work` does."""
    moved = context.store.works.go_on(claims, to, lease)
    _repeat_lost_removals(context, claims, moved)
    return StepResult(moved)


def _repeat_lost_removals(context: Context, claims: Sequence[WorkClaim], moved: Sequence[WorkClaim]) -> None:
    if len(moved) < len(claims):
        repeat_removals(context, {claim.id for claim in claims} - {claim.id for claim in moved})


def _rematch_pages(context: Context, page_ids: set[str]) -> None:
    again = context.store.pages.restart_now(sorted(page_ids), Step.LOOK_UP, only_from=LOOKED_UP_STEPS)
    context.enqueue(OwnerKind.PAGE, again, Step.LOOK_UP)
