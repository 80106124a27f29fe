"""Lines are counted by the pages of a host, in bounded room, and forgotten when no page shows them any more."""

from datetime import timedelta

from tests.support.samples import TurnedClock
from wenhen.context.store_and_queue import Store
from wenhen.pages.text_repository import BUCKET_PAGES

HOST = "a.test"


def learn(store: Store, pages: int, *lines: str, host: str = HOST, name: str = "page") -> None:
    for number in range(pages):
        store.templates.learn(host, f"{name} {number}", [*lines, f"own line of {name} {number}"], 5)


def test_a_line_is_counted_once_for_each_page_of_its_host(store: Store) -> None:
    learn(store, 3, "menu", "foot")
    learn(store, 2, "menu", name="other")
    learn(store, 1, "menu", host="b.test")
    assert store.templates.counts(HOST, ["menu", "foot", "never"]) == {"menu": 5, "foot": 3}
    assert (store.templates.pages(HOST), store.templates.pages("b.test"), store.templates.pages("c.test")) == (5, 1, 0)


def test_the_same_text_at_another_address_counts_for_nothing(store: Store) -> None:
    for _ in range(7):
        store.templates.learn(HOST, "one text", ["menu", "story"], 5)
    assert store.templates.counts(HOST, ["menu", "story"]) == {"menu": 1, "story": 1}
    assert store.templates.pages(HOST) == 1


def test_a_host_whose_template_changed_is_told_once_it_rests_until_that_was_seen_to(
    store: Store, clock: TurnedClock
) -> None:
    learn(store, 4, "menu")
    clock.now += timedelta(minutes=5)
    assert store.templates.changed_hosts(clock.now) == []
    learn(store, 1, "menu", name="fifth")
    assert store.templates.changed_hosts(clock.now) == []
    clock.now += timedelta(minutes=5)
    assert store.templates.changed_hosts(clock.now) == [HOST]
    store.templates.mark_applied(HOST, clock.now)
    assert store.templates.changed_hosts(clock.now + timedelta(days=1)) == []


def test_a_change_after_the_moment_that_was_seen_to_is_told_again(store: Store, clock: TurnedClock) -> None:
    before = clock.now
    clock.now += timedelta(minutes=1)
    learn(store, 5, "menu")
    store.templates.mark_applied(HOST, before)
    assert store.templates.changed_hosts(clock.now + timedelta(minutes=1)) == [HOST]


def test_rare_lines_are_dropped_again_and_a_host_takes_bounded_room(store: Store) -> None:
    learn(store, BUCKET_PAGES, "menu")
    assert store.templates.counts(HOST, ["menu", "own line of page 7"]) == {"menu": BUCKET_PAGES}
    learn(store, BUCKET_PAGES - 1, "menu", name="later")
    assert store.templates.counts(HOST, ["own line of later 7"]) == {"own line of later 7": 1}
    learn(store, 1, "menu", name="last")
    assert store.templates.counts(HOST, ["menu", "own line of later 7"]) == {"menu": 2 * BUCKET_PAGES}


def test_what_no_new_page_shows_is_forgotten_on_hosts_that_have_new_pages(store: Store, clock: TurnedClock) -> None:
    learn(store, 5, "old menu")
    learn(store, 5, "menu", host="resting.test")
    clock.now += timedelta(days=200)
    learn(store, 5, "new menu", name="new")
    store.templates.forget(clock.now - timedelta(days=180))
    assert store.templates.counts(HOST, ["old menu", "new menu"]) == {"new menu": 5}
    assert store.templates.counts("resting.test", ["menu"]) == {"menu": 5}
