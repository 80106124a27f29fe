"""The audit log keeps every entry as it was written, and finds it again."""

import json
from datetime import timedelta
from functools import partial

from tests.support.samples import NOON, at_once
from wenhen.audit.model import find_chain_breaks
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import ActingToken

LATER = NOON + timedelta(hours=1)


def test_entries_come_back_whole_the_newest_first(store: Store) -> None:
    store.audit.add_all(NOON, "沈", "case.decide", [("case:1", "lead", "confirmed")])
    store.audit.add_all(LATER, "陆", "user.remove", [("user:老王", "operator", None)])
    newest, first = store.audit.find()
    assert (newest.number, newest.who, newest.subject, newest.old, newest.new) == (
        2,
        "陆",
        "user:老王",
        "operator",
        None,
    )
    assert (first.number, first.at, first.action, first.old, first.new) == (1, NOON, "case.decide", "lead", "confirmed")


def test_every_filter_leaves_out_what_does_not_fit(store: Store) -> None:
    for number, (who, action, subject) in enumerate([("a", "x", "s"), ("a", "y", "s"), ("b", "x", "t")]):
        store.audit.add_all(NOON + timedelta(hours=number), who, action, [(subject, None, None)])

    def numbers(**wanted: object) -> list[int]:
        found = [one.number for one in store.audit.find(**wanted)]  # type: ignore[arg-type]  # names of filters
        assert store.audit.count(**wanted) == len(found)  # type: ignore[arg-type]  # the same
        return found

    assert numbers() == [3, 2, 1]
    assert numbers(who="a") == [2, 1]
    assert numbers(action="x", subject="s") == [1]
    assert numbers(since=LATER) == [3, 2]
    assert numbers(since=NOON, until=LATER) == [1]
    assert numbers(who="nobody") == []


def test_a_line_is_found_by_the_file_that_it_names_however_long_it_is(store: Store) -> None:
    one, other = "a" * 64, "b" * 64
    store.audit.add_all(NOON, "沈", "report.export", [("case:1", None, f'{{"sha256": "{one}"}}')])
    both = [{"sha256": one}, {"manifest_sha256": other, "text": "长" * 30_000}, {"sha256": other}]
    store.audit.add_all(NOON, "沈", "notice.mail", [("notice:1", None, json.dumps(both, ensure_ascii=False))])
    store.audit.add_all(NOON, "沈", "report.remove", [("report:1", f'{{"sha256": "{one}"}}', None)])
    assert [line.number for line in store.audit.find(sha256=one)] == [2, 1]
    assert [line.number for line in store.audit.find(sha256=other)] == [2]
    assert store.audit.count(sha256="c" * 64) == 0
    assert [*find_chain_breaks(store.audit.each())] == []


def test_the_log_is_read_page_by_page(store: Store) -> None:
    for _ in range(5):
        store.audit.add_all(NOON, "a", "x", [("s", None, None)])
    assert [one.number for one in store.audit.find(limit=2)] == [5, 4]
    assert [one.number for one in store.audit.find(limit=2, before=4)] == [3, 2]
    assert [one.number for one in store.audit.find(limit=2, skip=4)] == [1]


def test_an_entry_names_the_token_that_is_acted_by_and_is_found_by_it(store: Store) -> None:
    token = ActingToken("0123456789ab", "每夜")
    store.audit.add_all(NOON, "沈", "case.decide", [("case:1", None, None)], token=token)
    store.audit.add_all(NOON, "沈", "case.assign", [("case:2", None, "陆")], token=token)
    store.audit.add_all(LATER, "沈", "case.decide", [("case:3", None, None)])
    assert [(one.token, one.token_name) for one in store.audit.find()] == [
        (None, None),
        ("0123456789ab", "每夜"),
        ("0123456789ab", "每夜"),
    ]
    assert [one.subject for one in store.audit.find(token="0123456789ab")] == ["case:2", "case:1"]
    assert store.audit.count(token="0123456789ab") == 2


def test_those_who_write_at_once_get_a_number_each(store: Store) -> None:
    at_once(*[partial(store.audit.add_all, NOON, "a", "x", [("s", None, None)])] * 8)
    assert sorted(one.number for one in store.audit.find()) == list(range(1, 9))


def test_there_is_no_way_to_change_what_was_written(store: Store) -> None:
    ways = {name for name in dir(store.audit) if not name.startswith("_")}
    assert ways - {"add_all", "each", "find", "count", "table", "declared", "record_type"} == set()
