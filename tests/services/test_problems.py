"""What failed is looked at, tried again and dropped by its kind, all of a kind at once."""

import pytest

from tests.services.samples.library import set_aside
from tests.support.acting import by
from tests.support.seed import NOW
from wenhen.kit.errors import Conflict, Forbidden, plain_message
from wenhen.kit.progress import Step
from wenhen.kit.rights import Right
from wenhen.operations.problems import drop_problems, problem_groups, problems_of_kind, retry_problems
from wenhen.runtime.wiring import App
from wenhen.steps.problems import CRAWL, PIPELINE, ProblemKind

FAILED = ProblemKind(PIPELINE, "ValueError", Step.FINGERPRINT)
SILENT = ProblemKind(CRAWL, "timeout", None)


@pytest.fixture
def failed(product: App) -> App:
    """A work that was set aside, and three addresses that did not answer."""
    set_aside(by(product))
    for number in range(3):
        product.store.problems.put(
            CRAWL, f"http://a.test/{number}", plain_message(f"no answer {number}"), NOW, kind="timeout"
        )
    return product


def test_problems_are_counted_by_kind_and_shown_one_by_one(failed: App) -> None:
    assert [(one.which, one.count) for one in problem_groups(failed)] == [(SILENT, 3), (FAILED, 1)]
    assert len(problems_of_kind(failed, SILENT)) == 3
    assert len(problems_of_kind(failed, SILENT, limit=2)) == 2
    assert [one.what for one in problems_of_kind(failed, FAILED)] == ["work:w1"]


def test_all_of_a_kind_are_tried_again_where_they_failed(failed: App) -> None:
    assert retry_problems(by(failed), FAILED) == 1
    assert failed.store.works.get("w1").progress.step is Step.FINGERPRINT
    assert [one.which for one in problem_groups(failed)] == [SILENT]
    assert retry_problems(by(failed), FAILED) == 0
    with pytest.raises(Conflict, match="tried again by themselves"):
        retry_problems(by(failed), SILENT)


def test_all_of_a_kind_are_dropped_and_the_rest_stays(failed: App) -> None:
    assert drop_problems(by(failed), SILENT) == 3
    assert [one.which for one in problem_groups(failed)] == [FAILED]
    assert drop_problems(by(failed), FAILED) == 1
    assert problem_groups(failed) == []
    assert failed.store.works.get("w1").progress.step is Step.DONE
    assert {one.action for one in failed.store.audit.find()} >= {"problems.drop"}


def test_whoever_may_not_operate_changes_nothing(failed: App) -> None:
    for do in (retry_problems, drop_problems):
        with pytest.raises(Forbidden):
            do(by(failed, rights=(Right.READ,)), FAILED)
    assert len(problem_groups(failed)) == 2
