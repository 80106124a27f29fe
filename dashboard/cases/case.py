"""One case: the two texts side by side, the evidence, and the decision."""

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import decisions
from dashboard.cases.changes import typed, whole
from dashboard.cases.exclusions import left_out
from dashboard.cases.panes import Piece, chunks, pieces
from dashboard.cases.queue_place import place
from dashboard.cases.ruler import bands
from dashboard.cases.sources import sources
from dashboard.cases.suspect_filter import wanted
from dashboard.frame.asked import beginning, day
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import may, needs
from dashboard.frame.reasons import reason_text, worth_text
from services.cases import assignments, comments
from services.cases.captures import SHOWN, fetches
from services.cases.decisions import NOTE_LENGTH, open_to
from store.errors import BadInput, NotFound
from store.ports import Blobs
from store.records import Case, CaseStatus, Passage
from store.rules.case_path import proposed
from store.rules.rights import Right

blueprint = Blueprint("case", __name__, url_prefix="/cases")

_OTHERS: Final = 6
_WORKS: Final = 30  # of one page
_PATH: Final = (
    (CaseStatus.LEAD,),
    (CaseStatus.CONFIRMED,),
    (CaseStatus.NOTICE_SENT,),
    (CaseStatus.REMOVED, CaseStatus.REFUSED),
    (CaseStatus.ESCALATED,),
)
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two texts; None when the store has lost it."""

    chunks: list[list[Piece]] | None
    length: int


@blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """The case with both texts."""
    return _page(services().store.cases.get(str(number)))


@blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
def decide(number: int) -> Response | tuple[str, int]:
    """Decide on the case; a dismissal and a refusal need a reason."""
    case = services().store.cases.get(str(number))
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    try:
        notice_at, deadline = beginning(day("notice_at")), beginning(day("deadline"))
        decided = decisions.decide(
            [case.number], status, request.form.get("reason"), notice_at=notice_at, deadline=deadline
        )
    except BadInput as error:
        return _page(case, refusal=error.message.text(language())), 400
    flash(t(f"case.done_{status}", number=number) if decided.moved else t("case.stayed", number=number))
    return redirect(_address(number), 303)


@blueprint.post("/<int:number>/assignee")
@needs(Right.ASSIGN)
def assign(number: int) -> Response:
    """Give the case to somebody, or to nobody."""
    case = services().store.cases.get(str(number))
    name = assignments.assign(acting(), [case.number], request.form.get("assignee")).assignee
    flash(t("suspects.assigned", count=1, name=name) if name else t("suspects.unassigned", count=1))
    return redirect(_address(number), 303)


@blueprint.post("/<int:number>/comments")
@needs(Right.COMMENT)
def comment(number: int) -> Response | tuple[str, int]:
    """Say something about the case."""
    case = services().store.cases.get(str(number))
    try:
        comments.comment(acting(), case.number, request.form.get("comment", ""))
    except BadInput as error:
        return _page(case, refusal=error.message.text(language())), 400
    return redirect(_address(number) + "#comments", 303)


@blueprint.post("/<int:number>/undo")
@needs(Right.DECIDE)
def undo(number: int) -> Response:
    """Take the last decision of this reader back."""
    undone = decisions.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(_address(number), 303)


def _page(case: Case, refusal: str | None = None) -> str:
    store, chosen = services().store, wanted()
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
        sources=sources([one for one in [case, *also] if one.page_text_digest == case.page_text_digest], page.length),
        fetches=fetches(services().product, case),
        fetches_shown=SHOWN,
        vanished=next((one for one in store.pages.many([case.page_id]).values() if one.gone_at is not None), None),
        steps=_PATH,
        passed={move.status for move in case.history} | {CaseStatus.LEAD},
        following=open_to(acting(), case),
        proposed=proposed(case),
        certain=services().product.settings.matcher.certain_score,
        comments=store.comments.of_case(case.number),
        people=[user.name for user in store.users.all()] if may(Right.ASSIGN) else [],
        worth=worth_text(case.match),
        reasons=[reason_text(reason) for reason in case.match.reasons],
        licence=licences.get(case.licence_id or ""),
        left_out=left_out(case),
        headers=[(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        place=place(case, chosen),
        here=chosen.arguments(),
        refusal=refusal,
        note_length=NOTE_LENGTH,
        assignee_length=assignments.ASSIGNEE_LENGTH,
        comment_length=comments.COMMENT_LENGTH,
        undoable=decisions.undoable(),
    )


def _panes(case: Case, passages: list[tuple[int, Passage]]) -> tuple[Pane, Pane]:
    """Both texts, cut where their passages and the changes inside them begin and end."""
    blobs = services().store.blobs
    page, work = _text(blobs, case.page_text_digest), _text(blobs, case.work_text_digest)
    spans = whole(passages) if page is None or work is None else typed(page, work, passages)
    return (
        Pane(None if page is None else chunks(pieces(page, spans.page)), len(page or "")),
        Pane(None if work is None else chunks(pieces(work, spans.work)), len(work or "")),
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
    also = cases.find(page_id=case.page_id, limit=_WORKS + 1)
    return (
        [one for one in copies if one.id != case.id][:_OTHERS],
        [one for one in also if one.id != case.id][:_WORKS],
    )


def _address(number: int) -> str:
    """The case, opened from the same list as now."""
    return url_for("case.show", number=number, _external=False, **wanted().arguments())
