"""The way of a work, from its text to the pages that may have copied it."""

from collections.abc import Sequence
from datetime import timedelta

from matcher.verdict.shortest_protected_work import too_short
from pipeline.context import Context
from pipeline.library.removed_during_step import remove_again
from pipeline.matching import fingerprints
from pipeline.matching.candidates import pages_like
from pipeline.matching.fingerprints import VersionText, tried_before
from pipeline.matching.rare_words_of_works import index_rare_words
from pipeline.matching.rematch_of_leads import LOOKED_UP
from pipeline.matching.text_with_letters import Reading
from pipeline.matching.works_like_other_works import drop_overlaps, note_overlaps, pages_matched
from pipeline.outcome_of_step import Moved
from store.ports import Claim
from store.records import Owner, OwnerKind, Step, Work

WorkClaim = Claim[Work]

TOO_SHORT = "too_short"


def fingerprint_work(context: Context, claim: WorkClaim) -> Step | None:
    """Text -> fingerprints. A text too short for them, or for a copy of it to be more than a quotation, is marked."""
    text = context.store.blobs.get_text(claim.record.text_digest)
    segments = fingerprints.fingerprint(context, OwnerKind.WORK, claim.id, claim.record.version, text)
    context.store.works.set_note(claim.id, TOO_SHORT if too_short(segments, text) else None)
    return _advance(context, claim, Step.INDEX)


def index_work(context: Context, claim: WorkClaim) -> Step | None:
    """Fingerprints -> the index over works; what stood there for an earlier version goes."""
    again = tried_before(claim.record.progress)
    fingerprints.index(context, OwnerKind.WORK, claim.id, again=again)
    index_rare_words(context, [claim.id], again=again)
    return _advance(context, claim, Step.LOOK_UP)


def fingerprint_works(context: Context, claims: Sequence[WorkClaim], lease: timedelta | None) -> Moved:
    """As `fingerprint_work`, for many."""
    texts = context.store.blobs.get_texts([claim.record.text_digest for claim in claims])
    of = {claim.id: texts[claim.record.text_digest] for claim in claims}
    made = fingerprints.fingerprint_all(
        context,
        OwnerKind.WORK,
        [VersionText(claim.id, claim.record.version, Reading(of[claim.id])) for claim in claims],
    )
    short = [id for id, segments in made.items() if too_short(segments, of[id])]
    context.store.works.set_notes(short, TOO_SHORT)
    context.store.works.set_notes(list(made.keys() - short), None)
    # An owner of a later version is not among them; its claim is void.
    return _go_on(context, [claim for claim in claims if claim.id in made], Step.INDEX, lease)


def index_works(context: Context, claims: Sequence[WorkClaim], lease: timedelta | None) -> Moved:
    """As `index_work`, for many that were not tried before."""
    ids = [claim.id for claim in claims]
    fingerprints.index_all(context, OwnerKind.WORK, ids)
    index_rare_words(context, ids)
    return _go_on(context, claims, Step.LOOK_UP, lease)


def look_up_work(context: Context, claim: WorkClaim) -> Step | None:
    """The work against the pages already stored, and against the rest of the library.

    The pages that it may have been copied to, and those that an earlier version was found in, are matched anew.
    """
    reading = Reading(context.store.blobs.get_text(claim.record.text_digest))
    _match_anew(context, {*pages_like(context, reading), *pages_matched(context, claim.id)})
    note_overlaps(context, claim.record, reading)
    return _advance(context, claim, Step.DONE)


def remove_work(context: Context, claim: WorkClaim) -> Step | None:
    """Out of the index; the pages that it was found in are matched anew, so that their cases say so."""
    context.store.fingerprints.replace(OwnerKind.WORK, claim.id, [])
    fingerprints.take_out_retired(context, OwnerKind.WORK, [claim.id])
    _match_anew(context, pages_matched(context, claim.id))
    drop_overlaps(context, claim.id)
    context.store.clusters.leave(Owner.of_work(claim.id))
    return Step.DONE if context.store.works.advance(claim, Step.DONE) else None


def _advance(context: Context, claim: WorkClaim, to: Step) -> Step | None:
    """Move one on. Where its claim was lost, it may have been removed, and what this step has kept of it has to go."""
    if context.store.works.advance(claim, to):
        return to
    remove_again(context, [claim.id])
    return None


def _go_on(context: Context, claims: Sequence[WorkClaim], to: Step, lease: timedelta | None) -> Moved:
    """The same for many."""
    moved = context.store.works.go_on(claims, to, lease)
    if len(moved) < len(claims):
        remove_again(context, {claim.id for claim in claims} - {claim.id for claim in moved})
    return Moved(moved)


def _match_anew(context: Context, page_ids: set[str]) -> None:
    restart = context.store.pages.restart
    again = [id for id in sorted(page_ids) if restart(id, Step.LOOK_UP, only_from=LOOKED_UP)]
    context.enqueue(OwnerKind.PAGE, again, Step.LOOK_UP)
