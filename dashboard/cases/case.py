"""One case: shown, decided on, asked about, given to somebody, commented on."""

from dataclasses import replace

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases import readers_decisions
from dashboard.cases.case_page import case_page
from dashboard.cases.queue.queue_place import place
from dashboard.cases.queue.suspect_filter import wanted
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.mend_links import mending
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day
from services.cases import assignments, comments, second_opinion
from services.cases.who_looked import view
from services.people import preferences
from store.errors import BadInput
from store.records import Case, CaseStatus, Lawsuit
from store.rules.cases.decision_reasons import GROUNDS
from store.rules.role_rights import Right

blueprint = Blueprint("case", __name__, url_prefix="/cases")


@blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """The case with both texts; that somebody saw it is noted once a day."""
    case = services().store.cases.get(str(number))
    view(acting(), case.number)
    return case_page(case)


@blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
def decide(number: int) -> Response | tuple[str, int]:
    """Decide on the case as its reader saw it; a dismissal and a refusal need a reason."""
    case = services().store.cases.get(str(number))
    if request.form.get("seen", case.status) != case.status:  # somebody else was quicker
        return case_page(case, refusal=_moved_meanwhile(case)), 409
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    following = place(case, wanted()).following  # the decision may take the case out of the list
    try:
        notice_at, deadline = beginning(day("notice_at")), beginning(day("deadline"))
        until = beginning(day("until")) if status is CaseStatus.QUIET else None
        decided = readers_decisions.decide(
            [case.number],
            status,
            _reason(status),
            notice_at=notice_at,
            deadline=deadline,
            until=until,
            lawsuit=_lawsuit() if status is CaseStatus.COURT else None,
        )
    except BadInput as error:
        return case_page(case, refusal=error.message.text(language()), mend=mending(error.message)), 400
    if decided.moved:
        flash(t(f"case.done_{status}", number=number), "decided")
    else:
        flash(t("case.stayed", number=number, ways=readers_decisions.ways_from([number])))
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
        return case_page(case, refusal=error.message.text(language())), 400
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
        return case_page(case, refusal=error.message.text(language())), 400
    return redirect(_address(number) + "#comments", 303)


@blueprint.post("/<int:number>/undo")
@needs(Right.DECIDE)
def undo(number: int) -> Response:
    """Take the last decision of this reader back."""
    undone = readers_decisions.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(_address(number), 303)


def _moved_meanwhile(case: Case) -> str:
    """Where the case stands by now, and by whom."""
    by = t("case.moved_by", name=case.decided_by) if case.decided_by else ""
    return t("case.moved_meanwhile", number=case.number, status=t(f"status.{case.status}"), by=by)


def _reason(status: CaseStatus) -> str:
    """What was written, after the ground that was chosen for a confirmation."""
    ground = request.form.get("ground")
    chosen = t(f"ground.{ground}") if status is CaseStatus.CONFIRMED and ground in GROUNDS else None
    return "：".join(filter(None, (chosen, request.form.get("reason"))))


def _lawsuit() -> Lawsuit:
    filed_at = beginning(day("filed_at")) or services().product.now()
    return Lawsuit(court=request.form.get("court", ""), number=request.form.get("court_number", ""), filed_at=filed_at)


def _address(number: int) -> str:
    """The case, opened from the same list as now."""
    return url_for("case.show", number=number, _external=False, **wanted().arguments())
