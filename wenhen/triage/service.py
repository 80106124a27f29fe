"""Add, switch and preview triage rules, and apply them to new and waiting leads."""

import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wenhen.accounts.users import require_colleague
from wenhen.cases.model import Case, CaseConditions, CaseDecision, CaseStatus
from wenhen.cases.rules import WAKE_ACTOR
from wenhen.context.use_cases import (
    Acting,
    AuditLine,
    ChangeResult,
    Context,
    Product,
    audited,
    change_result,
    format_change,
)
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right
from wenhen.triage.model import (
    CaseSurroundings,
    RuleAct,
    TriageRule,
    is_dismissal_outdated,
    is_rule_for,
    resulting_status,
    rule_author,
    select_rules,
)

# Application of triage rules to new leads, and to waiting ones when a rule is enabled. Each action is in the audit log
# under the name of the rule; it is written here, because no user acts. It can be undone like decisions of users.


CASES_PER_BATCH = 500  # waiting leads that are read at once


def apply_triage_rules(context: Context, cases: Sequence[Case]) -> int:
    """Apply the enabled rules to these cases. Return the number of actions."""
    rules = context.store.triage_rules.switched_on() if cases else []
    return _apply_to_cases(context, rules, cases)


def apply_rules_to_waiting(context: Context, most: int) -> int:
    """Continue with the leads that waited when a rule was enabled, the newest first. Return how many were examined."""
    looked = 0
    while looked < most and (rule := _unfinished_rule(context)):
        cases = find_waiting_cases(context, rule, rule.waiting_below or 0)
        _apply_to_cases(context, [rule], cases)
        context.store.triage_rules.gone_through(rule, cases[-1].number if len(cases) == CASES_PER_BATCH else None)
        looked += len(cases)
    return looked


def _unfinished_rule(context: Context) -> TriageRule | None:
    rules = context.store.triage_rules.switched_on()
    return next((rule for rule in rules if rule.waiting_below is not None), None)


def find_waiting_cases(context: Context, rule: TriageRule, below: int) -> list[Case]:
    """Return the newest leads below a number that a rule may match, without their passages."""
    where: CaseConditions = {**rule_conditions(context, rule), "status": CaseStatus.LEAD, "below": below}
    numbers = [key["number"] for key in context.store.cases.keys(limit=CASES_PER_BATCH, **where)]
    cases = context.store.cases.many(numbers)
    return [cases[number] for number in numbers if number in cases]


def rule_conditions(context: Context, rule: TriageRule) -> CaseConditions:
    """Return the query for all cases that a rule may match, as far as the store can check its conditions."""
    site = next((site for site in context.store.sites.all() if site.id == rule.site_id), None) if rule.site_id else None
    return {
        "work_id": rule.work_id,
        "hosts": None if rule.site_id is None else site.hosts if site else (),
        "licensed": True if rule.act is RuleAct.DISMISS else None,
        "share_to": rule.share_below,
    }


def find_surroundings(context: Context, cases: Iterable[Case]) -> dict[int, CaseSurroundings]:
    """Return the surroundings of each case, by number."""
    cases = list(cases)
    works = context.store.works.many({case.work_id for case in cases})
    sites: dict[str, set[str]] = defaultdict(set)
    for site in context.store.sites.all():
        for host in site.hosts:
            sites[host].add(site.id)
    return {
        case.number: CaseSurroundings(
            works[case.work_id].owner if case.work_id in works else None, sites.get(case.page_host, set())
        )
        for case in cases
    }


def revert_outdated_dismissals(context: Context, cases: Iterable[Case]) -> None:
    """Reopen leads that a rule dismissed for a licence that no longer covers them, and apply the rules to them."""
    numbers = [case.number for case in cases if is_dismissal_outdated(case)]
    if not numbers:
        return
    moved = _move_cases(context, WAKE_ACTOR, numbers, CaseStatus.LEAD, [CaseStatus.DISMISSED], None)
    apply_triage_rules(context, list(context.store.cases.many(moved).values()))


def _apply_to_cases(context: Context, rules: Sequence[TriageRule], cases: Sequence[Case]) -> int:
    if not rules or not cases:
        return 0
    acts: dict[str, list[Case]] = defaultdict(list)
    around = find_surroundings(context, cases)
    for case in cases:
        for rule in select_rules(rules, case, around[case.number]):
            acts[rule.id].append(case)
    return sum(_act_on_cases(context, rule, acts[rule.id]) for rule in rules if rule.id in acts)


def _act_on_cases(context: Context, rule: TriageRule, cases: Sequence[Case]) -> int:
    numbers = [case.number for case in cases]
    if status := resulting_status(rule):
        return len(_move_cases(context, rule_author(rule), numbers, status, [CaseStatus.LEAD], rule.name))
    context.store.cases.assign(numbers, rule.assignee, moment=context.now())
    _write_audit_entries(context, rule_author(rule), "case.assign", numbers, {}, {"assignee": rule.assignee})
    return len(numbers)


def _move_cases(
    context: Context,
    by: str,
    numbers: Sequence[int],
    status: CaseStatus,
    only_from: Collection[CaseStatus],
    reason: str | None,
) -> list[int]:
    batch = secrets.token_hex(8)
    decision = CaseDecision(status=status, by=by, at=context.now(), reason=reason)
    moved = context.store.cases.decide_many(numbers, decision, only_from=only_from, batch=batch)
    old, new = next(iter(only_from)), {"status": status.value} | ({"reason": reason} if reason else {})
    _write_audit_entries(context, by, "case.decide", moved, {"status": old.value}, new)
    return moved


