"""Everybody has filters of their own."""

from tests.support.samples import NOON
from wenhen.context.store_and_queue import Store


def test_a_filter_is_saved_under_a_name_for_one_user(store: Store) -> None:
    store.filters.put("王", "B", "status=lead", NOON)
    first = store.filters.put("王", "A", "level=light", NOON)
    store.filters.put("李", "A", "host=a.example", NOON)
    store.filters.put("王", "B", "status=confirmed", NOON)
    assert [(one.name, one.query) for one in store.filters.of_user("王")] == [
        ("A", "level=light"),
        ("B", "status=confirmed"),
    ]
    assert not store.filters.remove(first.id, "李")
    assert store.filters.remove(first.id, "王")
    assert [one.name for one in store.filters.of_user("王")] == ["B"]
    assert [one.query for one in store.filters.of_user("李")] == ["host=a.example"]
