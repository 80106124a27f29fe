"""The bell: what the reader was told, and the rules by which."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.alerts import rules
from services.alerts.call import KINDS
from services.cases.saved_filters import saved_filters
from store.errors import BadInput
from store.records import AlertEvent, AlertPace
from store.rules.rights import Right

blueprint = Blueprint("alerts", __name__, url_prefix="/alerts")


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """What the reader was told, their rules, and the form for one more of the filter in the address."""
    return _page()


@blueprint.post("/")
@needs(Right.READ)
def add() -> str | tuple[str, int] | Response:
    """A new rule."""
    form = request.form
    try:
        events = {AlertEvent(one) for one in form.getlist("event")}
        pace = AlertPace(form.get("pace", AlertPace.AT_ONCE))
    except ValueError:
        events, pace = set(), AlertPace.AT_ONCE
    try:
        rules.add(
            acting(),
            form.get("name", ""),
            wanted(),
            events,
            pace=pace,
            channel=form.get("channel", ""),
            language=language(),
        )
    except BadInput as error:
        return _page(refusal=error.message.text(language())), 400
    flash(t("alerts.added"))
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/seen")
@needs(Right.READ)
def seen() -> Response:
    """All of them are."""
    rules.see(acting())
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/pause")
@needs(Right.READ)
def pause() -> Response:
    """Tell nothing, or go on."""
    rules.change(acting(), request.form.get("id", ""), paused=request.form.get("paused") == "yes")
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/remove")
@needs(Right.READ)
def remove() -> Response:
    """With its alerts."""
    rules.remove(acting(), request.form.get("id", ""))
    flash(t("alerts.removed"))
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/test")
@needs(Right.READ)
def test() -> Response:
    """Send a letter that tells nothing."""
    rules.test(acting(), request.form.get("id", ""))
    flash(t("alerts.test_queued"))
    return redirect(url_for("alerts.show"), 303)


def _page(*, refusal: str | None = None) -> str:
    own = rules.of(acting())
    return render_template(
        "alerts/alerts.html",
        alerts=services().store.alerts.of_user(acting().who),
        rules=[(rule, rules.letters(acting(), rule.id)[:1]) for rule in own],
        filter=wanted(),
        saved=saved_filters(acting()),
        events=list(AlertEvent),
        paces=list(AlertPace),
        kinds=KINDS,
        refusal=refusal,
        form=request.form,
    )