def _write_audit_entries(
    context: Context,
    who: str,
    action: str,
    numbers: Iterable[int],
    old: Mapping[str, str],
    new: Mapping[str, str | None],
) -> None:
    values = format_change(old or None, new)
    if entries := [(f"case:{number}", *values) for number in numbers]:
        context.store.audit.add_all(context.now(), who, action, entries)


# Management of triage rules, and the preview of their effect.


MAX_RULE_NAME_CHARACTERS: Final = 60
MAX_PREVIEWED_CASES: Final = (
    2_000  # cases in a preview, and waiting leads that are processed at once; the reconciler processes the others
)
MAX_PREVIEW_EXAMPLES: Final = 10  # cases in a preview


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect that a rule would have had on the newest cases that it matches, and what users decided on them."""

    cases: int  # cases that it matches
    waiting: int  # of these, leads to which it applies once it is enabled
    decided: Mapping[CaseStatus, int]  # of these, by current status
    whole: bool  # all cases were examined
    rows: tuple[Case, ...]  # the newest


def may_use_act(acting: Acting, act: RuleAct) -> bool:
    """Return whether a user may create such rules: ASSIGN to assign, PROCEED to close accusations that nobody has
    seen.
    """
    return acting.may(Right.ASSIGN if act is RuleAct.ASSIGN else Right.PROCEED)


def find_rules(product: Product) -> list[TriageRule]:
    """Return all rules, the oldest first."""
    return product.store.triage_rules.all()


def preview_rule(acting: Acting, rule: TriageRule) -> Preview:
    """Return the effect that a rule would have had on the newest `MAX_PREVIEWED_CASES` cases that it may match."""
    product = acting.product
    numbers = [
        key["number"] for key in product.store.cases.keys(limit=MAX_PREVIEWED_CASES, **rule_conditions(product, rule))
    ]
    cases = sorted(product.store.cases.many(numbers).values(), key=lambda case: -case.number)
    around = find_surroundings(product, cases)
    meant = [case for case in cases if is_rule_for(rule, case, around[case.number])]
    return Preview(
        cases=len(meant),
        waiting=sum(bool(select_rules([rule], case, around[case.number])) for case in meant),
        decided=dict(Counter(case.status for case in meant)),
        whole=len(numbers) < MAX_PREVIEWED_CASES,
        rows=tuple(meant[:MAX_PREVIEW_EXAMPLES]),
    )


@audited("rule.add")
def add_rule(
    acting: Acting,
    name: str,
    act: RuleAct,
    *,
    work_id: str | None = None,
    site_id: str | None = None,
    holder: str | None = None,
    assignee: str | None = None,
    share_below: float | None = None,
) -> ChangeResult[TriageRule]:
    """Create a disabled rule. assignee: for ASSIGN. share_below: for QUIET.

    Raises `BadInput` for a missing or used name, an unknown assignee, or an invalid share; `NotFound` for an unknown
    work or site; `Forbidden`.
    """
    _require_act(acting, act)
    store = acting.product.store
    if act is RuleAct.QUIET and not 0 < (share_below or 0) <= 1:
        raise BadInput("rules.share")
    if work_id:
        store.works.get(work_id)
    if site_id:
        store.sites.get(site_id)
    rule = TriageRule(
        id=secrets.token_hex(6),
        name=_require_free_name(acting.product, name),
        act=act,
        work_id=work_id or None,
        site_id=site_id or None,
        holder=(holder or "").strip() or None,
        assignee=require_colleague(acting, assignee or "") if act is RuleAct.ASSIGN else None,
        share_below=share_below if act is RuleAct.QUIET else None,
        by=acting.who,
        at=acting.product.now(),
    )
    store.triage_rules.put(rule)
    return change_result(rule, AuditLine(f"rule:{rule.id}", new=rule))


@audited("rule.switch")
def switch_rule(acting: Acting, id: str, on: bool) -> ChangeResult[TriageRule]:
    """Enable a rule, for new and waiting leads, or disable it. Raises NotFound, Forbidden."""
    store = acting.product.store
    old = store.triage_rules.get(id)
    _require_act(acting, old.act)
    newest = store.cases.find(limit=1) if on else []
    rule = replace(old, on=on, waiting_below=newest[0].number + 1 if newest else None)
    store.triage_rules.put(rule)
    if on:
        apply_rules_to_waiting(acting.product, MAX_PREVIEWED_CASES)
    return change_result(rule, AuditLine(f"rule:{id}", old={"on": old.on}, new={"on": on}))


@audited("rule.remove")
def remove_rule(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete a rule. Its effects stay. Raises NotFound, Forbidden."""
    rule = acting.product.store.triage_rules.get(id)
    _require_act(acting, rule.act)
    acting.product.store.triage_rules.remove(id)
    return change_result(None, AuditLine(f"rule:{id}", old=rule))


def _require_act(acting: Acting, act: RuleAct) -> None:
    acting.require(Right.ASSIGN if act is RuleAct.ASSIGN else Right.DECIDE)
    if not may_use_act(acting, act):
        acting.require(Right.PROCEED)


def _require_free_name(product: Product, name: str) -> str:
    name = name.strip()[:MAX_RULE_NAME_CHARACTERS]
    if not name:
        raise BadInput("rules.unnamed")
    if any(rule.name == name for rule in find_rules(product)):
        raise BadInput("rules.name_taken", name=name)
    return name
