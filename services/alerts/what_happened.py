"""Which events a case had that a rule of alerts may ask for, and what tells each from the same at another time."""

from collections.abc import Iterator
from datetime import datetime

from store.records import AlertEvent, AlertRule, Case, CaseStatus
from store.rules.cases.case_path import PURSUED
from store.rules.cases.deadlines import overdue
from store.rules.kept_for import ALERTS


def events(case: Case, rule: AlertRule, now: datetime) -> Iterator[tuple[AlertEvent, str]]:
    """What happened to a case since the rule was made, each with what tells it from the same at another time."""
    for event in rule.events:
        what = _happened(event, case, rule, now)
        if what is not None:
            yield event, what


def _happened(event: AlertEvent, case: Case, rule: AlertRule, now: datetime) -> str | None:
    decided = case.decided_at.isoformat() if case.decided_at else ""
    lately = case.updated_at >= rule.created_at
    told_from = max(rule.created_at, now - ALERTS)  # what was told of earlier may be forgotten
    happened, what = False, ""
    match event:
        case AlertEvent.NEW:
            happened = case.opened_at >= told_from
        case AlertEvent.ASSIGNED:
            happened = lately and case.assignee == rule.user
        case AlertEvent.ASKED:
            happened, what = lately and case.asked == rule.user, decided
        case AlertEvent.GONE:
            happened, what = lately and not case.present and case.status in PURSUED, case.capture.fetched_at.isoformat()
        case AlertEvent.RETURNED:
            happened, what = lately and case.present and case.status is CaseStatus.REMOVED, decided
        case AlertEvent.OVERDUE if case.deadline is not None:
            since = max(case.deadline, case.decided_at or case.deadline)  # a notice may be noted long after it was sent
            happened, what = overdue(case, now) and since >= told_from, case.deadline.isoformat()
    return what if happened else None
