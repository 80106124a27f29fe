"""The way of a work, from its text to the pages that may have copied it."""

from collections.abc import Sequence

from matcher.verdict.decide import QUOTATION
from pipeline.context import App
from pipeline.matching import fingerprints
from pipeline.matching.clustering import work_member
from pipeline.matching.fingerprints import Text, tried_before
from pipeline.matching.look_up import pages_like
from pipeline.matching.overlaps import OVERLAP, drop_overlaps, note_overlaps
from store.ports import Claim
from store.records import OwnerKind, Step, Work

WorkClaim = Claim[Work]

TOO_SHORT = "too_short"
_LOOKED_UP_BEFORE = (Step.LOOK_UP, Step.ALIGN, Step.DONE)  # a page before these steps will meet the work by itself


def fingerprint_work(app: App, claim: WorkClaim) -> Step | None:
    """Text -> fingerprints. A text too short for them, or for a copy of it to be more than a quotation, is marked."""
    text = app.store.blobs.get_text(claim.record.text_digest)
    segments = fingerprints.fingerprint(app, OwnerKind.WORK, claim.id, claim.record.version, text)
    app.store.works.set_note(claim.id, TOO_SHORT if _is_short(segments, text) else None)
    return _on(app, claim, Step.INDEX)


def index_work(app: App, claim: WorkClaim) -> Step | None:
    """Fingerprints -> the index over works; what stood there for an earlier version goes."""
    fingerprints.index(app, OwnerKind.WORK, claim.id, again=tried_before(claim.record.progress))
    return _on(app, claim, Step.LOOK_UP)


def fingerprint_works(app: App, claims: Sequence[WorkClaim]) -> tuple[list[str], Step]:
    """As `fingerprint_work`, for many."""
    texts = app.store.blobs.get_texts([claim.record.text_digest for claim in claims])
    of = {claim.id: texts[claim.record.text_digest] for claim in claims}
    made = fingerprints.fingerprint_all(
        app, OwnerKind.WORK, [Text(claim.id, claim.record.version, of[claim.id]) for claim in claims]
    )
    short = [id for id, segments in made.items() if _is_short(segments, of[id])]
    app.store.works.set_notes(short, TOO_SHORT)
    app.store.works.set_notes(list(made.keys() - short), None)
    # An owner of a later version is not among them; its claim is void.
    return app.store.works.advance_all([claim for claim in claims if claim.id in made], Step.INDEX), Step.INDEX


def index_works(app: App, claims: Sequence[WorkClaim]) -> tuple[list[str], Step]:
    """As `index_work`, for many that were not tried before."""
    fingerprints.index_all(app, OwnerKind.WORK, [claim.id for claim in claims])
    return app.store.works.advance_all(claims, Step.LOOK_UP), Step.LOOK_UP


def look_up_work(app: App, claim: WorkClaim) -> Step | None:
    """The work against the pages already stored, and against the rest of the library.

    The pages that it may have been copied to, and those that an earlier version was found in, are matched anew.
    """
    text = app.store.blobs.get_text(claim.record.text_digest)
    _match_anew(app, {*pages_like(app, text), *_pages_matched(app, claim.id)})
    note_overlaps(app, claim.record, text)
    return _on(app, claim, Step.DONE)


def remove_work(app: App, claim: WorkClaim) -> Step | None:
    """Out of the index; the pages that it was found in are matched anew, so that their cases say so."""
    app.store.fingerprints.replace(OwnerKind.WORK, claim.id, [])
    fingerprints.take_out_retired(app, OwnerKind.WORK, [claim.id])
    _match_anew(app, _pages_matched(app, claim.id))
    drop_overlaps(app, claim.id)
    app.store.clusters.leave(work_member(claim.record).id)
    return _on(app, claim, Step.DONE)


def _is_short(segments: int, text: str) -> bool:
    return not segments or len(text.strip()) < QUOTATION


def _on(app: App, claim: WorkClaim, to: Step) -> Step | None:
    return to if app.store.works.advance(claim, to) else None


def _pages_matched(app: App, work_id: str) -> set[str]:
    sides = (match.page_id for match in app.store.matches.of_work(work_id))
    return {side for side in sides if not side.startswith(OVERLAP)}


def _match_anew(app: App, page_ids: set[str]) -> None:
    for id in sorted(page_ids):
        if app.store.pages.restart(id, Step.LOOK_UP, only_from=_LOOKED_UP_BEFORE):
            app.enqueue(OwnerKind.PAGE, id, Step.LOOK_UP)
