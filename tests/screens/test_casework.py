"""The use cases that the screens, the API and the command share, asked directly."""

import pytest

from services.cases import MOST, Casework
from store.errors import BadInput, NotFound
from store.records import CaseStatus
from tests.support.seed import NOW, Seeder


@pytest.fixture
def one(seed: Seeder) -> Seeder:
    """One case."""
    seed.work()
    seed.case()
    return seed


def as_person(seed: Seeder, *, may_proceed: bool) -> Casework:
    return Casework(seed.store, "李", NOW, may_proceed=may_proceed)


def test_beyond_the_confirmation_only_who_may_proceed_moves_a_case(one: Seeder) -> None:
    operator, lawyer = as_person(one, may_proceed=False), as_person(one, may_proceed=True)
    assert operator.move([1], CaseStatus.CONFIRMED).moved == (1,)
    with pytest.raises(BadInput, match="proceed"):
        operator.move([1], CaseStatus.NOTICE_SENT)
    lawyer.move([1], CaseStatus.NOTICE_SENT)
    back = operator.move([1], CaseStatus.CONFIRMED)
    assert (back.moved, back.stayed) == ((), (1,))
    assert one.store.cases.get("1").status is CaseStatus.NOTICE_SENT


def test_what_cannot_be_is_refused_and_nothing_moves(one: Seeder) -> None:
    work = as_person(one, may_proceed=True)
    with pytest.raises(BadInput, match="reason"):
        work.move([1], CaseStatus.DISMISSED, note="  ")
    with pytest.raises(BadInput, match="at most"):
        work.move(range(MOST + 1), CaseStatus.CONFIRMED)
    with pytest.raises(BadInput, match="at most"):
        work.assign(range(MOST + 1), "王")
    with pytest.raises(BadInput, match="empty"):
        work.comment(1, " ")
    with pytest.raises(NotFound):
        work.comment(9, "看")
    assert one.store.cases.get("1").history == ()
    assert one.store.audit.count() == 0


def test_cases_that_are_not_there_are_neither_moved_nor_left(one: Seeder) -> None:
    done = as_person(one, may_proceed=True).move([1, 7, 1], CaseStatus.CONFIRMED)
    assert (done.moved, done.stayed) == ((1,), ())


def test_who_is_given_what_he_has_changes_nothing(one: Seeder) -> None:
    work = as_person(one, may_proceed=False)
    assert [work.assign([1], "王"), work.assign([1], "王"), work.assign([1], " ")] == [1, 0, 1]
    assert [entry.new for entry in reversed(one.store.audit.find())] == ['{"assignee": "王"}', None]
