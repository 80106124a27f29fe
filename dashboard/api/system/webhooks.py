"""Programs that are told of cases by webhooks, and what they were told."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, choice, list_of, shown, words
from dashboard.frame.context import acting, services
from services.webhooks import registry
from services.webhooks.registry import TELLABLE, URL_LENGTH
from store.records import Delivery, Event, Webhook
from store.rules.role_rights import Right

blp = blueprint("webhooks", "Who is told of cases")

Brief = shown(Webhook, leave_out=("secret",))
DeliverySchema = shown(Delivery)


class WebhookIn(Schema):
    """Where to, and of what."""

    url = words(URL_LENGTH, least=1, required=True)
    events = fields.List(choice(Event), load_default=list(TELLABLE), validate=validate.Length(1, len(TELLABLE)))


class WebhookChange(Schema):
    """A paused webhook's outbox fills."""

    paused = fields.Boolean(truthy={True}, falsy={False}, required=True)


@blp.get("/webhooks")
@blp.response(200, Brief(many=True))
@scope(Right.WEBHOOKS, part="webhooks")
def find() -> list[Webhook]:
    """All webhooks."""
    return services().store.webhooks.all()


@blp.post("/webhooks")
@blp.arguments(WebhookIn)
@blp.response(201, shown(Webhook))
@scope(Right.WEBHOOKS, part="webhooks")
def add(given: dict[str, Any]) -> Webhook:
    """A new one, with the secret that signs what is sent; it is shown once."""
    return registry.add(acting(), given["url"], given["events"])


@blp.get("/webhooks/<string:id>")
@blp.response(200, Brief)
@scope(Right.WEBHOOKS, part="webhooks")
def get(id: str) -> Webhook:
    """One webhook."""
    return services().store.webhooks.get(id)


@blp.patch("/webhooks/<string:id>")
@blp.arguments(WebhookChange)
@blp.response(200, Brief)
@scope(Right.WEBHOOKS, part="webhooks")
def change(given: dict[str, bool], id: str) -> Webhook:
    """Rest, or go on."""
    return registry.set_paused(acting(), id, given["paused"])


@blp.delete("/webhooks/<string:id>")
@blp.response(204)
@scope(Right.WEBHOOKS, part="webhooks")
def remove(id: str) -> None:
    """With its deliveries."""
    registry.remove(acting(), id)


@blp.post("/webhooks/<string:id>/test")
@blp.response(202, DeliverySchema)
@scope(Right.WEBHOOKS, part="webhooks")
def test(id: str) -> Delivery:
    """Send something that tells nothing."""
    return registry.test(acting(), id)


@blp.get("/webhooks/<string:id>/deliveries")
@blp.arguments(ListQuery, location="query")
@blp.response(200, list_of(DeliverySchema))
@scope(Right.WEBHOOKS, part="webhooks")
def deliveries(query: dict[str, Any], id: str) -> Any:
    """What one webhook was told, the newest first."""
    store = services().store.webhooks
    store.get(id)
    return by_rows(query, lambda skip, limit: store.deliveries(id, skip=skip, limit=limit))


@blp.post("/deliveries/<string:id>/again")
@blp.response(202, DeliverySchema)
@scope(Right.WEBHOOKS, part="webhooks")
def again(id: str) -> Delivery:
    """Send a delivery once more, also one that was taken."""
    return registry.again(acting(), id)
