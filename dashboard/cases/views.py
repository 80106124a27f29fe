"""Show one case, and record decisions, questions, assignments and comments on it."""

from dataclasses import replace

from flask import Blueprint, abort, flash, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.cases.case_page import render_case
from dashboard.cases.queue_page import queue_place
from dashboard.cases.selection import describe_ways, requested_filter, undo_last_decision
from dashboard.frame.context import current_actor, fix_link, language, services, t
from dashboard.frame.requests import day_field, day_start, is_script_request
from dashboard.frame.security import needs
from wenhen.accounts.users import get_preferences, set_preferences
from wenhen.alerts.mentions import comment_on_case, correct_own_comment
from wenhen.cases.amounts import DEFAULT_CURRENCY, add_amount, remove_amount
from wenhen.cases.comments import withdraw_comment
from wenhen.cases.decisions import ask_second_opinion, assign_cases, decide_cases
from wenhen.cases.model import AmountKind, Case, CaseStatus, Lawsuit
from wenhen.cases.rules import CONFIRMATION_GROUNDS
from wenhen.cases.service import record_case_view
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right

case_blueprint = Blueprint("case", __name__, url_prefix="/cases")


@case_blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """Show the case with both texts. Record once a day that the reader viewed it."""
    case = services().store.cases.get(str(number))
    record_case_view(current_actor(), case.number)
    return render_case(case)


@case_blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
def decide(number: int) -> ResponseReturnValue:
    """Decide on the case in the state that the reader saw. A dismissal and a refusal require a reason."""
    case = services().store.cases.get(str(number))
    if request.form.get("seen", case.status) != case.status:  # somebody else has decided in the meantime
        return render_case(case, refusal=_current_standing(case)), 409
    try:
        status = CaseStatus(request.form.get("status", ""))
    except ValueError:
        abort(400)
    following = queue_place(case, requested_filter()).following  # before the decision, which may remove the case
    try:
        notice_at, deadline = day_start(day_field("notice_at")), day_start(day_field("deadline"))
        until = day_start(day_field("until")) if status is CaseStatus.QUIET else None
        decided = decide_cases(
            current_actor(),
            [case.number],
            status,
            note=_reason_argument(status),
            notice_at=notice_at,
            deadline=deadline,
            until=until,
            lawsuit=_lawsuit_argument() if status is CaseStatus.COURT else None,
            undoable=True,
        )
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language()), mend=fix_link(error.message)), 400
    if decided.moved and until is not None:
        flash(t("case.done_quiet_until", number=number, day=china_day(until).isoformat()), "decided")
    elif decided.moved:
        flash(t(f"case.done_{status}", number=number), "decided")
    else:
        flash(t("case.stayed", number=number, ways=describe_ways([number])))
    goes_on = decided.moved and following and get_preferences(current_actor()).goes_on
    address = _case_address(following if goes_on and following else number)
    return jsonify(location=address) if is_script_request() else redirect(address, 303)


@case_blueprint.post("/<int:number>/going-on")
@needs(Right.READ)
def go_on(number: int) -> Response:
    """Save whether the next case opens automatically after a decision."""
    liked = get_preferences(current_actor())
    set_preferences(current_actor(), replace(liked, goes_on=bool(request.form.get("goes_on"))))
    return redirect(_case_address(number) + "#decision", 303)


@case_blueprint.post("/<int:number>/question")
@needs(Right.DECIDE)
def ask(number: int) -> Response | tuple[str, int]:
    """Ask a user for a second opinion."""
    case = services().store.cases.get(str(number))
    try:
        ask_second_opinion(current_actor(), [case.number], request.form.get("name", ""), request.form.get("question"))
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language())), 400
    flash(t("case.asked_now", name=request.form.get("name", "").strip().removeprefix("@")))
    return redirect(_case_address(number), 303)


@case_blueprint.post("/<int:number>/assignee")
@needs(Right.ASSIGN)
def assign(number: int) -> Response | tuple[str, int]:
    """Assign the case to a user, or remove its assignment."""
    case = services().store.cases.get(str(number))
    try:
        name = assign_cases(current_actor(), [case.number], request.form.get("assignee")).assignee
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language())), 400
    flash(t("suspects.assigned", count=1, name=name) if name else t("suspects.unassigned", count=1))
    return redirect(_case_address(number), 303)


@case_blueprint.post("/<int:number>/comments")
@needs(Right.COMMENT)
def comment(number: int) -> Response | tuple[str, int]:
    """Add a comment to the case."""
    case = services().store.cases.get(str(number))
    try:
        comment_on_case(current_actor(), case.number, request.form.get("comment", ""))
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language())), 400
    return redirect(_case_address(number) + "#comments", 303)


@case_blueprint.post("/<int:number>/comments/<string:id>")
@needs(Right.COMMENT)
def correct(number: int, id: str) -> Response | tuple[str, int]:
    """Correct or withdraw a comment of the reader."""
    case = services().store.cases.get(str(number))
    try:
        if request.form.get("change") == "withdraw":
            withdraw_comment(current_actor(), number, id)
            flash(t("case.comment_withdrawn"))
        else:
            correct_own_comment(current_actor(), number, id, request.form.get("comment", ""))
            flash(t("case.comment_corrected"))
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language())), 400
    return redirect(_case_address(number) + "#comments", 303)


@case_blueprint.post("/<int:number>/amounts")
@needs(Right.PROCEED)
def record_money(number: int) -> Response | tuple[str, int]:
    """Record an amount of money of the case."""
    case, form = services().store.cases.get(str(number)), request.form
    try:
        kind = AmountKind(form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        add_amount(
            current_actor(),
            case.number,
            kind,
            form.get("amount", ""),
            currency=form.get("currency", DEFAULT_CURRENCY),
            day=day_field("day"),
            note=form.get("note"),
        )
    except BadInput as error:
        return render_case(case, refusal=error.message.text(language())), 400
    flash(t("case.amount_added"))
    return redirect(_case_address(number) + "#money", 303)


@case_blueprint.post("/<int:number>/amounts/remove")
@needs(Right.PROCEED)
def remove_money(number: int) -> Response:
    """Remove an amount of money that was recorded by mistake."""
    remove_amount(current_actor(), number, request.form.get("id", ""))
    flash(t("case.amount_removed"))
    return redirect(_case_address(number) + "#money", 303)


@case_blueprint.post("/<int:number>/undo")
@needs(Right.DECIDE)
def undo(number: int) -> Response:
    """Undo the reader's last decision."""
    flash(undo_last_decision())
    return redirect(_case_address(number), 303)


def _current_standing(case: Case) -> str:
    """Describe the current status of the case, and who set it."""
    by = t("case.moved_by", name=case.decided_by) if case.decided_by else ""
    return t("case.moved_meanwhile", number=case.number, status=t(f"status.{case.status}"), by=by)


def _reason_argument(status: CaseStatus) -> str:
    """Return the entered reason, after the selected ground of a confirmation."""
    ground = request.form.get("ground")
    chosen = t(f"ground.{ground}") if status is CaseStatus.CONFIRMED and ground in CONFIRMATION_GROUNDS else None
    return "：".join(filter(None, (chosen, request.form.get("reason"))))


def _lawsuit_argument() -> Lawsuit:
    filed_at = day_start(day_field("filed_at")) or services().product.now()
    return Lawsuit(court=request.form.get("court", ""), number=request.form.get("court_number", ""), filed_at=filed_at)


def _case_address(number: int) -> str:
    """Return the address of the case, with the list from which it was opened."""
    return url_for("case.show", number=number, _external=False, **requested_filter().arguments())
