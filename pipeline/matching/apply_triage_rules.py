"""What rules of triage do with the leads that open, and with those that wait when one is switched on.

Each act stands in the audit log under the rule's name, written here since no person acts; it is undone as people's
decisions are.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from pipeline.context import Context
from store.audit_values import written
from store.records import Case, CaseConditions, CaseStatus, RuleAct, TriageRule
from store.rules.cases.case_moves import WAKER
from store.rules.cases.which_triage_rule import Surroundings, acting_on, author, leads_to, outlived

TOGETHER = 500  # waiting leads that are read at once


def apply_rules(context: Context, cases: Sequence[Case]) -> int:
    """Do with these cases what the rules say that are on; how many acts."""
    rules = context.store.triage_rules.switched_on() if cases else []
    return _apply(context, rules, cases)


def apply_to_waiting(context: Context, most: int) -> int:
    """Go on through the leads that waited when a rule was switched on, the newest first; how many were looked at."""
    looked = 0
    while looked < most and (rule := _unfinished(context)):
        found = waiting(context, rule, rule.waiting_below or 0)
        _apply(context, [rule], found)
        context.store.triage_rules.gone_through(rule, found[-1].number if len(found) == TOGETHER else None)
        looked += len(found)
    return looked


def _unfinished(context: Context) -> TriageRule | None:
    rules = context.store.triage_rules.switched_on()
    return next((rule for rule in rules if rule.waiting_below is not None), None)


def waiting(context: Context, rule: TriageRule, below: int) -> list[Case]:
    """The newest leads below a number where the rule may act, without their passages."""
    where: CaseConditions = {**place_of(context, rule), "status": CaseStatus.LEAD, "below": below}
    numbers = [key["number"] for key in context.store.cases.keys(limit=TOGETHER, **where)]
    found = context.store.cases.many(numbers)
    return [found[number] for number in numbers if number in found]


def place_of(context: Context, rule: TriageRule) -> CaseConditions:
    """The cases among which are all on which a rule acts, as far as the store can be asked for them."""
    site = next((one for one in context.store.sites.all() if one.id == rule.site_id), None) if rule.site_id else None
    return {
        "work_id": rule.work_id,
        "hosts": None if rule.site_id is None else site.hosts if site else (),
        "licensed": True if rule.act is RuleAct.DISMISS else None,
        "share_to": rule.share_below,
    }


def surroundings(context: Context, cases: Iterable[Case]) -> dict[int, Surroundings]:
    """Where each case stands, by its number."""
    cases = list(cases)
    works = context.store.works.many({case.work_id for case in cases})
    sites: dict[str, set[str]] = defaultdict(set)
    for site in context.store.sites.all():
        for host in site.hosts:
            sites[host].add(site.id)
    return {
        case.number: Surroundings(
            works[case.work_id].owner if case.work_id in works else None, sites.get(case.page_host, set())
        )
        for case in cases
    }


def take_back(context: Context, cases: Iterable[Case]) -> None:
    """Make leads again of what a rule dismissed for a licence that covers it no more, and let the rules look at it."""
    numbers = [case.number for case in cases if outlived(case)]
    if not numbers:
        return
    moved = _move(context, WAKER, numbers, CaseStatus.LEAD, [CaseStatus.DISMISSED], None)
    apply_rules(context, list(context.store.cases.many(moved).values()))


def _apply(context: Context, rules: Sequence[TriageRule], cases: Sequence[Case]) -> int:
    if not rules or not cases:
        return 0
    acts: dict[str, list[Case]] = defaultdict(list)
    around = surroundings(context, cases)
    for case in cases:
        for rule in acting_on(rules, case, around[case.number]):
            acts[rule.id].append(case)
    return sum(_act(context, rule, acts[rule.id]) for rule in rules if rule.id in acts)


def _act(context: Context, rule: TriageRule, cases: Sequence[Case]) -> int:
    numbers = [case.number for case in cases]
    if status := leads_to(rule):
        return len(_move(context, author(rule), numbers, status, [CaseStatus.LEAD], rule.name))
    context.store.cases.assign(numbers, rule.assignee, at=context.now())
    _audit(context, author(rule), "case.assign", numbers, {}, {"assignee": rule.assignee})
    return len(numbers)


def _move(
    context: Context,
    by: str,
    numbers: Sequence[int],
    status: CaseStatus,
    only_from: Collection[CaseStatus],
    reason: str | None,
) -> list[int]:
    batch = secrets.token_hex(8)
    moved = context.store.cases.decide_many(
        numbers, status, only_from=only_from, by=by, reason=reason, at=context.now(), batch=batch
    )
    old, new = next(iter(only_from)), {"status": status.value} | ({"reason": reason} if reason else {})
    _audit(context, by, "case.decide", moved, {"status": old.value}, new)
    return moved


def _audit(
    context: Context,
    who: str,
    action: str,
    numbers: Iterable[int],
    old: Mapping[str, str],
    new: Mapping[str, str | None],
) -> None:
    values = written(old or None, new)
    if entries := [(f"case:{number}", *values) for number in numbers]:
        context.store.audit.add_all(context.now(), who, action, entries)
