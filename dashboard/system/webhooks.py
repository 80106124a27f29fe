"""Webhooks and their deliveries on the screen."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from services.webhooks import registry
from services.webhooks.registry import TELLABLE
from store.errors import BadInput
from store.records import Event, Webhook
from store.rules.role_rights import Right

blueprint = Blueprint("webhooks", __name__, url_prefix="/webhooks")


@blueprint.get("/")
@needs(Right.WEBHOOKS)
def show() -> str:
    """All webhooks, and the form for one more."""
    return _page()


@blueprint.post("/")
@needs(Right.WEBHOOKS)
def add() -> str | tuple[str, int]:
    """A new one; its secret is shown once."""
    try:
        events = {Event(event) for event in request.form.getlist("event")}
    except ValueError:
        events = set()
    try:
        return _page(made=registry.add(acting(), request.form.get("url", ""), events))
    except BadInput as error:
        return _page(refusal=error.message.text(language())), 400


@blueprint.post("/pause")
@needs(Right.WEBHOOKS)
def pause() -> Response:
    """Rest, or go on."""
    registry.set_paused(acting(), request.form.get("id", ""), request.form.get("paused") == "yes")
    return redirect(url_for("webhooks.show"), 303)


@blueprint.post("/remove")
@needs(Right.WEBHOOKS)
def remove() -> Response:
    """With its deliveries."""
    registry.remove(acting(), request.form.get("id", ""))
    flash(t("webhooks.removed"))
    return redirect(url_for("webhooks.show"), 303)


@blueprint.post("/test")
@needs(Right.WEBHOOKS)
def test() -> Response:
    """Send something that tells nothing."""
    delivery = registry.test(acting(), request.form.get("id", ""))
    flash(t("webhooks.test_queued"))
    return redirect(url_for("webhooks.deliveries", id=delivery.webhook_id), 303)


@blueprint.get("/<string:id>")
@needs(Right.WEBHOOKS)
def deliveries(id: str) -> str:
    """What one webhook was told, the newest first."""
    store = services().store.webhooks
    hook = store.get(id)
    page = paging(store.count_deliveries(id))
    found = store.deliveries(id, skip=page.skip, limit=SIZE)
    return render_template("system/deliveries.html", hook=hook, deliveries=found, paging=page)


@blueprint.post("/again")
@needs(Right.WEBHOOKS)
def again() -> Response:
    """Send a delivery once more."""
    delivery = registry.again(acting(), request.form.get("id", ""))
    flash(t("webhooks.again_queued"))
    return redirect(url_for("webhooks.deliveries", id=delivery.webhook_id), 303)


def _page(*, made: Webhook | None = None, refusal: str | None = None) -> str:
    hooks = services().store.webhooks.all()
    return render_template(
        "system/webhooks.html", hooks=hooks, made=made, refusal=refusal, events=TELLABLE, form=request.form
    )
