"""Manage webhooks, and show their deliveries."""

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import ROWS_PER_PAGE, current_paging, redirect_to
from dashboard.frame.security import needs
from wenhen.kit.rights import Right
from wenhen.webhooks.model import Event, Webhook
from wenhen.webhooks.service import (
    CASE_EVENTS,
    add_webhook,
    remove_webhook,
    resend_delivery,
    send_test_delivery,
    set_webhook_paused,
)

webhooks_blueprint = Blueprint("webhooks", __name__, url_prefix="/webhooks")


@webhooks_blueprint.get("/")
@needs(Right.WEBHOOKS)
def show() -> str:
    """Show all webhooks, and the form to add one."""
    return _render_webhooks()


@webhooks_blueprint.post("/")
@needs(Right.WEBHOOKS)
@shows_refusal(lambda refusal: _render_webhooks(refusal=refusal.text(language())))
def add() -> str:
    """Create a webhook, and show its secret once."""
    try:
        events = {Event(event) for event in request.form.getlist("event")}
    except ValueError:
        events = set()
    return _render_webhooks(made=add_webhook(current_actor(), request.form.get("url", ""), events))


@webhooks_blueprint.post("/pause")
@needs(Right.WEBHOOKS)
def pause() -> Response:
    """Pause or resume a webhook."""
    set_webhook_paused(current_actor(), request.form.get("id", ""), request.form.get("paused") == "yes")
    return redirect_to("webhooks.show")


@webhooks_blueprint.post("/remove")
@needs(Right.WEBHOOKS)
def remove() -> Response:
    """Remove a webhook and its deliveries."""
    remove_webhook(current_actor(), request.form.get("id", ""))
    return redirect_to("webhooks.show", t("webhooks.removed"))


@webhooks_blueprint.post("/test")
@needs(Right.WEBHOOKS)
def test() -> Response:
    """Send a test delivery without case data."""
    delivery = send_test_delivery(current_actor(), request.form.get("id", ""))
    return redirect_to("webhooks.deliveries", t("webhooks.test_queued"), id=delivery.webhook_id)


@webhooks_blueprint.get("/<string:id>")
@needs(Right.WEBHOOKS)
def deliveries(id: str) -> str:
    """Show the deliveries of one webhook, newest first."""
    store = services().store.webhooks
    hook = store.get(id)
    page = current_paging(store.count_deliveries(id))
    rows = store.deliveries(id, skip=page.skip, limit=ROWS_PER_PAGE)
    return render_template("system/deliveries.html", hook=hook, deliveries=rows, paging=page)


@webhooks_blueprint.post("/again")
@needs(Right.WEBHOOKS)
def again() -> Response:
    """Send a delivery again."""
    delivery = resend_delivery(current_actor(), request.form.get("id", ""))
    return redirect_to("webhooks.deliveries", t("webhooks.again_queued"), id=delivery.webhook_id)


def _render_webhooks(*, made: Webhook | None = None, refusal: str | None = None) -> str:
    hooks = services().store.webhooks.all()
    return render_template(
        "system/webhooks.html", hooks=hooks, made=made, refusal=refusal, events=CASE_EVENTS, form=request.form
    )
