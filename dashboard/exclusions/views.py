"""Exclude passages, sources and text blocks from cases, and include them again."""

from flask import Blueprint, Response, abort, request

from dashboard.cases.selection import back_to_case
from dashboard.frame.context import current_actor, language, shows_refusal, t
from dashboard.frame.security import needs
from wenhen.exclusions.model import Excluded, ExclusionScope
from wenhen.exclusions.service import exclude_from_cases, reuse_exclusion, withdraw_exclusion
from wenhen.kit.errors import Conflict, Message
from wenhen.kit.rights import Right

exclusions_blueprint = Blueprint("exclusions", __name__, url_prefix="/cases")


def _back_with_refusal(refusal: Message, number: int) -> Response:
    return back_to_case(number, refusal.text(language()), anchor="list")


@exclusions_blueprint.post("/<int:number>/exclusions")
@needs(Right.DECIDE)
@shows_refusal(_back_with_refusal, Conflict)
def exclude(number: int) -> Response:
    """Exclude a passage, the source or a text. The pressed button of the form selects which."""
    try:
        stretch = _parse_span(request.form.get("stretch"))
        what = Excluded.PASSAGE if stretch else Excluded(request.form.get("what", ""))
        scope = ExclusionScope(request.form.get("scope", ExclusionScope.CASE))
    except ValueError:
        abort(400)
    text, why = request.form.get("text"), request.form.get("why", "")
    done = exclude_from_cases(current_actor(), number, what, why=why, scope=scope, stretch=stretch, text=text)
    return back_to_case(number, t("exclusions.done", cases=done.cases), anchor="list")


@exclusions_blueprint.post("/<int:number>/exclusions/alike")
@needs(Right.DECIDE)
@shows_refusal(_back_with_refusal, Conflict)
def alike(number: int) -> Response:
    """Use an exclusion of another case again. The form names it by scope and id: ``everywhere:3f2a…``."""
    scope, _, id = request.form.get("like", "").partition(":")
    if scope not in set(ExclusionScope):
        abort(400)
    done = reuse_exclusion(current_actor(), number, id, scope=ExclusionScope(scope))
    return back_to_case(number, t("exclusions.done", cases=done.cases), anchor="list")


@exclusions_blueprint.post("/<int:number>/exclusions/remove")
@needs(Right.DECIDE)
def include(number: int) -> Response:
    """Withdraw an exclusion."""
    done = withdraw_exclusion(current_actor(), request.form.get("id", ""))
    return back_to_case(number, t("exclusions.undone", cases=done.cases), anchor="list")


def _parse_span(text: str | None) -> tuple[int, int] | None:
    """Parse ``12-40`` to code points of the page. Raise ValueError for any other form."""
    if text is None:
        return None
    start, end = text.split("-")
    return int(start), int(end)
