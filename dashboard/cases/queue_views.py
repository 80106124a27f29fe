"""Show the queue of suspects, decide on many cases, and preview one."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from flask import Blueprint, Response, flash, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.cases.queue_page import render_queue, visible_columns
from dashboard.cases.selection import (
    cases_decided_by_others,
    confirmation_question,
    describe_ways,
    movable_cases,
    needs_confirmation,
    requested_filter,
    undo_last_decision,
)
from dashboard.cases.text_pieces import Piece, cut_passage_pair
from dashboard.frame.context import current_actor, language, numbered_case, services, shows_refusal, t
from dashboard.frame.display import worth_text
from dashboard.frame.requests import day_field, day_start, form_choice, is_script_request, parse_number, redirect_to
from dashboard.frame.security import needs
from matcher.alignment.aligned_span import Side, copied_length
from matcher.model import Passage
from wenhen.accounts.users import get_preferences, set_preferences
from wenhen.cases.decisions import MAX_CASES_PER_ACTION, assign_cases, decide_cases
from wenhen.cases.filters import Filter, delete_filter, save_filter
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.rules import DISMISSAL_REASONS
from wenhen.cases.service import find_removed_works
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.reports.wording import group_digits

# The queue of suspects. Its filters and its order are in the address.


suspects_blueprint = Blueprint("suspects", __name__, url_prefix="/suspects")

_MAX_NUMBERS_NAMED: Final = 10  # case numbers that an answer names


@suspects_blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """Show the queue."""
    return render_queue(requested_filter())


@suspects_blueprint.post("/decisions")
@needs(Right.DECIDE)
def decide() -> ResponseReturnValue:
    """Decide on the ticked cases, or on all cases of the filter. The address carries the filter to return to."""
    chosen = requested_filter()
    numbers = _ticked_numbers(chosen)
    status, reason = _judgement_argument()
    if not numbers:
        return _render_refusal(chosen, t("suspects.none_ticked"))
    if needs_confirmation(numbers) and not request.form.get("sure"):
        movable = movable_cases(numbers, status)
        if not movable:
            stayed = t("suspects.stayed", count=group_digits(len(numbers)), ways=describe_ways(numbers))
            return _render_refusal(chosen, stayed, numbers=numbers)
        return _render_refusal(chosen, numbers=numbers, sure=confirmation_question(numbers, movable, status))
    quicker = cases_decided_by_others(numbers, _listed_at_argument())
    meant = [number for number in numbers if number not in set(quicker)]
    try:
        until = day_start(day_field("until")) if status is CaseStatus.QUIET else None
        decided = decide_cases(current_actor(), meant, status, note=reason, in_passing=True, until=until, undoable=True)
    except BadInput as error:
        return _render_refusal(chosen, error.message.text(language()), numbers=numbers)
    notices = [_done_words(status, group_digits(len(decided.moved)), until)] if decided.moved else []
    if decided.stayed:
        notices.append(
            t("suspects.stayed", count=group_digits(len(decided.stayed)), ways=describe_ways(decided.stayed))
        )
    if quicker:
        notices.append(t("suspects.quicker", count=len(quicker), numbers=_name_numbers(quicker)))
    if is_script_request():
        return jsonify(said=notices, moved=decided.moved)
    for words in notices:
        flash(words, "decided" if decided.moved else "message")
    return _back_to_queue(chosen)


@suspects_blueprint.post("/assignments")
@needs(Right.ASSIGN)
@shows_refusal(lambda refusal: _render_refusal(requested_filter(), refusal.text(language())))
def assign() -> ResponseReturnValue:
    """Assign the ticked cases to a user, or remove their assignment."""
    chosen = requested_filter()
    numbers = _ticked_numbers(chosen)
    if not numbers:
        return _render_refusal(chosen, t("suspects.none_ticked"))
    done = assign_cases(current_actor(), numbers, request.form.get("assignee"))
    if done.assignee:
        return _back_to_queue(chosen, t("suspects.assigned", count=done.count, name=done.assignee))
    return _back_to_queue(chosen, t("suspects.unassigned", count=done.count))


@suspects_blueprint.post("/undo")
@needs(Right.DECIDE)
def undo() -> ResponseReturnValue:
    """Undo the reader's last decision."""
    notice = undo_last_decision()
    if is_script_request():
        return jsonify(said=notice)
    return _back_to_queue(requested_filter(), notice)


@suspects_blueprint.post("/filters")
@needs(Right.READ)
@shows_refusal(lambda refusal: render_queue(requested_filter(), refusal=refusal.text(language())))
def save() -> Response:
    """Save the current filter under a name for this reader."""
    chosen = requested_filter()
    saved = save_filter(current_actor(), request.form.get("name", ""), chosen)
    return _back_to_queue(chosen, t("suspects.saved", name=saved.name))


