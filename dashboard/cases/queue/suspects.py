"""The suspects: cases as a queue to be judged, its filters and its order in the address."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from flask import Blueprint, abort, flash, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.cases import readers_decisions
from dashboard.cases.queue.columns import columns
from dashboard.cases.queue.many_at_once import decided_by_others, has_to_be_agreed_to, question
from dashboard.cases.queue.suspect_filter import wanted
from dashboard.cases.queue.suspect_page import suspect_page
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import beginning, day
from services.cases import assignments, saved_filters
from services.cases.case_filter import Filter
from services.cases.decisions import MOST
from services.people import preferences
from store.errors import BadInput, NotFound
from store.records import CaseStatus
from store.rules.cases.decision_reasons import REASONS
from store.rules.role_rights import Right

blueprint = Blueprint("suspects", __name__, url_prefix="/suspects")

_NAMED: Final = 10  # cases that an answer names


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The queue."""
    return suspect_page(wanted())


@blueprint.post("/decisions")
@needs(Right.DECIDE)
def decide() -> ResponseReturnValue:
    """Decide on the cases that were ticked, or all of the filter; the address carries the filter to come back to."""
    chosen = wanted()
    numbers = _ticked(chosen)
    status, reason = _judgement()
    if not numbers:
        return _refused(chosen, t("suspects.none_ticked"))
    if has_to_be_agreed_to(numbers) and not request.form.get("sure"):
        return _refused(chosen, numbers=numbers, sure=question(numbers, status))
    quicker = decided_by_others(numbers, _listed_at())
    meant = [number for number in numbers if number not in set(quicker)]
    try:
        until = beginning(day("until")) if status is CaseStatus.QUIET else None
        decided = readers_decisions.decide(meant, status, reason, in_passing=True, until=until)
    except BadInput as error:
        return _refused(chosen, error.message.text(language()), numbers=numbers)
    said = [t(f"suspects.done_{status}", count=len(decided.moved))] if decided.moved else []
    if decided.stayed:
        said.append(t("suspects.stayed", count=len(decided.stayed), ways=readers_decisions.ways_from(decided.stayed)))
    if quicker:
        said.append(t("suspects.quicker", count=len(quicker), numbers=_some(quicker)))
    if _by_script():
        return jsonify(said=said, moved=decided.moved)
    for one in said:
        flash(one, "decided" if decided.moved else "message")
    return redirect(_address(chosen), 303)


@blueprint.post("/assignments")
@needs(Right.ASSIGN)
def assign() -> ResponseReturnValue:
    """Give the ticked cases to somebody, or to nobody."""
    chosen = wanted()
    numbers = _ticked(chosen)
    if not numbers:
        return _refused(chosen, t("suspects.none_ticked"))
    done = assignments.assign(acting(), numbers, request.form.get("assignee"))
    flash(
        t("suspects.assigned", count=done.count, name=done.assignee)
        if done.assignee
        else t("suspects.unassigned", count=done.count)
    )
    return redirect(_address(chosen), 303)


@blueprint.post("/undo")
@needs(Right.DECIDE)
def undo() -> Response:
    """Take the last decision of this reader back."""
    undone = readers_decisions.undo()
    flash(t("suspects.undone", count=undone) if undone else t("suspects.nothing_undone"))
    return redirect(_address(wanted()), 303)


@blueprint.post("/filters")
@needs(Right.READ)
def save() -> ResponseReturnValue:
    """Keep the present filter under a name, for this reader."""
    chosen = wanted()
    try:
        saved = saved_filters.save(acting(), request.form.get("name", ""), chosen)
    except BadInput as error:
        return suspect_page(chosen, refusal=error.message.text(language())), 400
    flash(t("suspects.saved", name=saved.name))
    return redirect(_address(chosen), 303)


@blueprint.post("/filters/remove")
@needs(Right.READ)
def forget() -> Response:
    """Drop a saved filter of this reader."""
    with suppress(NotFound):  # gone already
        saved_filters.forget(acting(), request.form.get("id", ""))
    return redirect(_address(wanted()), 303)


@blueprint.post("/columns")
@needs(Right.READ)
def choose_columns() -> Response:
    """Keep which columns this reader wants to see, and whether a case is shown beside them."""
    liked = preferences.preferences(acting())
    chosen = columns(request.form.getlist("column"))
    preferences.prefer(acting(), replace(liked, columns=chosen, preview=bool(request.form.get("preview"))))
    return redirect(_address(wanted()), 303)


def _judgement() -> tuple[CaseStatus, str | None]:
    """To which status, and why; a usual reason of a dismissal has a button of its own."""
    usual = request.form.get("usual")
    if usual in REASONS:
        return CaseStatus.DISMISSED, t(f"dismissal.{usual}")
    try:
        return CaseStatus(request.form.get("status", "")), request.form.get("reason")
    except ValueError:
        abort(400)


def _listed_at() -> datetime | None:
    """When the list was made by which its reader decides; None where the form does not say."""
    try:
        at = datetime.fromisoformat(request.form.get("listed_at", ""))
    except ValueError:
        return None
    return at if at.tzinfo else None


def _some(numbers: list[int]) -> str:
    """#1 #2 and so on, as many as one reads."""
    return " ".join(f"#{number}" for number in numbers[:_NAMED]) + (" …" if len(numbers) > _NAMED else "")


def _refused(
    chosen: Filter, refusal: str | None = None, *, numbers: list[int] | None = None, sure: str | None = None
) -> ResponseReturnValue:
    if _by_script():
        return jsonify(refusal=refusal, sure=sure), 400
    return suspect_page(chosen, refusal=refusal, ticked=numbers, sure=sure), 400


def _by_script() -> bool:
    """Whether the script of the queue asks, which stays on its page."""
    return request.accept_mimetypes.best == "application/json"


def _ticked(chosen: Filter) -> list[int]:
    """The numbers that the form names; a folded row names all of its cases, and one box all of the filter."""
    if request.form.get("all"):
        order = chosen.sorted_by
        keys = services().store.cases.keys(**chosen.conditions(acting()), order=order, limit=MOST)
        return [key["number"] for key in keys]
    named = (part for value in request.form.getlist("case") for part in value.split(","))
    return list(dict.fromkeys(int(part) for part in named if part.isascii() and part.isdecimal()))


def _address(chosen: Filter) -> str:
    return url_for("suspects.find", _external=False, **chosen.arguments(page=request.args.get("page")))
