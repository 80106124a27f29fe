"""One case: the two texts side by side, the evidence, and the decision."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import decisions
from dashboard.cases.exclusions import left_out
from dashboard.cases.queue.queue_place import place
from dashboard.cases.queue.suspect_filter import wanted
from dashboard.cases.side_by_side.ruler import bands, source_stretches
from dashboard.cases.side_by_side.sources import PageSource, found_together, largest, sources, together
from dashboard.cases.side_by_side.suspicion import is_copied, with_sentences
from dashboard.cases.side_by_side.texts import numbered, texts
from dashboard.frame.asked import beginning, day
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.mending import mending
from dashboard.frame.permissions import needs
from dashboard.frame.reason_words import weighed, worth_text
from matcher.verdict.shares import Side, copied
from services.cases import assignments, comments, second_opinion
from services.cases.captures import SHOWN, fetches
from services.cases.decisions import NOTE_LENGTH, judgements, open_to
from services.cases.places import places_of
from services.cases.removed_works import removed_works
from services.cases.viewing import view
from services.evidence.exhibits import of_case
from services.people import preferences
from store.errors import BadInput
from store.records import Case, CaseStatus
from store.rules.cases.case_path import proposed
from store.rules.rights import Right

blueprint = Blueprint("case", __name__, url_prefix="/cases")

_OTHERS: Final = 6
_WORKS: Final = 30  # of one page, listed
_SOURCES: Final = 200  # of one page, marked in its text
UNMATCHED: Final = "unmatched"  # in the address, beside the numbers of cases
_PATH: Final = (
    (CaseStatus.LEAD,),
    (CaseStatus.CONFIRMED,),
    (CaseStatus.NOTICE_SENT,),
    (CaseStatus.REMOVED, CaseStatus.REFUSED, CaseStatus.COUNTERED),
    (CaseStatus.ESCALATED,),
    (CaseStatus.SETTLED, CaseStatus.LICENSED, CaseStatus.CLOSED),
)
_SERVER_HEADERS: Final = ("server", "content-type", "last-modified", "date", "via")


@blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """The case with both texts; that somebody saw it is noted once a day."""
    case = services().store.cases.get(str(number))
    view(acting(), case.number)
    return _page(case)


@blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
def decide(number: int) -> Response | tuple[str, int]:
    """Decide on the case; a dismissal and a refusal need a reason."""
    case = services().store.cases.get(str(number))
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    following = place(case, wanted()).following  # the decision may take the case out of the list
    try:
        notice_at, deadline = beginning(day("notice_at")), beginning(day("deadline"))
        until = beginning(day("until")) if status is CaseStatus.QUIET else None
        decided = decisions.decide(
            [case.number], status, request.form.get("reason"), notice_at=notice_at, deadline=deadline, until=until
        )
    except BadInput as error:
        return _page(case, refusal=error.message.text(language()), mend=mending(error.message)), 400
    if decided.moved:
        flash(t(f"case.done_{status}", number=number), "decided")
    else:
        flash(t("case.stayed", number=number))
    goes_on = decided.moved and following and preferences.preferences(acting()).goes_on
    return redirect(_address(following if goes_on and following else number), 303)


@blueprint.post("/<int:number>/going-on")
@needs(Right.READ)
def go_on(number: int) -> Response:
    """Keep whether the next case opens by itself after a decision."""
    liked = preferences.preferences(acting())
    preferences.prefer(acting(), replace(liked, goes_on=bool(request.form.get("goes_on"))))
    return redirect(_address(number) + "#decision", 303)


@blueprint.post("/<int:number>/question")
@needs(Right.DECIDE)
def ask(number: int) -> Response | tuple[str, int]:
    """Ask somebody for a second opinion."""
    case = services().store.cases.get(str(number))
    try:
        second_opinion.ask(acting(), [case.number], request.form.get("name", ""), request.form.get("question"))
    except BadInput as error:
        return _page(case, refusal=error.message.text(language())), 400
    flash(t("case.asked_now", name=request.form.get("name", "").strip().removeprefix("@")))
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


def _page(case: Case, refusal: str | None = None, mend: str | None = None) -> str:
    case = with_sentences(case)
    store, chosen = services().store, wanted()
    licences = {licence.id: licence for licence in store.licences.all()} if case.licence_id else {}
    copies, also = _others(case)
    each = _sources(case, also)
    shown = _shown(each)
    both = texts(services().product, case, [one.case.match for one in each], shown)
    passages = numbered(case.match)
    places, pictured = places_of(services().product, case)
    return render_template(
        "cases/case.html",
        case=case,
        removed=removed_works(services().product, [case]),
        match=case.match,
        passages=passages,
        places=places,
        pictured=pictured,
        by_length=sorted(passages, key=lambda row: -copied([row[1]], Side.PAGE)),
        texts=both,
        bands=bands(passages, both.page.length, both.work.length),
        from_others=[(one, source_stretches(one.case.match, both.page.length)) for one in each[1:]],
        copies=copies,
        copy_count=store.cases.count(work_id=case.work_id) - 1,
        also=also[:_WORKS],
        sources=each,
        more_sources=store.cases.count(page_id=case.page_id) - 1 - len(also) if len(also) == _SOURCES else 0,
        share_together=together(each, both.page.length),
        largest=largest(each),
        shown=shown,
        unmatched_shown=UNMATCHED in (_asked() or [UNMATCHED]),
        fetches=fetches(services().product, case.page_id, case.capture),
        fetches_shown=SHOWN,
        exhibits=of_case(services().product, case.number),
        vanished=next((one for one in store.pages.many([case.page_id]).values() if one.gone_at is not None), None),
        steps=_PATH,
        passed={move.status for move in case.history} | ({CaseStatus.LEAD} if is_copied(case) else set()),
        following=open_to(acting(), case),
        judged=judgements(acting(), case),
        proposed=proposed(case),
        certain=services().product.settings.matcher.certain_score,
        comments=store.comments.of_case(case.number),
        people=[user.name for user in store.users.all()],
        worth=worth_text(case.match),
        reasons=weighed(case.match.reasons),
        licence=licences.get(case.licence_id or ""),
        left_out=left_out(case),
        headers=[(name, value) for name, value in case.capture.headers if name.lower() in _SERVER_HEADERS],
        place=place(case, chosen),
        here=chosen.arguments(),
        take_back=url_for("case.undo", number=case.number, _external=False, **chosen.arguments()),
        refusal=refusal,
        mend=mend,
        goes_on=preferences.preferences(acting()).goes_on,
        note_length=NOTE_LENGTH,
        assignee_length=assignments.ASSIGNEE_LENGTH,
        comment_length=comments.COMMENT_LENGTH,
        undoable=decisions.undoable(),
    )


def _others(case: Case) -> tuple[list[Case], list[Case]]:
    """Other copies of the work, and other works that the page copies; the newest. No suspicion is a copy."""
    cases = services().store.cases
    copies = cases.find(work_id=case.work_id, limit=_OTHERS + 1)
    also = cases.find(page_id=case.page_id, limit=_SOURCES + 1)
    return (
        [one for one in copies if one.id != case.id][:_OTHERS],
        [one for one in also if one.id != case.id and is_copied(one) and is_copied(case)][:_SOURCES],
    )


def _sources(case: Case, others: Sequence[Case]) -> list[PageSource]:
    found = found_together(case, others)
    named = {id for one in found for id in one.match.also_in} - {one.work_id for one in found}
    titles = {id: work.title for id, work in services().store.works.many(named).items()}
    return sources(found, titles)


def _asked() -> list[str] | None:
    """The cases that the address wants to see marked, and UNMATCHED; None where it does not say."""
    return request.args.getlist("shown") or None


def _shown(sources: Sequence[PageSource]) -> set[int]:
    """The numbers of the sources that are marked; all unless the address says otherwise."""
    asked = _asked()
    return {one.number for one in sources if asked is None or str(one.case.number) in asked}


def _address(number: int) -> str:
    """The case, opened from the same list as now."""
    return url_for("case.show", number=number, _external=False, **wanted().arguments())
