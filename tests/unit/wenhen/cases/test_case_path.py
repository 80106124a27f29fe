"""The path of a case is whole: nothing leads nowhere, and what the machine proposes can be done."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.samples import NOON, capture, case, match
from wenhen.cases.model import CaseStatus, Extent
from wenhen.cases.rules import NEXT_STATUSES, PURSUED_STATUSES, has_grown, previous_statuses, proposed_status


def test_every_status_is_reached_from_a_lead_or_a_suspicion_and_leads_on() -> None:
    reached, fresh = ({CaseStatus.LEAD, CaseStatus.SUSPECTED} for _ in range(2))
    while fresh:
        fresh = {after for status in fresh for after in NEXT_STATUSES[status]} - reached
        reached |= fresh
    assert reached == set(CaseStatus) == set(NEXT_STATUSES)
    assert all(NEXT_STATUSES.values())


@pytest.mark.parametrize("status", CaseStatus)
def test_before_and_following_are_the_same_table(status: CaseStatus) -> None:
    assert {one for one in CaseStatus if status in NEXT_STATUSES[one]} == set(previous_statuses(status))
    assert status not in NEXT_STATUSES[status]


@pytest.mark.parametrize("status", CaseStatus)
@pytest.mark.parametrize("present", [True, False])
def test_what_is_proposed_can_be_done(status: CaseStatus, present: bool) -> None:
    one = case(status=status, present=present, decided_at=NOON - timedelta(days=1), capture=capture(fetched_at=NOON))
    step = proposed_status(one)
    assert step is None or step in NEXT_STATUSES[status]
    assert (step is CaseStatus.REMOVED) == (not present and status in PURSUED_STATUSES)


def test_a_case_grows_by_its_shares_or_its_passages_but_not_by_a_trifle() -> None:
    extent = Extent(share_of_page=0.3, share_of_work=0.2, passages=1)
    quiet = case(status=CaseStatus.QUIET, extent=extent, match=match(share_of_page=0.305, share_of_work=0.205))
    assert not has_grown(quiet)
    assert not has_grown(replace(quiet, extent=None))
    assert has_grown(replace(quiet, match=match(share_of_page=0.32, share_of_work=0.2)))
    assert has_grown(replace(quiet, match=match(share_of_page=0.1, share_of_work=0.22)))
    assert has_grown(replace(quiet, match=replace(quiet.match, passages=match().passages * 2)))
