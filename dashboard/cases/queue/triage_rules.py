"""Rules of triage: the list, what one would have done, and the form for one more."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.cases import triage_rules
from services.cases.triage_rules import MOST, NAME_LENGTH
from store.errors import BadInput, NotFound
from store.records import RuleAct
from store.rules.role_rights import Right

blueprint = Blueprint("rules", __name__, url_prefix="/suspects/rules")


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The rules; with `?rule=` what that one would have done."""
    return _page()


@blueprint.post("/")
@needs(Right.DECIDE)
def add() -> ResponseReturnValue:
    """Keep a rule, switched off, and show what it would have done."""
    form = request.form
    try:
        share = float(form["percent"]) / 100 if form.get("percent") else None
        rule = triage_rules.add(
            acting(),
            form.get("name", ""),
            RuleAct(form.get("act", "")),
            work_id=form.get("work", "").strip() or None,
            site_id=form.get("site") or None,
            holder=form.get("holder", "").strip()[:200] or None,
            assignee=form.get("assignee") or None,
            share_below=share,
        )
    except (BadInput, NotFound) as error:
        return _page(error.message.text(language())), 400
    except ValueError:
        return _page(t("rules.what_act")), 400
    return _back(rule.id)


@blueprint.post("/switch")
@needs(Right.DECIDE)
def switch() -> Response:
    """On or off."""
    on = request.form.get("on") == "yes"
    rule = triage_rules.switch(acting(), request.form.get("id", ""), on)
    flash(t("rules.switched_on" if on else "rules.switched_off", name=rule.name))
    return _back(rule.id if on else None)


@blueprint.post("/remove")
@needs(Right.DECIDE)
def remove() -> Response:
    """Forget a rule."""
    triage_rules.remove(acting(), request.form.get("id", ""))
    flash(t("rules.removed"))
    return _back(None)


def _page(refusal: str | None = None) -> str:
    product = services().product
    store, found = product.store, triage_rules.rules(product)
    chosen = next((rule for rule in found if rule.id == request.args.get("rule")), None)
    people = {user.name for user in store.users.all() if user.disabled_at is None} | {acting().who}
    return render_template(
        "cases/rules.html",
        rules=found,
        chosen=chosen,
        preview=triage_rules.preview(acting(), chosen) if chosen else None,
        works=store.works.many({rule.work_id for rule in found if rule.work_id}),
        sites={site.id: site.name for site in store.sites.all()},
        people=sorted(people),
        acts=[act for act in RuleAct if triage_rules.may_rule(acting(), act)],
        most=MOST,
        name_length=NAME_LENGTH,
        refusal=refusal,
        form=request.form,
    )


def _back(id: str | None) -> Response:
    address = url_for("rules.show", _external=False, **({"rule": id} if id else {}))
    return redirect(address, 303)
