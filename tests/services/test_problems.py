"""What failed is looked at, tried again and dropped by its kind, all of a kind at once."""

import pytest

from services.upkeep.problems import drop_all, groups, of_kind, retry_all
from store.errors import Conflict, Forbidden
from store.messages import plain
from store.records import ProblemKind, Step
from store.records.upkeep.problem import CRAWL, PIPELINE
from store.rules.role_rights import Right
from tests.services.samples.library import set_aside
from tests.support.acting import by
from tests.support.seed import NOW
from wenhen.wiring import App

FAILED = ProblemKind(PIPELINE, "ValueError", Step.FINGERPRINT)
SILENT = ProblemKind(CRAWL, "timeout", None)


@pytest.fixture
def failed(product: App) -> App:
    """A work that was set aside, and three addresses that did not answer."""
    set_aside(by(product))
    for number in range(3):
        product.store.problems.put(CRAWL, f"http://a.test/{number}", plain(f"no answer {number}"), NOW, kind="timeout")
    return product


def test_problems_are_counted_by_kind_and_shown_one_by_one(failed: App) -> None:
    assert [(one.which, one.count) for one in groups(failed)] == [(SILENT, 3), (FAILED, 1)]
    assert len(of_kind(failed, SILENT)) == 3
    assert len(of_kind(failed, SILENT, limit=2)) == 2
    assert [one.what for one in of_kind(failed, FAILED)] == ["work:w1"]


def test_all_of_a_kind_are_tried_again_where_they_failed(failed: App) -> None:
    assert retry_all(by(failed), FAILED) == 1
    assert failed.store.works.get("w1").progress.step is Step.FINGERPRINT
    assert [one.which for one in groups(failed)] == [SILENT]
    assert retry_all(by(failed), FAILED) == 0
    with pytest.raises(Conflict, match="tried again by themselves"):
        retry_all(by(failed), SILENT)


def test_all_of_a_kind_are_dropped_and_the_rest_stays(failed: App) -> None:
    assert drop_all(by(failed), SILENT) == 3
    assert [one.which for one in groups(failed)] == [FAILED]
    assert drop_all(by(failed), FAILED) == 1
    assert groups(failed) == []
    assert failed.store.works.get("w1").progress.step is Step.DONE
    assert {one.action for one in failed.store.audit.find()} >= {"problems.drop"}


def test_whoever_may_not_operate_changes_nothing(failed: App) -> None:
    for do in (retry_all, drop_all):
        with pytest.raises(Forbidden):
            do(by(failed, rights=(Right.READ,)), FAILED)
    assert len(groups(failed)) == 2
