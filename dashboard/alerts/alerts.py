"""The bell: what the reader was told, and the rules by which."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.alerts import own_rules
from services.alerts.apprise_letter import KINDS
from services.cases.saved_filters import saved_filters
from store.errors import BadInput
from store.messages import message
from store.records import AlertEvent, AlertPace, AlertRule
from store.rules.role_rights import Right

blueprint = Blueprint("alerts", __name__, url_prefix="/alerts")

_ANEW = "anew"  # in an address: of the cases that its filter names, and no longer of those that the rule was made for


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
    events, pace = _told()
    try:
        rule = own_rules.add(
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
    _warn(rule)
    return redirect(url_for("alerts.show"), 303)


@blueprint.get("/rules/<string:id>")
@needs(Right.READ)
def edit(id: str) -> str:
    """The form for one of them; of which cases, where the address names a filter."""
    return _form(own_rules.own(acting(), id))


@blueprint.post("/rules/<string:id>")
@needs(Right.READ)
def change(id: str) -> str | tuple[str, int] | Response:
    """Set all of it anew; an empty channel stays as it is."""
    form, old = request.form, own_rules.own(acting(), id)
    events, pace = _told()
    channel = form.get("channel", "").strip()
    try:
        rule = own_rules.change(
            acting(),
            id,
            name=form.get("name", ""),
            chosen=wanted() if _ANEW in request.args else None,
            events=events,
            pace=pace if "pace" in form else None,
            channel="" if "bell_alone" in form else channel or None,
        )
    except BadInput as error:
        return _form(old, refusal=error.message.text(language())), 400
    flash(t("alerts.changed"))
    if channel:
        _warn(rule)
    return redirect(url_for("alerts.show") + "#rules", 303)


@blueprint.post("/seen")
@needs(Right.READ)
def seen() -> Response:
    """All of them are."""
    own_rules.see(acting())
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/pause")
@needs(Right.READ)
def pause() -> Response:
    """Tell nothing, or go on."""
    own_rules.change(acting(), request.form.get("id", ""), paused=request.form.get("paused") == "yes")
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/remove")
@needs(Right.READ)
def remove() -> Response:
    """With its alerts."""
    own_rules.remove(acting(), request.form.get("id", ""))
    flash(t("alerts.removed"))
    return redirect(url_for("alerts.show"), 303)


@blueprint.post("/test")
@needs(Right.READ)
def test() -> Response:
    """Send a letter that tells nothing."""
    own_rules.test(acting(), request.form.get("id", ""))
    flash(t("alerts.test_queued"))
    return redirect(url_for("alerts.show"), 303)


def _told() -> tuple[set[AlertEvent], AlertPace]:
    """What a rule tells, and when, as a form says; nothing where it says what there is not."""
    form = request.form
    try:
        return {AlertEvent(one) for one in form.getlist("event")}, AlertPace(form.get("pace", AlertPace.AT_ONCE))
    except ValueError:
        return set(), AlertPace.AT_ONCE


def _warn(rule: AlertRule) -> None:
    if rule.unencrypted:
        flash(message("alerts.unencrypted", kind=rule.kind or "").text(language()))


def _choices(refusal: str | None) -> dict[str, Any]:
    """What the form of a rule offers, what it was filled with, and why it was refused."""
    return {
        "saved": saved_filters(acting()),
        "events": list(AlertEvent),
        "paces": list(AlertPace),
        "kinds": KINDS,
        "refusal": refusal,
        "form": request.form,
    }


def _form(rule: AlertRule, *, refusal: str | None = None) -> str:
    anew = _ANEW in request.args
    return render_template(
        "alerts/alert_rule.html",
        rule=rule,
        query=wanted().query() if anew else rule.query,
        here={_ANEW: "1", **wanted().arguments()} if anew else {},
        anew=_ANEW,
        **_choices(refusal),
        ticked=set(request.form.getlist("event")) if request.form else set(rule.events),
    )


def _page(*, refusal: str | None = None) -> str:
    own = own_rules.of(acting())
    return render_template(
        "alerts/alerts.html",
        alerts=services().store.alerts.of_user(acting().who),
        rules=[(rule, own_rules.letters(acting(), rule.id)[:1]) for rule in own],
        filter=wanted(),
        **_choices(refusal),
    )
