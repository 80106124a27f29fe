"""What was refused is shown once, with how often it came up."""

from datetime import timedelta
from functools import partial

from tests.support.samples import NOON, at_once
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import plain_message
from wenhen.kit.progress import Step

LATER = NOON + timedelta(hours=1)


def test_the_same_problem_again_is_counted_and_another_reason_is_another_problem(store: Store) -> None:
    store.problems.put("import", "a.txt", plain_message("empty"), NOON)
    store.problems.put("import", "a.txt", plain_message("empty"), LATER, Step.EXTRACT)
    store.problems.put("import", "a.txt", plain_message("not text"), NOON)
    newest, other = store.problems.recent()
    assert (newest.where, newest.what, newest.reason) == ("import", "a.txt", plain_message("empty"))
    assert (newest.at, newest.step, newest.times) == (LATER, Step.EXTRACT, 2)
    assert (other.reason, other.times, other.step) == (plain_message("not text"), 1, None)
    assert newest.id != other.id
    assert store.problems.count() == 2
    assert len(store.problems.recent(limit=1)) == 1


def test_a_problem_noted_by_many_at_once_is_one_with_its_count(store: Store) -> None:
    at_once(*[partial(store.problems.put, "crawl", "http://a.example/", plain_message("timeout"), NOON)] * 8)
    assert [one.times for one in store.problems.recent()] == [8]


def test_what_went_well_in_the_end_is_cleared_and_nothing_else(store: Store) -> None:
    for where, what, reason in [("crawl", "x", "a"), ("crawl", "x", "b"), ("crawl", "y", "a"), ("import", "x", "a")]:
        store.problems.put(where, what, plain_message(reason), NOON)
    store.problems.clear_all("crawl", {"x", "z"})
    assert {(one.where, one.what) for one in store.problems.recent()} == {("crawl", "y"), ("import", "x")}


def test_whether_something_befell_one_of_many_since_a_moment(store: Store) -> None:
    store.problems.put("crawl", "x", plain_message("a"), NOON)
    assert store.problems.any_since(NOON, "crawl", {"x", "y"})
    assert not store.problems.any_since(LATER, "crawl", {"x"}), "before"
    assert not store.problems.any_since(NOON, "crawl", {"y"}), "another one"
    assert not store.problems.any_since(NOON, "import", {"x"}), "elsewhere"


def test_a_file_whose_name_is_not_unicode_can_be_told_of_and_cleared(store: Store) -> None:
    store.problems.put("import", "坏\udcff.txt", plain_message("cannot be opened: 坏\udcff.txt"), NOON)
    assert store.problems.recent()[0].what == "坏?.txt"
    store.problems.clear("import", "坏\udcff.txt")
    assert store.problems.count() == 0
