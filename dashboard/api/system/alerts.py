"""People who are told of cases by alerts: their rules, the bell, and the letters that went out."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import scope
from dashboard.api.cases.cases import CaseFilter
from dashboard.api.schemas import choice, shown, words
from dashboard.api.system.webhooks import blp
from dashboard.frame.context import acting, services
from services.alerts import own_rules as alert_rules
from services.cases.case_filter import Filter
from store.records import Alert, AlertEvent, AlertPace, AlertRule, Letter
from store.rules.role_rights import Right

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
@scope(Right.READ, part="webhooks")
def alerts() -> list[Alert]:
    """What the token's user was told, the newest first."""
    return services().store.alerts.of_user(acting().who)


@blp.post("/alerts/seen")
@blp.response(204)
@scope(Right.READ, part="webhooks")
def alerts_seen() -> None:
    """The user has seen them all."""
    alert_rules.see(acting())


@blp.get("/alert-rules")
@blp.response(200, AlertRuleOut(many=True))
@scope(Right.READ, part="webhooks")
def rules_of_alerts() -> list[AlertRule]:
    """Those of the token's user."""
    return alert_rules.of(acting())


@blp.post("/alert-rules")
@blp.arguments(AlertRuleIn)
@blp.response(201, AlertRuleOut)
@scope(Right.READ, part="webhooks")
def add_alert_rule(given: dict[str, Any]) -> AlertRule:
    """A new one."""
    given["chosen"] = Filter(**given.pop("filter"))
    return alert_rules.add(acting(), **given)


@blp.patch("/alert-rules/<string:id>")
@blp.arguments(AlertRuleChange)
@blp.response(200, AlertRuleOut)
@scope(Right.READ, part="webhooks")
def change_alert_rule(given: dict[str, Any], id: str) -> AlertRule:
    """Change what is given; with `paused` it tells nothing, or goes on."""
    if "filter" in given:
        given["chosen"] = Filter(**given.pop("filter"))
    return alert_rules.change(acting(), id, **given)


@blp.delete("/alert-rules/<string:id>")
@blp.response(204)
@scope(Right.READ, part="webhooks")
def remove_alert_rule(id: str) -> None:
    """With its alerts."""
    alert_rules.remove(acting(), id)


@blp.post("/alert-rules/<string:id>/test")
@blp.response(202, shown(Letter))
@scope(Right.READ, part="webhooks")
def test_alert_rule(id: str) -> Letter:
    """Send a letter that tells nothing."""
    return alert_rules.test(acting(), id)


@blp.get("/alert-rules/<string:id>/letters")
@blp.response(200, shown(Letter)(many=True))
@scope(Right.READ, part="webhooks")
def letters(id: str) -> list[Letter]:
    """The newest letters of a rule, each with when it was taken, or why not yet."""
    return alert_rules.letters(acting(), id)
