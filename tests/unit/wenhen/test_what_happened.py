"""What a rule of alerts tells of a case is what the screens show of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.samples import NOON, case
from wenhen.alerts.model import AlertEvent, AlertPace, AlertRule
from wenhen.alerts.notifications import case_events
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_deadlines import is_overdue

RULE = AlertRule(
    id="r1",
    user="陆",
    user_id=None,
    name="逾期",
    query="",
    where={},
    events=(AlertEvent.OVERDUE,),
    pace=AlertPace.AT_ONCE,
    language="zh",
    created_at=NOON - timedelta(days=1),
    told_until=NOON,
)


@pytest.mark.parametrize("status", CaseStatus)
def test_a_case_is_told_as_overdue_where_the_lists_mark_it_so(status: CaseStatus) -> None:
    for deadline in (None, NOON - timedelta(seconds=1), NOON, NOON + timedelta(days=1)):
        one = replace(case(status=status), deadline=deadline)
        assert bool(list(case_events(one, RULE, NOON))) == is_overdue(one, NOON)


def test_a_deadline_that_went_by_before_the_rule_was_made_is_told_only_of_a_notice_that_was_noted_since() -> None:
    before = replace(case(status=CaseStatus.NOTICE_SENT), deadline=NOON - timedelta(days=9))
    for decided_at, told in ((None, False), (NOON - timedelta(days=9), False), (NOON, True)):
        assert bool(list(case_events(replace(before, decided_at=decided_at), RULE, NOON))) is told
