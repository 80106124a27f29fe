"""Rules of triage: made, switched on and off, and what each would have done until now."""

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pipeline.matching.apply_triage_rules import apply_to_waiting, place_of, surroundings
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from store.errors import BadInput
from store.records import Case, CaseStatus, RuleAct, TriageRule
from store.rules.cases.which_triage_rule import acting_on, fits
from store.rules.role_rights import Right

NAME_LENGTH: Final = 60
MOST: Final = 2_000  # cases at which a preview looks, and waiting leads that follow at once; the sweep does the others
SHOWN: Final = 10  # cases of a preview


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would have done with the newest cases that it is for, and what people did with them."""

    cases: int  # it would have acted on
    waiting: int  # of these, leads on which it acts as soon as it is on
    decided: Mapping[CaseStatus, int]  # of these, where they stand
    whole: bool  # all cases were looked at
    rows: tuple[Case, ...]  # the newest


def may_rule(acting: Acting, act: RuleAct) -> bool:
    """Who assigns may let a rule assign; who pursues cases may let one silence accusations that nobody has seen."""
    return acting.may(Right.ASSIGN if act is RuleAct.ASSIGN else Right.PROCEED)


def rules(product: Product) -> list[TriageRule]:
    """All of them, the oldest first."""
    return product.store.triage_rules.all()


def preview(acting: Acting, rule: TriageRule) -> Preview:
    """What a rule would have done with the newest `MOST` cases that it may be for, had it always been on."""
    product = acting.product
    numbers = [key["number"] for key in product.store.cases.keys(limit=MOST, **place_of(product, rule))]
    cases = sorted(product.store.cases.many(numbers).values(), key=lambda case: -case.number)
    around = surroundings(product, cases)
    meant = [case for case in cases if fits(rule, case, around[case.number])]
    return Preview(
        cases=len(meant),
        waiting=sum(bool(acting_on([rule], case, around[case.number])) for case in meant),
        decided=dict(Counter(case.status for case in meant)),
        whole=len(numbers) < MOST,
        rows=tuple(meant[:SHOWN]),
    )


@audited("rule.add")
def add(
    acting: Acting,
    name: str,
    act: RuleAct,
    *,
    work_id: str | None = None,
    site_id: str | None = None,
    holder: str | None = None,
    assignee: str | None = None,
    share_below: float | None = None,
) -> Changed[TriageRule]:
    """Keep a rule, switched off. assignee: needed where it assigns; share_below: where it makes quiet.

    Raises `BadInput` for a name that is missing or taken, an assignee whom nobody knows, or a share that is none;
    `NotFound` for a work or site that is not there; `Forbidden`.
    """
    _require(acting, act)
    store = acting.product.store
    if act is RuleAct.QUIET and not 0 < (share_below or 0) <= 1:
        raise BadInput("rules.share")
    if work_id:
        store.works.get(work_id)
    if site_id:
        store.sites.get(site_id)
    rule = TriageRule(
        id=secrets.token_hex(6),
        name=_free_name(acting.product, name),
        act=act,
        work_id=work_id or None,
        site_id=site_id or None,
        holder=(holder or "").strip() or None,
        assignee=_known(acting, assignee or "") if act is RuleAct.ASSIGN else None,
        share_below=share_below if act is RuleAct.QUIET else None,
        by=acting.who,
        at=acting.product.now(),
    )
    store.triage_rules.put(rule)
    return changed(rule, Line(f"rule:{rule.id}", new=rule))


@audited("rule.switch")
def switch(acting: Acting, id: str, on: bool) -> Changed[TriageRule]:
    """Switch a rule on, for leads that open from now on and those that wait, or off. NotFound, Forbidden."""
    store = acting.product.store
    old = store.triage_rules.get(id)
    _require(acting, old.act)
    newest = store.cases.find(limit=1) if on else []
    rule = replace(old, on=on, waiting_below=newest[0].number + 1 if newest else None)
    store.triage_rules.put(rule)
    if on:
        apply_to_waiting(acting.product, MOST)
    return changed(rule, Line(f"rule:{id}", old={"on": old.on}, new={"on": on}))


@audited("rule.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Forget a rule; what it did stands. NotFound, Forbidden."""
    rule = acting.product.store.triage_rules.get(id)
    _require(acting, rule.act)
    acting.product.store.triage_rules.remove(id)
    return changed(None, Line(f"rule:{id}", old=rule))


def _require(acting: Acting, act: RuleAct) -> None:
    acting.require(Right.ASSIGN if act is RuleAct.ASSIGN else Right.DECIDE)
    if not may_rule(acting, act):
        acting.require(Right.PROCEED)


def _free_name(product: Product, name: str) -> str:
    name = name.strip()[:NAME_LENGTH]
    if not name:
        raise BadInput("rules.unnamed")
    if any(rule.name == name for rule in rules(product)):
        raise BadInput("rules.name_taken", name=name)
    return name


def _known(acting: Acting, name: str) -> str:
    """A user, or whoever makes the rule where nobody signs in."""
    if name != acting.who and all(user.name != name for user in acting.product.store.users.all()):
        raise BadInput("cases.nobody", name=name)
    return name
