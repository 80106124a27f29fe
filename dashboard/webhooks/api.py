"""Serve the API of webhooks with their deliveries, and of alerts with their rules."""

from marshmallow import Schema, fields, validate

from dashboard.cases.api import CaseFilter
from dashboard.frame.api import (
    ApiBlueprint,
    JsonObject,
    ListQuery,
    choice_field,
    list_schema,
    page_by_rows,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from wenhen.alerts.alert_rules import (
    MAX_CHANNEL_CHARACTERS,
    MAX_RULE_NAME_CHARACTERS,
    create_alert_rule,
    delete_alert_rule,
    mark_alerts_seen,
    own_alert_rules,
    rule_letters,
    send_test_letter,
    update_alert_rule,
)
from wenhen.alerts.model import Alert, AlertEvent, AlertPace, AlertRule, Letter
from wenhen.cases.filters import Filter
from wenhen.kit.rights import Right
from wenhen.webhooks.model import Delivery, Event, Webhook
from wenhen.webhooks.service import (
    CASE_EVENTS,
    MAX_URL_CHARACTERS,
    add_webhook,
    remove_webhook,
    resend_delivery,
    send_test_delivery,
    set_webhook_paused,
)

webhooks_blp = ApiBlueprint("webhooks", "Who is told of cases")

WebhookBrief = record_schema(Webhook, leave_out=("secret",))
DeliverySchema = record_schema(Delivery)


class WebhookIn(Schema):
    """The address of a webhook, and its events."""

    url = text_field(MAX_URL_CHARACTERS, least=1, required=True)
    events = fields.List(
        choice_field(Event), load_default=list(CASE_EVENTS), validate=validate.Length(1, len(CASE_EVENTS))
    )


class WebhookChange(Schema):
    """The pause of a webhook. While it is paused, its outbox collects deliveries."""

    paused = fields.Boolean(truthy={True}, falsy={False}, required=True)


@webhooks_blp.get("/webhooks")
@webhooks_blp.response(200, WebhookBrief(many=True))
@webhooks_blp.scope(Right.WEBHOOKS)
def find() -> list[Webhook]:
    """All webhooks."""
    return services().store.webhooks.all()


@webhooks_blp.post("/webhooks")
@webhooks_blp.arguments(WebhookIn)
@webhooks_blp.response(201, record_schema(Webhook))
@webhooks_blp.scope(Right.WEBHOOKS)
def add(body: JsonObject) -> Webhook:
    """A new one, with the secret that signs what is sent; it is shown once."""
    return add_webhook(current_actor(), body["url"], body["events"])


@webhooks_blp.get("/webhooks/<string:id>")
@webhooks_blp.response(200, WebhookBrief)
@webhooks_blp.scope(Right.WEBHOOKS)
def get(id: str) -> Webhook:
    """One webhook."""
    return services().store.webhooks.get(id)


@webhooks_blp.patch("/webhooks/<string:id>")
@webhooks_blp.arguments(WebhookChange)
@webhooks_blp.response(200, WebhookBrief)
@webhooks_blp.scope(Right.WEBHOOKS)
def change(body: dict[str, bool], id: str) -> Webhook:
    """Rest, or go on."""
    return set_webhook_paused(current_actor(), id, body["paused"])


@webhooks_blp.delete("/webhooks/<string:id>")
@webhooks_blp.response(204)
@webhooks_blp.scope(Right.WEBHOOKS)
def remove(id: str) -> None:
    """With its deliveries."""
    remove_webhook(current_actor(), id)


@webhooks_blp.post("/webhooks/<string:id>/test")
@webhooks_blp.response(202, DeliverySchema)
@webhooks_blp.scope(Right.WEBHOOKS)
def test(id: str) -> Delivery:
    """Send something that tells nothing."""
    return send_test_delivery(current_actor(), id)


@webhooks_blp.get("/webhooks/<string:id>/deliveries")
@webhooks_blp.arguments(ListQuery, location="query")
@webhooks_blp.response(200, list_schema(DeliverySchema))
@webhooks_blp.scope(Right.WEBHOOKS)
def deliveries(query: JsonObject, id: str) -> JsonObject:
    """What one webhook was told, the newest first."""
    store = services().store.webhooks
    store.get(id)
    return page_by_rows(query, lambda skip, limit: store.deliveries(id, skip=skip, limit=limit))


@webhooks_blp.post("/deliveries/<string:id>/again")
@webhooks_blp.response(202, DeliverySchema)
@webhooks_blp.scope(Right.WEBHOOKS)
def again(id: str) -> Delivery:
    """Send a delivery once more, also one that was taken."""
    return resend_delivery(current_actor(), id)


# Alerts for users: their rules, their notifications, and the mails that were sent.


AlertRuleOut = record_schema(AlertRule, leave_out=("channel",))


class AlertRuleIn(Schema):
    """The events, cases and channel of an alert rule for the token's user."""

    name = text_field(MAX_RULE_NAME_CHARACTERS, least=1, required=True)
    events = fields.List(choice_field(AlertEvent), required=True, validate=validate.Length(1, len(AlertEvent)))
    filter = fields.Nested(CaseFilter, load_default=dict)
    pace = choice_field(AlertPace, load_default=AlertPace.AT_ONCE)
    channel = text_field(
        MAX_CHANNEL_CHARACTERS,
        load_default="",
        metadata={"description": "an address of Apprise; empty: the bell alone"},
    )
    language = fields.String(validate=validate.OneOf(("zh", "en")), load_default="zh")


class AlertRuleChange(Schema):
    """The fields of an alert rule to change. Missing fields keep their values."""

    name = text_field(MAX_RULE_NAME_CHARACTERS, least=1)
    events = fields.List(choice_field(AlertEvent), validate=validate.Length(1, len(AlertEvent)))
    filter = fields.Nested(CaseFilter)
    pace = choice_field(AlertPace)
    channel = text_field(MAX_CHANNEL_CHARACTERS, metadata={"description": "empty: the bell alone"})
    language = fields.String(validate=validate.OneOf(("zh", "en")))
    paused = fields.Boolean(truthy={True}, falsy={False})


@webhooks_blp.get("/alerts")
@webhooks_blp.response(200, record_schema(Alert)(many=True))
@webhooks_blp.scope(Right.READ)
def alerts() -> list[Alert]:
    """What the token's user was told, the newest first."""
    return services().store.alerts.of_user(current_actor().who)


@webhooks_blp.post("/alerts/seen")
@webhooks_blp.response(204)
@webhooks_blp.scope(Right.READ)
def alerts_seen() -> None:
    """The user has seen them all."""
    mark_alerts_seen(current_actor())


@webhooks_blp.get("/alert-rules")
@webhooks_blp.response(200, AlertRuleOut(many=True))
@webhooks_blp.scope(Right.READ)
def rules_of_alerts() -> list[AlertRule]:
    """Those of the token's user."""
    return own_alert_rules(current_actor())


@webhooks_blp.post("/alert-rules")
@webhooks_blp.arguments(AlertRuleIn)
@webhooks_blp.response(201, AlertRuleOut)
@webhooks_blp.scope(Right.READ)
def add_alert_rule(body: JsonObject) -> AlertRule:
    """A new one."""
    body["chosen"] = Filter(**body.pop("filter"))
    return create_alert_rule(current_actor(), **body)


@webhooks_blp.patch("/alert-rules/<string:id>")
@webhooks_blp.arguments(AlertRuleChange)
@webhooks_blp.response(200, AlertRuleOut)
@webhooks_blp.scope(Right.READ)
def change_alert_rule(body: JsonObject, id: str) -> AlertRule:
    """Change what is given; with `paused` it tells nothing, or goes on."""
    if "filter" in body:
        body["chosen"] = Filter(**body.pop("filter"))
    return update_alert_rule(current_actor(), id, **body)


@webhooks_blp.delete("/alert-rules/<string:id>")
@webhooks_blp.response(204)
@webhooks_blp.scope(Right.READ)
def remove_alert_rule(id: str) -> None:
    """With its alerts."""
    delete_alert_rule(current_actor(), id)


@webhooks_blp.post("/alert-rules/<string:id>/test")
@webhooks_blp.response(202, record_schema(Letter))
@webhooks_blp.scope(Right.READ)
def test_alert_rule(id: str) -> Letter:
    """Send a letter that tells nothing."""
    return send_test_letter(current_actor(), id)


@webhooks_blp.get("/alert-rules/<string:id>/letters")
@webhooks_blp.response(200, record_schema(Letter)(many=True))
@webhooks_blp.scope(Right.READ)
def letters(id: str) -> list[Letter]:
    """The newest letters of a rule, each with when it was taken, or why not yet."""
    return rule_letters(current_actor(), id)
