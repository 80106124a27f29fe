"""Rules of triage: what is done with new leads by itself."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.frame.context import acting, services
from services.cases import triage_rules
from services.cases.triage_rules import NAME_LENGTH, Preview
from store.records import RuleAct, TriageRule
from store.rules.role_rights import Right

blp = blueprint("rules", "What is done with new leads by itself")

RuleOut = shown(TriageRule, leave_out=("waiting_below",))


class RuleIn(Schema):
    """`assign` needs an `assignee`, `quiet` a `share_below`; each place that is named has to fit."""

    name = words(NAME_LENGTH, least=1, required=True)
    act = choice(RuleAct, required=True)
    work_id = words(1000, load_default=None, allow_none=True)
    site_id = words(200, load_default=None, allow_none=True)
    holder = words(200, load_default=None, allow_none=True)
    assignee = words(60, load_default=None, allow_none=True)
    share_below = fields.Float(
        load_default=None, allow_none=True, validate=validate.Range(0, 1), metadata={"description": "of page and work"}
    )


class PreviewOut(Schema):
    """What the rule would have done with the newest cases that it is for."""

    cases = fields.Integer(required=True)
    waiting = fields.Integer(required=True, metadata={"description": "leads on which it acts as soon as it is on"})
    by_status = fields.Dict(required=True, keys=fields.String(), values=fields.Integer(), attribute="decided")
    whole = fields.Boolean(required=True, metadata={"description": "all cases were looked at"})
    numbers = fields.Function(lambda preview: [case.number for case in preview.rows])


@blp.get("/rules")
@blp.response(200, RuleOut(many=True))
@scope(Right.READ, part="triage_rules")
def find() -> list[TriageRule]:
    """All rules, the oldest first."""
    return triage_rules.rules(services().product)


@blp.post("/rules")
@blp.arguments(RuleIn)
@blp.response(201, RuleOut)
@scope(Right.DECIDE, part="triage_rules")
def add(given: dict[str, Any]) -> TriageRule:
    """Keep a rule, switched off; one that assigns needs `assign`, any other `proceed`."""
    return triage_rules.add(acting(), given.pop("name"), given.pop("act"), **given)


@blp.get("/rules/<string:id>/preview")
@blp.response(200, PreviewOut)
@scope(Right.READ, part="triage_rules")
def preview(id: str) -> Preview:
    """What the rule would have done, had it always been on."""
    return triage_rules.preview(acting(), services().store.triage_rules.get(id))


@blp.post("/rules/<string:id>/on")
@blp.response(200, RuleOut)
@scope(Right.DECIDE, part="triage_rules")
def switch_on(id: str) -> TriageRule:
    """For leads that open from now on, and those that wait."""
    return triage_rules.switch(acting(), id, True)


@blp.post("/rules/<string:id>/off")
@blp.response(200, RuleOut)
@scope(Right.DECIDE, part="triage_rules")
def switch_off(id: str) -> TriageRule:
    """What it did stands."""
    return triage_rules.switch(acting(), id, False)


@blp.delete("/rules/<string:id>")
@blp.response(204)
@scope(Right.DECIDE, part="triage_rules")
def remove(id: str) -> None:
    """Forget a rule; what it did stands."""
    triage_rules.remove(acting(), id)
