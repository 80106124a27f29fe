"""Show one case, and record decisions, questions, assignments and comments on it."""

from dataclasses import replace

from flask import Blueprint, Response, flash, jsonify, request
from flask.typing import ResponseReturnValue

from dashboard.cases.case_page import render_case
from dashboard.cases.queue_page import queue_place
from dashboard.cases.selection import back_to_case, describe_ways, requested_filter, undo_last_decision
from dashboard.frame.context import current_actor, fix_link, language, numbered_case, services, shows_refusal, t
from dashboard.frame.requests import day_field, day_start, form_choice, is_script_request
from dashboard.frame.security import needs
from wenhen.accounts.users import get_preferences, set_preferences
from wenhen.alerts.mentions import CommentOutcome, comment_on_case, correct_own_comment
from wenhen.cases.comments_and_amounts import DEFAULT_CURRENCY, add_amount, remove_amount, withdraw_comment
from wenhen.cases.decisions import ask_second_opinion, assign_cases, decide_cases
from wenhen.cases.model import AmountKind, Case, CaseStatus, Lawsuit
from wenhen.cases.rules import CONFIRMATION_GROUNDS
from wenhen.cases.service import record_case_view
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message
from wenhen.kit.rights import Right

case_blueprint = Blueprint("case", __name__, url_prefix="/cases")


@case_blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """Show the case with both texts. Record once a day that the reader viewed it."""
    case = numbered_case(number)
    record_case_view(current_actor(), case.number)
    return render_case(case)


def _render_refused(refusal: Message, number: int, **_: object) -> str:
    case = numbered_case(number)
    return render_case(case, refusal=refusal.text(language()), mend=fix_link(refusal))


@case_blueprint.post("/<int:number>/decision")
@needs(Right.DECIDE)
@shows_refusal(_render_refused)
def decide(number: int) -> ResponseReturnValue:
    """Decide on the case in the state that the reader saw. A dismissal and a refusal require a reason."""
    case = numbered_case(number)
    if request.form.get("seen", case.status) != case.status:  # somebody else has decided in the meantime
        return render_case(case, refusal=_current_standing(case)), 409
    status = form_choice("status", CaseStatus)
    following = queue_place(case, requested_filter()).following  # before the decision, which may remove the case
    until = day_start(day_field("until")) if status is CaseStatus.QUIET else None
    decided = decide_cases(
        current_actor(),
        [case.number],
        status,
        note=_reason_argument(status),
        notice_at=day_start(day_field("notice_at")),
        deadline=day_start(day_field("deadline")),
        until=until,
        lawsuit=_lawsuit_argument() if status is CaseStatus.COURT else None,
        undoable=True,
    )
    if decided.moved and until is not None:
        flash(t("case.done_quiet_until", number=number, day=china_day(until).isoformat()), "decided")
    elif decided.moved:
        flash(t(f"case.done_{status}", number=number), "decided")
    else:
        flash(t("case.stayed", number=number, ways=describe_ways([number])))
    goes_on = decided.moved and following and get_preferences(current_actor()).goes_on
    answer = back_to_case(following if goes_on and following else number)
    return jsonify(location=answer.location) if is_script_request() else answer


@case_blueprint.post("/<int:number>/going-on")
@needs(Right.READ)
def go_on(number: int) -> Response:
    """Save whether the next case opens automatically after a decision."""
    liked = get_preferences(current_actor())
    set_preferences(current_actor(), replace(liked, goes_on=bool(request.form.get("goes_on"))))
    return back_to_case(number, anchor="decision")


@case_blueprint.post("/<int:number>/question")
@needs(Right.DECIDE)
@shows_refusal(_render_refused)
def ask(number: int) -> Response:
    """Ask a user for a second opinion."""
    case, name = numbered_case(number), request.form.get("name", "")
    ask_second_opinion(current_actor(), [case.number], name, request.form.get("question"))
    return back_to_case(number, t("case.asked_now", name=name.strip().removeprefix("@")))


@case_blueprint.post("/<int:number>/assignee")
@needs(Right.ASSIGN)
@shows_refusal(_render_refused)
def assign(number: int) -> Response:
    """Assign the case to a user, or remove its assignment."""
    case = numbered_case(number)
    name = assign_cases(current_actor(), [case.number], request.form.get("assignee")).assignee
    notice = t("suspects.assigned", count=1, name=name) if name else t("suspects.unassigned", count=1)
    return back_to_case(number, notice)


@case_blueprint.post("/<int:number>/comments")
@needs(Right.COMMENT)
@shows_refusal(_render_refused)
def comment(number: int) -> Response:
    """Add a comment to the case."""
    case = numbered_case(number)
    _say_untold(comment_on_case(current_actor(), case.number, request.form.get("comment", "")))
    return back_to_case(number, anchor="comments")


def _say_untold(done: CommentOutcome) -> None:
    """Say which names of a comment notified nobody."""
    for mention in done.untold:
        flash(mention.said.text(language()), "refused")


@case_blueprint.post("/<int:number>/comments/<string:id>")
@needs(Right.COMMENT)
@shows_refusal(_render_refused)
def correct(number: int, id: str) -> Response:
    """Correct or withdraw a comment of the reader."""
    numbered_case(number)
    if request.form.get("change") == "withdraw":
        withdraw_comment(current_actor(), number, id)
        return back_to_case(number, t("case.comment_withdrawn"), anchor="comments")
    _say_untold(correct_own_comment(current_actor(), number, id, request.form.get("comment", "")))
    return back_to_case(number, t("case.comment_corrected"), anchor="comments")


@case_blueprint.post("/<int:number>/amounts")
@needs(Right.PROCEED)
@shows_refusal(_render_refused)
def record_money(number: int) -> Response:
    """Record an amount of money of the case."""
    case, form = numbered_case(number), request.form
    add_amount(
        current_actor(),
        case.number,
        form_choice("kind", AmountKind),
        form.get("amount", ""),
        currency=form.get("currency", DEFAULT_CURRENCY),
        day=day_field("day"),
        note=form.get("note"),
    )
    return back_to_case(number, t("case.amount_added"), anchor="money")


@case_blueprint.post("/<int:number>/amounts/remove")
@needs(Right.PROCEED)
def remove_money(number: int) -> Response:
    """Remove an amount of money that was recorded by mistake."""
    remove_amount(current_actor(), number, request.form.get("id", ""))
    return back_to_case(number, t("case.amount_removed"), anchor="money")


@case_blueprint.post("/<int:number>/undo")
@needs(Right.DECIDE)
def undo(number: int) -> Response:
    """Undo the reader's last decision."""
    return back_to_case(number, undo_last_decision())


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
