"""Who is told of cases, and what they were told: programs by webhooks, people by alerts."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cases.cases import CaseFilter
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, choice, list_of, shown, words
from dashboard.frame.context import acting, services
from services.alerts import rules as alert_rules
from services.cases.case_filter import Filter
from services.webhooks import registry
from services.webhooks.registry import TELLABLE, URL_LENGTH
from store.records import Alert, AlertEvent, AlertPace, AlertRule, Delivery, Event, Letter, Webhook
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
@scope(Right.WEBHOOKS)
def find() -> list[Webhook]:
    """All webhooks."""
    return services().store.webhooks.all()


@blp.post("/webhooks")
@blp.arguments(WebhookIn)
@blp.response(201, shown(Webhook))
@scope(Right.WEBHOOKS)
def add(given: dict[str, Any]) -> Webhook:
    """A new one, with the secret that signs what is sent; it is shown once."""
    return registry.add(acting(), given["url"], given["events"])


@blp.get("/webhooks/<string:id>")
@blp.response(200, Brief)
@scope(Right.WEBHOOKS)
def get(id: str) -> Webhook:
    """One webhook."""
    return services().store.webhooks.get(id)


@blp.patch("/webhooks/<string:id>")
@blp.arguments(WebhookChange)
@blp.response(200, Brief)
@scope(Right.WEBHOOKS)
def change(given: dict[str, bool], id: str) -> Webhook:
    """Rest, or go on."""
    return registry.set_paused(acting(), id, given["paused"])


@blp.delete("/webhooks/<string:id>")
@blp.response(204)
@scope(Right.WEBHOOKS)
def remove(id: str) -> None:
    """With its deliveries."""
    registry.remove(acting(), id)


@blp.post("/webhooks/<string:id>/test")
@blp.response(202, DeliverySchema)
@scope(Right.WEBHOOKS)
def test(id: str) -> Delivery:
    """Send something that tells nothing."""
    return registry.test(acting(), id)


@blp.get("/webhooks/<string:id>/deliveries")
@blp.arguments(ListQuery, location="query")
@blp.response(200, list_of(DeliverySchema))
@scope(Right.WEBHOOKS)
def deliveries(query: dict[str, Any], id: str) -> Any:
    """What one webhook was told, the newest first."""
    store = services().store.webhooks
    store.get(id)
    return by_rows(query, lambda skip, limit: store.deliveries(id, skip=skip, limit=limit))


@blp.post("/deliveries/<string:id>/again")
@blp.response(202, DeliverySchema)
@scope(Right.WEBHOOKS)
def again(id: str) -> Delivery:
    """Send a delivery once more, also one that was taken."""
    return registry.again(acting(), id)


AlertRuleOut = shown(AlertRule, leave_out=("channel",))


class AlertRuleIn(Schema):
    """What to tell the token's user, of which cases, and where to."""

    name = words(alert_rules.NAME_LENGTH, least=1, required=True)
    events = fields.List(choice(AlertEvent), required=True, validate=validate.Length(1, len(AlertEvent)))
    filter = fields.Nested(CaseFilter, load_default=dict)
    pace = choice(AlertPace, load_default=AlertPace.AT_ONCE)
    channel = words(
        alert_rules.CHANNEL_LENGTH,
        load_default="",
        metadata={"description": "an address of Apprise; empty: the bell alone"},
    )
    language = fields.String(validate=validate.OneOf(("zh", "en")), load_default="zh")


class AlertRuleChange(Schema):
    """What is given is changed."""

    name = words(alert_rules.NAME_LENGTH, least=1)
    events = fields.List(choice(AlertEvent), validate=validate.Length(1, len(AlertEvent)))
    filter = fields.Nested(CaseFilter)
    pace = choice(AlertPace)
    channel = words(alert_rules.CHANNEL_LENGTH, metadata={"description": "empty: the bell alone"})
    language = fields.String(validate=validate.OneOf(("zh", "en")))
    paused = fields.Boolean(truthy={True}, falsy={False})


@blp.get("/alerts")
@blp.response(200, shown(Alert)(many=True))
@scope(Right.READ)
def alerts() -> list[Alert]:
    """What the token's user was told, the newest first."""
    return services().store.alerts.of_user(acting().who)


@blp.post("/alerts/seen")
@blp.response(204)
@scope(Right.READ)
def alerts_seen() -> None:
    """The user has seen them all."""
    alert_rules.see(acting())


@blp.get("/alert-rules")
@blp.response(200, AlertRuleOut(many=True))
@scope(Right.READ)
def rules_of_alerts() -> list[AlertRule]:
    """Those of the token's user."""
    return alert_rules.of(acting())


@blp.post("/alert-rules")
@blp.arguments(AlertRuleIn)
@blp.response(201, AlertRuleOut)
@scope(Right.READ)
def add_alert_rule(given: dict[str, Any]) -> AlertRule:
    """A new one."""
    given["chosen"] = Filter(**given.pop("filter"))
    return alert_rules.add(acting(), **given)


@blp.patch("/alert-rules/<string:id>")
@blp.arguments(AlertRuleChange)
@blp.response(200, AlertRuleOut)
@scope(Right.READ)
def change_alert_rule(given: dict[str, Any], id: str) -> AlertRule:
    """Change what is given; with `paused` it tells nothing, or goes on."""
    if "filter" in given:
        given["chosen"] = Filter(**given.pop("filter"))
    return alert_rules.change(acting(), id, **given)


@blp.delete("/alert-rules/<string:id>")
@blp.response(204)
@scope(Right.READ)
def remove_alert_rule(id: str) -> None:
    """With its alerts."""
    alert_rules.remove(acting(), id)


@blp.post("/alert-rules/<string:id>/test")
@blp.response(202, shown(Letter))
@scope(Right.READ)
def test_alert_rule(id: str) -> Letter:
    """Send a letter that tells nothing."""
    return alert_rules.test(acting(), id)


@blp.get("/alert-rules/<string:id>/letters")
@blp.response(200, shown(Letter)(many=True))
@scope(Right.READ)
def letters(id: str) -> list[Letter]:
    """The newest letters of a rule, each with when it was taken, or why not yet."""
    return alert_rules.letters(acting(), id)