@suspects_blueprint.post("/filters/remove")
@needs(Right.READ)
def forget() -> Response:
    """Delete a saved filter of this reader."""
    with suppress(NotFound):  # deleted already
        delete_filter(current_actor(), request.form.get("id", ""))
    return _back_to_queue(requested_filter())


@suspects_blueprint.post("/columns")
@needs(Right.READ)
def choose_columns() -> Response:
    """Save the reader's columns, and whether a preview appears beside the list."""
    liked = get_preferences(current_actor())
    chosen = visible_columns(request.form.getlist("column"))
    set_preferences(current_actor(), replace(liked, columns=chosen, preview=bool(request.form.get("preview"))))
    return _back_to_queue(requested_filter())


def _judgement_argument() -> tuple[CaseStatus, str | None]:
    """Return the status and the reason of the form. Each common dismissal reason has its own button."""
    usual = request.form.get("usual")
    if usual in DISMISSAL_REASONS:
        return CaseStatus.DISMISSED, t(f"dismissal.{usual}")
    return form_choice("status", CaseStatus), request.form.get("reason")


def _done_words(status: CaseStatus, count: str, until: datetime | None) -> str:
    """Describe the decision. For quiet cases, add the day on which they return at the latest."""
    if until is None:
        return t(f"suspects.done_{status}", count=count)
    return t("suspects.done_quiet_until", count=count, day=china_day(until).isoformat())


def _listed_at_argument() -> datetime | None:
    """Return the time at which the reader's list was made, or None if the form does not say."""
    try:
        moment = datetime.fromisoformat(request.form.get("listed_at", ""))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _name_numbers(numbers: list[int]) -> str:
    """Return #1 #2 and so on, up to the number that an answer names."""
    return " ".join(f"#{number}" for number in numbers[:_MAX_NUMBERS_NAMED]) + (
        " …" if len(numbers) > _MAX_NUMBERS_NAMED else ""
    )


def _render_refusal(
    chosen: Filter, refusal: str | None = None, *, numbers: list[int] | None = None, sure: str | None = None
) -> ResponseReturnValue:
    if is_script_request():
        return jsonify(refusal=refusal, sure=sure), 400
    return render_queue(chosen, refusal=refusal, ticked=numbers, sure=sure), 400


def _ticked_numbers(chosen: Filter) -> list[int]:
    """Return the case numbers of the form.

    A grouped row names all of its cases. One box selects all cases of the filter.
    """
    if request.form.get("all"):
        order = chosen.sorted_by
        keys = services().store.cases.keys(
            **chosen.conditions(current_actor()), order=order, limit=MAX_CASES_PER_ACTION
        )
        return [key["number"] for key in keys]
    named = (part for value in request.form.getlist("case") for part in value.split(","))
    return list(dict.fromkeys(number for part in named if (number := parse_number(part)) is not None))


def _back_to_queue(chosen: Filter, notice: str = "") -> Response:
    return redirect_to("suspects.find", notice, **chosen.arguments(page=request.args.get("page")))


# The preview of a case beside the queue: its subject and its longest passages.


preview_blueprint = Blueprint("preview", __name__, url_prefix="/suspects/preview")

_MAX_PREVIEW_PASSAGES: Final = 3
_MAX_PREVIEW_CHARACTERS: Final = 1_200  # of one passage, which the case itself shows whole

PassagePieces = tuple[Passage, list[Piece], list[Piece]]


@preview_blueprint.get("/<int:number>")
@needs(Right.READ)
def show(number: int) -> str:
    """Return a page fragment for the script of the queue."""
    case = numbered_case(number)
    longest = sorted(case.match.passages, key=lambda passage: -copied_length([passage], Side.PAGE))[
        :_MAX_PREVIEW_PASSAGES
    ]
    return render_template(
        "cases/preview.html",
        case=case,
        removed=find_removed_works(services().product, [case]),
        match=case.match,
        worth=worth_text(case.match),
        pairs=_passage_pairs(case, longest),
        more=len(case.match.passages) - len(longest),
        characters=_MAX_PREVIEW_CHARACTERS,
        listed_by=requested_filter().arguments(),
    )


def _passage_pairs(case: Case, passages: list[Passage]) -> list[PassagePieces] | None:
    """Return both sides of each passage, or None if a text is missing from the store."""
    blobs = services().store.blobs
    try:
        page, work = blobs.get_text(case.page_text_digest), blobs.get_text(case.work_text_digest)
    except NotFound:
        return None
    return [
        (
            passage,
            *cut_passage_pair(
                passage,
                page[passage.page_start : passage.page_end][:_MAX_PREVIEW_CHARACTERS],
                work[passage.work_start : passage.work_end][:_MAX_PREVIEW_CHARACTERS],
            ),
        )
        for passage in passages
    ]
