"""Manage triage rules, and preview their effect."""

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, enabled_people, language, services, shows_refusal, t
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import needs
from wenhen.kit.errors import NotFound
from wenhen.kit.rights import Right
from wenhen.triage.model import RuleAct
from wenhen.triage.service import (
    MAX_PREVIEWED_CASES,
    MAX_RULE_NAME_CHARACTERS,
    add_rule,
    find_rules,
    may_use_act,
    preview_rule,
    remove_rule,
    switch_rule,
)
from wenhen.works.service import find_named_work

triage_rules_blueprint = Blueprint("rules", __name__, url_prefix="/suspects/rules")


@triage_rules_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the rules. With `?rule=`, preview the effect of that one."""
    return _render_rules()


@triage_rules_blueprint.post("/")
@needs(Right.DECIDE)
@shows_refusal(lambda refusal: _render_rules(refusal.text(language())), NotFound)
def add() -> Response | tuple[str, int]:
    """Store a rule, switched off, and preview its effect."""
    form = request.form
    work = form.get("work", "").strip()
    try:
        share, act = float(form["percent"]) / 100 if form.get("percent") else None, RuleAct(form.get("act", ""))
    except ValueError:
        return _render_rules(t("rules.what_act")), 400
    rule = add_rule(
        current_actor(),
        form.get("name", ""),
        act,
        work_id=find_named_work(services().product, work).id if work else None,
        site_id=form.get("site") or None,
        holder=form.get("holder", "").strip()[:200] or None,
        assignee=form.get("assignee") or None,
        share_below=share,
    )
    return redirect_to("rules.show", rule=rule.id)


@triage_rules_blueprint.post("/switch")
@needs(Right.DECIDE)
def switch() -> Response:
    """Switch a rule on or off."""
    on = request.form.get("on") == "yes"
    rule = switch_rule(current_actor(), request.form.get("id", ""), on)
    notice = t("rules.switched_on" if on else "rules.switched_off", name=rule.name)
    return redirect_to("rules.show", notice, rule=rule.id if on else None)


@triage_rules_blueprint.post("/remove")
@needs(Right.DECIDE)
def remove() -> Response:
    """Remove a rule."""
    remove_rule(current_actor(), request.form.get("id", ""))
    return redirect_to("rules.show", t("rules.removed"))


def _render_rules(refusal: str | None = None) -> str:
    product = services().product
    store, rules = product.store, find_rules(product)
    chosen = next((rule for rule in rules if rule.id == request.args.get("rule")), None)
    return render_template(
        "cases/rules.html",
        rules=rules,
        chosen=chosen,
        preview=preview_rule(current_actor(), chosen) if chosen else None,
        works=store.works.many({rule.work_id for rule in rules if rule.work_id}),
        sites={site.id: site.name for site in store.sites.all()},
        people=sorted({*enabled_people(), current_actor().who}),
        acts=[act for act in RuleAct if may_use_act(current_actor(), act)],
        most=MAX_PREVIEWED_CASES,
        name_length=MAX_RULE_NAME_CHARACTERS,
        refusal=refusal,
        form=request.form,
    )
