"""What runs, what waits, and what was set aside with the reason."""

from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.upkeep.problems import drop_all, groups, retry_all
from services.upkeep.retry_by_hand import names_of, set_aside, try_again
from store.errors import Conflict
from store.records import OwnerKind, ProblemKind, Step
from store.rules.role_rights import Right

blueprint = Blueprint("health", __name__, url_prefix="/health")

_SHOWN: Final = 100


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The state of the servers and of the work."""
    store = services().store
    of_works, of_pages = store.works.count_by_step(), store.pages.count_by_step()
    problems = store.problems.recent(limit=_SHOWN, to_do=True)
    return render_template(
        "system/health.html",
        servers=services().health(),
        steps=[(step, of_works.get(step, 0), of_pages.get(step, 0)) for step in Step],
        set_aside=set_aside(services().product),
        kinds=groups(services().product),
        problems=problems,
        names=names_of(services().product, (one.owner for one in problems if one.owner)),
        problem_count=store.problems.count(to_do=True),
        by_itself=store.problems.count() - store.problems.count(to_do=True),
    )


@blueprint.post("/retry")
@needs(Right.OPERATE)
def retry() -> Response:
    """Give a record that was set aside its failed step again."""
    try:
        kind = OwnerKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        flash(t("health.retried" if try_again(acting(), kind, request.form.get("id", "")) else "health.retry_later"))
    except Conflict:
        flash(t("health.not_set_aside"))
    return redirect(url_for("health.show"), 303)


@blueprint.post("/kinds")
@needs(Right.OPERATE)
def of_kind() -> Response:
    """Try all problems of a kind again, or drop them."""
    form = request.form
    try:
        which = ProblemKind(form["where"], form["kind"] or None, Step(form["step"]) if form["step"] else None)
        do = {"retry": retry_all, "drop": drop_all}[form["do"]]
    except (KeyError, ValueError):
        abort(400)
    flash(t("health.kind_done", count=do(acting(), which)))
    return redirect(url_for("health.show"), 303)
