"""One case: the two texts side by side, the evidence, and the decision."""

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.language import t
from dashboard.panes import Piece, Span, pieces
from dashboard.reasons import words
from dashboard.services import services
from store.errors import NotFound
from store.ports import Blobs
from store.records import Case, CaseStatus, Passage

blueprint = Blueprint("case", __name__, url_prefix="/cases")

_REASON_LENGTH: Final = 1_000
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two texts; None when the store has lost it."""

    pieces: list[Piece] | None
    length: int


@blueprint.get("/<int:number>")
def show(number: int) -> str:
    """The case with both texts."""
    return _page(services().store.cases.get(str(number)))


@blueprint.post("/<int:number>/decision")
def decide(number: int) -> Response | tuple[str, int]:
    """Confirm, dismiss (with a reason) or open again."""
    store = services().store
    case = store.cases.get(str(number))
    reason = request.form.get("reason", "").strip()[:_REASON_LENGTH] or None
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    if status is CaseStatus.DISMISSED and reason is None:
        return _page(case, refusal=t("case.reason_needed")), 400
    store.cases.decide(case.id, status, by=g.user, reason=reason, at=services().clock())
    flash(t(f"case.done_{status}", number=number))
    return redirect(url_for("case.show", number=number), 303)


def _page(case: Case, refusal: str | None = None) -> str:
    store = services().store
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    passages = list(enumerate(sorted(case.match.passages, key=lambda p: (p.page_start, p.work_start)), 1))
    return render_template(
        "case.html",
        case=case,
        match=case.match,
        passages=passages,
        by_length=sorted(passages, key=lambda row: row[1].page_start - row[1].page_end),
        page=_pane(store.blobs, case.page_text_digest, passages, of_page=True),
        work=_pane(store.blobs, case.work_text_digest, passages, of_page=False),
        reasons=[words(reason) for reason in case.match.reasons],
        licence=licences.get(case.licence_id or ""),
        headers=[(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        next_lead=_next_lead(case),
        refusal=refusal,
    )


def _pane(blobs: Blobs, digest: str, passages: list[tuple[int, Passage]], *, of_page: bool) -> Pane:
    try:
        text = blobs.get_text(digest)
    except NotFound:
        return Pane(None, 0)
    borders = [(n, (p.page_start, p.page_end) if of_page else (p.work_start, p.work_end), p) for n, p in passages]
    spans = [Span(number, start, end, passage.change) for number, (start, end), passage in borders]
    return Pane(pieces(text, spans), len(text))


def _next_lead(case: Case) -> Case | None:
    """Another case that waits for a decision."""
    leads = services().store.cases.find(status=CaseStatus.LEAD, limit=2)
    return next((lead for lead in leads if lead.id != case.id), None)
