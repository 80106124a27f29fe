"""A notice and a counter-notice have a day by which they are answered."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.samples import NOON, case
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_deadlines import CLOCKED_STATUSES, NOTICE_TERM, is_overdue, notice_dates
from wenhen.kit.errors import BadInput

FORTNIGHT = timedelta(days=15)


def test_a_notice_gives_a_week_from_its_day_unless_it_names_another() -> None:
    yesterday, tomorrow = NOON - timedelta(days=1), NOON + timedelta(days=1)
    sent = CaseStatus.NOTICE_SENT
    assert notice_dates(sent, None, None, NOON, FORTNIGHT) == {"notice_at": NOON, "deadline": NOON + NOTICE_TERM}
    assert notice_dates(sent, yesterday, None, NOON, FORTNIGHT)["deadline"] == yesterday + NOTICE_TERM
    assert notice_dates(sent, yesterday, tomorrow, NOON, FORTNIGHT)["deadline"] == tomorrow
    with pytest.raises(BadInput):
        notice_dates(sent, NOON, yesterday, NOON, FORTNIGHT)


def test_a_counter_notice_has_the_term_of_the_settings_and_no_other_status_has_a_date() -> None:
    assert notice_dates(CaseStatus.COUNTERED, None, None, NOON, FORTNIGHT) == {"deadline": NOON + FORTNIGHT}
    for status in set(CaseStatus) - set(CLOCKED_STATUSES):
        assert notice_dates(status, NOON, NOON, NOON, FORTNIGHT) == {}, status


def test_only_a_notice_whose_deadline_went_by_is_overdue() -> None:
    sent = replace(case(status=CaseStatus.NOTICE_SENT), deadline=NOON)
    assert is_overdue(sent, NOON + timedelta(seconds=1))
    assert not is_overdue(sent, NOON)
    assert not is_overdue(replace(sent, deadline=None), NOON + timedelta(days=30))
    for status in set(CaseStatus) - {CaseStatus.NOTICE_SENT, CaseStatus.COUNTERED}:
        assert not is_overdue(replace(sent, status=status), NOON + timedelta(days=30)), status
