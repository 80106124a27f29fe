"""One case: the two texts side by side, the evidence, and the decision."""

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard import triage
from dashboard.casework import NOTE_LENGTH
from dashboard.changes import typed, whole
from dashboard.language import t
from dashboard.panes import Piece, pieces
from dashboard.permissions import Right, needs
from dashboard.reasons import words
from dashboard.ruler import bands
from dashboard.services import services
from store.errors import NotFound
from store.ports import Blobs
from store.records import Capture, Case, CaseStatus, Passage

blueprint = Blueprint("case", __name__, url_prefix="/cases")

_OTHERS: Final = 6
_CAPTURES: Final = 20
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two texts; None when the store has lost it."""

    pieces: list[Piece] | None
    length: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """A capture, and what differs from the one before it; None where none came before."""

    capture: Capture
    body_changed: bool | None
    status_changed: bool
    grown: int  # bytes
    shown: bool  # the copy was found in this one


@blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """The case with both texts."""
    return _page(services().store.cases.get(str(number)))


@blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
def decide(number: int) -> Response | tuple[str, int]:
    """Confirm, dismiss (with a reason) or open again."""
    case = services().store.cases.get(str(number))
    reason = request.form.get("reason", "").strip()[: NOTE_LENGTH] or None
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    if status is CaseStatus.DISMISSED and reason is None:
        return _page(case, refusal=t("case.reason_needed")), 400
    triage.move([case.number], status, reason)
    flash(t(f"case.done_{status}", number=number))
    return redirect(url_for("case.show", number=number), 303)


@blueprint.post("/<int:number>/undo")
@needs(Right.DECIDE)
def undo(number: int) -> Response:
    """Take the last decision of this reader back."""
    undone = triage.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(url_for("case.show", number=number), 303)


def _page(case: Case, refusal: str | None = None) -> str:
    store = services().store
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    passages = list(enumerate(sorted(case.match.passages, key=lambda p: (p.page_start, p.work_start)), 1))
    page, work = _panes(case, passages)
    copies, also = _others(case)
    return render_template(
        "case.html",
        case=case,
        match=case.match,
        passages=passages,
        by_length=sorted(passages, key=lambda row: row[1].page_start - row[1].page_end),
        page=page,
        work=work,
        bands=bands(passages, page.length, work.length),
        copies=copies,
        copy_count=store.cases.count(work_id=case.work_id) - 1,
        also=also,
        fetches=_fetches(case),
        fetches_shown=_CAPTURES,
        reasons=[words(reason) for reason in case.match.reasons],
        licence=licences.get(case.licence_id or ""),
        headers=[(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        next_lead=_next_lead(case),
        refusal=refusal,
        undoable=triage.undoable(),
    )


def _panes(case: Case, passages: list[tuple[int, Passage]]) -> tuple[Pane, Pane]:
    """Both texts, cut where their passages and the changes inside them begin and end."""
    blobs = services().store.blobs
    page, work = _text(blobs, case.page_text_digest), _text(blobs, case.work_text_digest)
    spans = whole(passages) if page is None or work is None else typed(page, work, passages)
    return (
        Pane(None if page is None else pieces(page, spans.page), len(page or "")),
        Pane(None if work is None else pieces(work, spans.work), len(work or "")),
    )


def _text(blobs: Blobs, digest: str) -> str | None:
    try:
        return blobs.get_text(digest)
    except NotFound:
        return None


def _others(case: Case) -> tuple[list[Case], list[Case]]:
    """Other copies of the work, and other works that the page copies; the newest."""
    cases = services().store.cases
    copies = cases.find(work_id=case.work_id, limit=_OTHERS + 1)
    also = cases.find(page_id=case.page_id, limit=_OTHERS + 1)
    return (
        [one for one in copies if one.id != case.id][:_OTHERS],
        [one for one in also if one.id != case.id][:_OTHERS],
    )


def _fetches(case: Case) -> list[Fetch]:
    """The newest captures of the page, each beside the one before it."""
    captures = services().store.pages.captures(case.page_id, limit=_CAPTURES + 1)
    befores: list[Capture | None] = [*captures[1:], None]
    rows = [
        Fetch(
            one,
            None if before is None else before.body_digest != one.body_digest,
            before is not None and before.status != one.status,
            0 if before is None else one.body_size - before.body_size,
            (one.fetched_at, one.body_digest) == (case.capture.fetched_at, case.capture.body_digest),
        )
        for one, before in zip(captures, befores, strict=True)
    ]
    return rows[:_CAPTURES]


def _next_lead(case: Case) -> Case | None:
    """Another case that waits for a decision."""
    leads = services().store.cases.find(status=CaseStatus.LEAD, limit=2)
    return next((lead for lead in leads if lead.id != case.id), None)
