"""Texts are counted by day and site, in groups that are few whatever pages say."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from wenhen.context.store_and_queue import Store
from wenhen.pages.model import TextDay, TextSeen, TextSite

pytestmark = pytest.mark.server

LATE = datetime(2026, 3, 1, 16, 30, tzinfo=UTC)  # half past midnight in Beijing
FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)


def text(site: str = "a.test", **values: Any) -> TextSeen:
    known = {"new": True, "length": 800, "language": "zh-CN", "script": "simplified", "charset": "utf-8"}
    return TextSeen(site=site, **{**known, **values})


def test_texts_are_counted_by_the_day_in_beijing_and_by_site(store: Store) -> None:
    store.text_tallies.count([text(), text("b.test")], LATE.replace(hour=15))
    store.text_tallies.count([text(), text(new=False), text(new=False)], LATE)
    told = store.text_tallies.figures(FIRST, SECOND)
    assert (told.since, told.new, told.changed) == (FIRST, 3, 2)
    assert told.days == [TextDay(day=FIRST, new=2, changed=0), TextDay(day=SECOND, new=1, changed=2)]
    assert told.sites == [TextSite(site="a.test", new=2, changed=2), TextSite(site="b.test", new=1, changed=0)]
    assert store.text_tallies.figures(SECOND, SECOND).new == 1
    of_one = store.text_tallies.figures(FIRST, SECOND, site="b.test")
    assert (of_one.new, of_one.sites) == (1, [TextSite(site="b.test", new=1, changed=0)])


def test_what_pages_say_of_themselves_falls_into_few_groups(store: Store) -> None:
    odd = text(language="x.$y", charset="a.b$c", script=None, length=0)
    store.text_tallies.count(
        [odd, text(language="zh-TW", script="traditional", length=40_000), text(language=None)], LATE
    )
    told = store.text_tallies.figures(FIRST, SECOND)
    assert told.languages == {"other": 1, "zh": 1, "": 1}
    assert told.charsets == {"utf-8": 2, "other": 1}
    assert told.scripts == {"": 1, "traditional": 1, "simplified": 1}
    assert told.lengths == {0: 1, 300: 1, 30_000: 1}


def test_nothing_is_told_of_days_without_texts(store: Store) -> None:
    told = store.text_tallies.figures(FIRST, SECOND)
    assert (told.since, told.new, told.days, told.sites, told.languages) == (None, 0, [], [], {})
