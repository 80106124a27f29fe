"""Show alerts to the reader, and edit the rules that create them."""

from typing import Any

from flask import Blueprint, Response, flash, render_template, request

from dashboard.cases.selection import requested_filter
from dashboard.frame.context import current_actor, language, services, shows_refusal, stored_language, t
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import needs
from wenhen.alerts.alert_rules import (
    create_alert_rule,
    delete_alert_rule,
    mark_alerts_seen,
    own_alert_rules,
    require_alert_rule,
    rule_letters,
    send_test_letter,
    update_alert_rule,
)
from wenhen.alerts.apprise_delivery import CHANNEL_KINDS
from wenhen.alerts.model import AlertEvent, AlertPace, AlertRule
from wenhen.cases.filters import find_saved_filters
from wenhen.kit.errors import message
from wenhen.kit.rights import Right

alerts_blueprint = Blueprint("alerts", __name__, url_prefix="/alerts")

_NEW_CONDITIONS_FIELD = "anew"  # in an address: use its filter's cases instead of those that the rule was created for


@alerts_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the alerts and rules of the reader, and a form to create one for the address's filter."""
    return _render_alerts()


@alerts_blueprint.post("/")
@needs(Right.READ)
@shows_refusal(lambda refusal: _render_alerts(refusal=refusal.text(language())))
def add() -> Response:
    """Create an alert rule."""
    form = request.form
    events, pace = _rule_fields()
    rule = create_alert_rule(
        current_actor(),
        form.get("name", ""),
        requested_filter(),
        events,
        pace=pace,
        channel=form.get("channel", ""),
        language=stored_language(),
    )
    flash(t("alerts.added"))
    _warn_unencrypted(rule)
    return redirect_to("alerts.show")


@alerts_blueprint.get("/rules/<string:id>")
@needs(Right.READ)
def edit(id: str) -> str:
    """Show the form of one rule. A filter in the address replaces the rule's own."""
    return _render_rule_form(id)


@alerts_blueprint.post("/rules/<string:id>")
@needs(Right.READ)
@shows_refusal(lambda refusal, id: _render_rule_form(id, refusal=refusal.text(language())))
def change(id: str) -> Response:
    """Update all fields of a rule. An empty channel leaves the stored one unchanged."""
    form = request.form
    events, pace = _rule_fields()
    channel = form.get("channel", "").strip()
    rule = update_alert_rule(
        current_actor(),
        id,
        name=form.get("name", ""),
        chosen=requested_filter() if _NEW_CONDITIONS_FIELD in request.args else None,
        events=events,
        pace=pace if "pace" in form else None,
        channel="" if "bell_alone" in form else channel or None,
    )
    flash(t("alerts.changed"))
    if channel:
        _warn_unencrypted(rule)
    return redirect_to("alerts.show", _anchor="rules")


@alerts_blueprint.post("/seen")
@needs(Right.READ)
def mark_seen() -> Response:
    """Mark all alerts of the reader as seen."""
    mark_alerts_seen(current_actor())
    return redirect_to("alerts.show")


@alerts_blueprint.post("/pause")
@needs(Right.READ)
def pause() -> Response:
    """Pause or resume a rule."""
    update_alert_rule(current_actor(), request.form.get("id", ""), paused=request.form.get("paused") == "yes")
    return redirect_to("alerts.show")


@alerts_blueprint.post("/remove")
@needs(Right.READ)
def remove() -> Response:
    """Remove a rule and its alerts."""
    delete_alert_rule(current_actor(), request.form.get("id", ""))
    return redirect_to("alerts.show", t("alerts.removed"))


@alerts_blueprint.post("/test")
@needs(Right.READ)
def test() -> Response:
    """Send a test mail without case data."""
    send_test_letter(current_actor(), request.form.get("id", ""))
    return redirect_to("alerts.show", t("alerts.test_queued"))


def _rule_fields() -> tuple[set[AlertEvent], AlertPace]:
    """Return the events and the pace of the form. Return no events if it contains an invalid value."""
    form = request.form
    try:
        return {AlertEvent(event) for event in form.getlist("event")}, AlertPace(form.get("pace", AlertPace.AT_ONCE))
    except ValueError:
        return set(), AlertPace.AT_ONCE


def _warn_unencrypted(rule: AlertRule) -> None:
    if rule.unencrypted:
        flash(message("alerts.unencrypted", kind=rule.kind or "").text(language()))


def _form_choices(refusal: str | None) -> dict[str, Any]:
    """Return the choices of the rule form, its values, and the reason of a refusal."""
    return {
        "saved": find_saved_filters(current_actor()),
        "events": list(AlertEvent),
        "paces": list(AlertPace),
        "kinds": CHANNEL_KINDS,
        "refusal": refusal,
        "form": request.form,
    }


def _render_rule_form(id: str, *, refusal: str | None = None) -> str:
    rule = require_alert_rule(current_actor(), id)
    anew = _NEW_CONDITIONS_FIELD in request.args
    return render_template(
        "alerts/alert_rule.html",
        rule=rule,
        query=requested_filter().query() if anew else rule.query,
        here={_NEW_CONDITIONS_FIELD: "1", **requested_filter().arguments()} if anew else {},
        anew=_NEW_CONDITIONS_FIELD,
        **_form_choices(refusal),
        ticked=set(request.form.getlist("event")) if request.form else set(rule.events),
    )


def _render_alerts(*, refusal: str | None = None) -> str:
    own = own_alert_rules(current_actor())
    user_id = current_actor().user_id
    return render_template(
        "alerts/alerts.html",
        own_mail=services().store.users.get(user_id).mail if user_id else None,
        alerts=services().store.alerts.of_user(current_actor().who),
        rules=[(rule, rule_letters(current_actor(), rule.id)[:1]) for rule in own],
        filter=requested_filter(),
        **_form_choices(refusal),
    )
