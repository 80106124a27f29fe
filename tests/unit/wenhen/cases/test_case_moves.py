"""What a move makes of a case, and what stays when the machine looks again."""

from dataclasses import fields, replace
from datetime import timedelta

import pytest

from tests.support.oracles import removal_time, update_found_case
from tests.support.samples import NOON, case, match
from wenhen.cases.model import Case, CaseDecision, CaseStatus, Extent
from wenhen.cases.rules import KEPT_FIELDS, WAKE_ACTOR, is_copy, last_notice_time, move_case

DAY = timedelta(days=1)
CONFIRMED = move_case(case(), CaseDecision(status=CaseStatus.CONFIRMED, by="沈", at=NOON))
NOTICED = move_case(
    CONFIRMED,
    CaseDecision(status=CaseStatus.NOTICE_SENT, by="沈", reason="函", at=NOON + DAY, notice_at=NOON, deadline=NOON),
)


def test_a_move_is_kept_with_who_when_and_why() -> None:
    assert (NOTICED.status, NOTICED.decided_by, NOTICED.reason) == (CaseStatus.NOTICE_SENT, "沈", "函")
    assert [(one.status, one.at) for one in NOTICED.history] == [
        (CaseStatus.CONFIRMED, NOON),
        (CaseStatus.NOTICE_SENT, NOON + DAY),
    ]


def test_the_dates_of_a_notice_stay_until_others_are_given() -> None:
    refused = move_case(NOTICED, CaseDecision(status=CaseStatus.REFUSED, by="沈", reason="拒", at=NOON + DAY))
    assert (refused.notice_at, refused.deadline) == (NOON, NOON)


def test_a_decision_from_before_moves_were_kept_is_the_first_move() -> None:
    old = case(status=CaseStatus.CONFIRMED, decided_at=NOON, decided_by="旧", reason="因")
    first, second = move_case(
        old, CaseDecision(status=CaseStatus.DISMISSED, by="沈", reason="误", at=NOON + DAY)
    ).history
    assert (first.status, first.at, first.by, first.note) == (CaseStatus.CONFIRMED, NOON, "旧", "因")
    assert second.status is CaseStatus.DISMISSED


def test_only_a_quiet_case_keeps_how_much_was_copied() -> None:
    quiet = move_case(case(), CaseDecision(status=CaseStatus.QUIET, by="沈", at=NOON))
    assert quiet.extent == Extent(share_of_page=0.8, share_of_work=1.0, passages=1)
    assert move_case(quiet, CaseDecision(status=CaseStatus.LEAD, by="沈", at=NOON)).extent is None


def test_a_later_look_keeps_what_people_gave_a_case_and_renews_the_rest() -> None:
    known = replace(NOTICED, number=7, assignee="林", cluster_id="c1", present=False)
    found = case(match=match(share_of_page=0.1), page_title="新题", updated_at=NOON + DAY)
    after = update_found_case(known, found)
    assert all(getattr(after, name) == getattr(known, name) for name in KEPT_FIELDS)
    assert (after.present, after.match.share_of_page, after.page_title) == (True, 0.1, "新题")


@pytest.mark.parametrize(("share", "status"), [(0.8, CaseStatus.QUIET), (0.9, CaseStatus.LEAD)])
def test_a_quiet_case_wakes_up_when_more_is_copied(share: float, status: CaseStatus) -> None:
    quiet = move_case(case(), CaseDecision(status=CaseStatus.QUIET, by="沈", at=NOON))
    after = update_found_case(quiet, case(match=match(share_of_page=share), updated_at=NOON + DAY))
    assert after.status is status
    if status is CaseStatus.LEAD:
        assert (after.decided_by, after.decided_at, len(after.history)) == (WAKE_ACTOR, NOON + DAY, 2)


def test_what_is_kept_are_fields_of_a_case() -> None:
    assert set(KEPT_FIELDS) < {one.name for one in fields(Case)}


@pytest.mark.parametrize("status", CaseStatus)
def test_a_case_counts_as_a_copy_unless_it_is_dismissed_or_a_suspicion_or_licensed(status: CaseStatus) -> None:
    assert is_copy(case(status=status)) == (status not in (CaseStatus.DISMISSED, CaseStatus.SUSPECTED))
    assert not is_copy(case(status=status, licence_id="l1"))


def test_the_reaction_of_a_site_runs_from_the_last_notice_to_the_removal() -> None:
    assert (last_notice_time(CONFIRMED), removal_time(CONFIRMED)) == (None, None)
    assert last_notice_time(NOTICED) == NOON
    assert last_notice_time(replace(NOTICED, notice_at=None)) == NOON + DAY
    removed = move_case(NOTICED, CaseDecision(status=CaseStatus.REMOVED, by="沈", at=NOON + 3 * DAY))
    assert removal_time(removed) == NOON + 3 * DAY
    back = move_case(removed, CaseDecision(status=CaseStatus.CONFIRMED, by="沈", at=NOON + 4 * DAY))
    assert removal_time(back) is None
