"""What the rules want to be told of, found in the cases that were written lately, and put under the bells.

An alert's id is made of its rule, its case and what happened: whoever looks again finds it there, and tells it no
more.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from services.alerts.letters import make_letters
from services.alerts.rules_that_tell import stands
from services.alerts.what_happened import events
from services.cases.changed_cases import OVERLAP, changed_since
from services.context import Product
from services.kept_conditions import conditions
from store.records import Alert, AlertEvent, AlertRule, Case, CaseConditions

_MARK: Final = "alerts"  # up to when cases were looked through


def notice_alerts(product: Product) -> None:
    """Put what happened since the last look under the bells, make the letters whose turn it is, have them sent."""
    store, now = product.store, product.now()
    rules = [rule for rule in store.alerts.rules() if stands(product, rule)]
    if rules:
        _look_through(product, rules, now)
        make_letters(product, rules)
    if store.alerts.has_due(now):
        product.queue.deliver()


def _look_through(product: Product, rules: Sequence[AlertRule], now: datetime) -> None:
    mark = product.store.marks.get(_MARK) or {}
    before = mark.get("at")
    since = before if isinstance(before, datetime) else min(rule.created_at for rule in rules)
    _offer_answers(product, rules, since - OVERLAP, now)
    for cases in changed_since(since, product.store.webhooks.changed_cases):
        _offer(product, rules, cases, now)
    # Nothing is written to a case as its deadline goes by.
    _offer(product, rules, product.store.cases.passed(since - OVERLAP, now), now)
    product.store.marks.set(_MARK, {"at": now})


def _offer(product: Product, rules: Sequence[AlertRule], cases: Sequence[Case], now: datetime) -> None:
    for rule in rules:
        happened = [(case, event, what) for case in cases for event, what in events(case, rule, now)]
        fitting = _fitting(product, rule, {case.number for case, _, _ in happened})
        told = [_alert(rule, case, event, what, now) for case, event, what in happened if case.number in fitting]
        product.store.alerts.offer(told)


def _offer_answers(product: Product, rules: Sequence[AlertRule], since: datetime, now: datetime) -> None:
    """What came back to notices: each mail once, by the first of the notice's cases that a rule lets pass."""
    asking = [rule for rule in rules if AlertEvent.ANSWERED in rule.events]
    for mail in product.store.replies.assigned_since(since) if asking else ():
        numbers = product.store.notices.get(mail.notice or "").case_numbers
        for rule in asking:
            new = mail.assigned_at is not None and mail.assigned_at >= rule.created_at
            fitting = _fitting(product, rule, numbers) if new and (mail.failed or not mail.is_report) else ()
            for case in product.store.cases.many(sorted(fitting)[:1]).values():
                product.store.alerts.offer([_alert(rule, case, AlertEvent.ANSWERED, mail.id, now)])


def _fitting(product: Product, rule: AlertRule, numbers: Collection[int]) -> set[int]:
    """The numbers of those cases that the rule's filter lets pass."""
    if not numbers:
        return set()
    wanted: CaseConditions = {**conditions(rule.where), "numbers": tuple(numbers)}
    return {key["number"] for key in product.store.cases.keys(limit=len(numbers), **wanted)}


def _alert(rule: AlertRule, case: Case, event: AlertEvent, what: str, now: datetime) -> Alert:
    return Alert(
        id=sha256(f"{rule.id} {case.id} {event} {what}".encode("utf-8", "replace")).hexdigest()[:24],
        rule_id=rule.id,
        user=rule.user,
        event=event,
        case_number=case.number,
        work_title=case.work_title,
        page_host=case.page_host,
        at=now,
    )
