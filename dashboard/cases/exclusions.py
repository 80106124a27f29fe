"""What is left out of a case: left out, shown and taken back beside its passages."""

from dataclasses import dataclass

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.cases import exclusions
from store.errors import BadInput, Conflict
from store.records import Case, Excluded, Exclusion, ExclusionScope
from store.rules.role_rights import Right

blueprint = Blueprint("exclusions", __name__, url_prefix="/cases")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is left out of a case, with what this reader may take back, and the scopes that are open to them."""

    rows: list[tuple[Exclusion, bool]]
    scopes: list[ExclusionScope]
    proposed: list[Exclusion]
    whys: tuple[str, ...] = ("licence", "quotation", "public", "form")


def left_out(case: Case) -> LeftOut:
    """As the case screen shows it."""
    held = exclusions.of_case(services().product, case)
    scopes = [scope for scope in ExclusionScope if exclusions.may_exclude(acting(), scope)]
    alike = exclusions.proposed(services().product, case) if scopes else []
    return LeftOut([(one, one.scope in scopes) for one in held], scopes, alike)


@blueprint.post("/<int:number>/exclusions")
@needs(Right.DECIDE)
def exclude(number: int) -> Response:
    """Leave a passage, the source or a text out; the form names one of them by the button that was pressed."""
    try:
        stretch = _stretch(request.form.get("stretch"))
        what = Excluded.PASSAGE if stretch else Excluded(request.form.get("what", ""))
        scope = ExclusionScope(request.form.get("scope", ExclusionScope.CASE))
    except ValueError:
        abort(400)
    text, why = request.form.get("text"), request.form.get("why", "")
    try:
        done = exclusions.exclude(acting(), number, what, why=why, scope=scope, stretch=stretch, text=text)
    except (BadInput, Conflict) as error:
        flash(error.message.text(language()))
    else:
        flash(t("exclusions.done", cases=done.cases))
    return _back(number)


@blueprint.post("/<int:number>/exclusions/alike")
@needs(Right.DECIDE)
def alike(number: int) -> Response:
    """Leave out what was left out of another case; the form names it by its scope and id: ``everywhere:3f2a…``."""
    scope, _, id = request.form.get("like", "").partition(":")
    if scope not in set(ExclusionScope):
        abort(400)
    try:
        done = exclusions.exclude_alike(acting(), number, id, scope=ExclusionScope(scope))
    except (BadInput, Conflict) as error:
        flash(error.message.text(language()))
    else:
        flash(t("exclusions.done", cases=done.cases))
    return _back(number)


@blueprint.post("/<int:number>/exclusions/remove")
@needs(Right.DECIDE)
def include(number: int) -> Response:
    """Take one back."""
    done = exclusions.include(acting(), request.form.get("id", ""))
    flash(t("exclusions.undone", cases=done.cases))
    return _back(number)


def _stretch(given: str | None) -> tuple[int, int] | None:
    """``12-40``, in code points of the page. ValueError."""
    if given is None:
        return None
    start, end = given.split("-")
    return int(start), int(end)


def _back(number: int) -> Response:
    address = url_for("case.show", number=number, _external=False, **wanted().arguments())
    return redirect(f"{address}#list", 303)
