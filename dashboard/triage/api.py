"""Serve the API of triage rules for new leads."""

from marshmallow import Schema, fields, validate

from dashboard.frame.api import OPTIONAL, ApiBlueprint, JsonObject, choice_field, record_schema, text_field
from dashboard.frame.context import current_actor, services
from wenhen.kit.rights import Right
from wenhen.triage.model import RuleAct, TriageRule
from wenhen.triage.service import (
    MAX_RULE_NAME_CHARACTERS,
    Preview,
    add_rule,
    find_rules,
    preview_rule,
    remove_rule,
    switch_rule,
)

triage_rules_blp = ApiBlueprint("rules", "What is done with new leads by itself", part="triage_rules")

RuleOut = record_schema(TriageRule, leave_out=("waiting_below",))


class RuleIn(Schema):
    """A triage rule. `assign` requires an `assignee`, `quiet` a `share_below`. All given conditions have to match."""

    name = text_field(MAX_RULE_NAME_CHARACTERS, least=1, required=True)
    act = choice_field(RuleAct, required=True)
    work_id = text_field(1000, **OPTIONAL)
    site_id = text_field(200, **OPTIONAL)
    holder = text_field(200, **OPTIONAL)
    assignee = text_field(60, **OPTIONAL)
    share_below = fields.Float(**OPTIONAL, validate=validate.Range(0, 1), metadata={"description": "of page and work"})


class PreviewOut(Schema):
    """The effect that the rule would have had on the newest cases that it matches."""

    cases = fields.Integer(required=True)
    waiting = fields.Integer(required=True, metadata={"description": "leads on which it acts as soon as it is on"})
    by_status = fields.Dict(required=True, keys=fields.String(), values=fields.Integer(), attribute="decided")
    whole = fields.Boolean(required=True, metadata={"description": "all cases were looked at"})
    numbers = fields.Function(lambda preview: [case.number for case in preview.rows])


@triage_rules_blp.get("/rules")
@triage_rules_blp.response(200, RuleOut(many=True))
@triage_rules_blp.scope(Right.READ)
def find() -> list[TriageRule]:
    """All rules, the oldest first."""
    return find_rules(services().product)


@triage_rules_blp.post("/rules")
@triage_rules_blp.arguments(RuleIn)
@triage_rules_blp.response(201, RuleOut)
@triage_rules_blp.scope(Right.DECIDE)
def add(body: JsonObject) -> TriageRule:
    """Keep a rule, switched off; one that assigns needs `assign`, any other `proceed`."""
    return add_rule(current_actor(), body.pop("name"), body.pop("act"), **body)


@triage_rules_blp.get("/rules/<string:id>/preview")
@triage_rules_blp.response(200, PreviewOut)
@triage_rules_blp.scope(Right.READ)
def preview(id: str) -> Preview:
    """What the rule would have done, had it always been on."""
    return preview_rule(current_actor(), services().store.triage_rules.get(id))


@triage_rules_blp.post("/rules/<string:id>/on")
@triage_rules_blp.response(200, RuleOut)
@triage_rules_blp.scope(Right.DECIDE)
def switch_on(id: str) -> TriageRule:
    """For leads that open from now on, and those that wait."""
    return switch_rule(current_actor(), id, True)


@triage_rules_blp.post("/rules/<string:id>/off")
@triage_rules_blp.response(200, RuleOut)
@triage_rules_blp.scope(Right.DECIDE)
def switch_off(id: str) -> TriageRule:
    """What it did stands."""
    return switch_rule(current_actor(), id, False)


@triage_rules_blp.delete("/rules/<string:id>")
@triage_rules_blp.response(204)
@triage_rules_blp.scope(Right.DECIDE)
def remove(id: str) -> None:
    """Forget a rule; what it did stands."""
    remove_rule(current_actor(), id)
