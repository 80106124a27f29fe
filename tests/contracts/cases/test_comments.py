"""Remarks stay as they were written, in their order."""

from datetime import timedelta

from tests.support.samples import NOON
from wenhen.context.store_and_queue import Store


def test_the_newest_remarks_of_a_case_come_in_the_order_in_which_they_were_written(store: Store) -> None:
    for minute, (number, text) in enumerate([(1, "先看"), (2, "别处"), (1, "$再看"), (1, "后看")]):
        store.comments.add(number, by="王", text=text, moment=NOON + timedelta(minutes=minute))
    assert [one.text for one in store.comments.of_case(1)] == ["先看", "$再看", "后看"]
    assert [one.text for one in store.comments.of_case(1, limit=2)] == ["$再看", "后看"]
    assert (store.comments.of_case(2)[0].by, store.comments.of_case(2)[0].at) == ("王", NOON + timedelta(minutes=1))
    assert store.comments.of_case(3) == []
