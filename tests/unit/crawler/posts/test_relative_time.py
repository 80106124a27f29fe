"""Times told by the time of the fetch: what is known of them, and nothing more."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.model import Precision
from crawler.extraction.posts.author_and_time import parse_relative_time
from wenhen.kit.clock import CHINA

NOW = datetime(2026, 3, 1, 1, 20, tzinfo=CHINA)


@pytest.mark.parametrize(
    ("said", "at", "precision"),
    [
        ("刚刚", "2026-03-01T01:20", "minute"),
        ("45 秒前", "2026-03-01T01:19", "minute"),
        ("发表于 25 分钟前 | 只看该作者", "2026-03-01T00:55", "minute"),
        ("半小时前", "2026-03-01T00:50", "hour"),
        ("3小时前", "2026-02-28T22:20", "hour"),
        ("2 個小時前", "2026-02-28T23:20", "hour"),
        ("昨天 12:30", "2026-02-28T12:30", "minute"),
        ("前天 下午 3:05", "2026-02-27T15:05", "minute"),
        ("今天 00:07", "2026-03-01T00:07", "minute"),
        ("昨天", "2026-02-28T00:00", "day"),
        ("3 天前", "2026-02-26T00:00", "day"),
        ("3 days ago", "2026-02-26T00:00", "day"),
        ("posted 2 hours ago", "2026-02-28T23:20", "hour"),
        ("星期三 12:30", "2026-02-25T12:30", "minute"),
        ("发表于 周六 晚上 9:05:10", "2026-02-28T21:05", "minute"),
        ("礼拜天", "2026-02-22T00:00", "day"),
        ("上周五", "2026-02-20T00:00", "day"),
    ],
)
def test_each_way_of_telling_gives_its_moment_as_exactly_as_it_says(said: str, at: str, precision: str) -> None:
    told = parse_relative_time(said, NOW)
    assert told is not None
    assert (f"{told[0]:%Y-%m-%dT%H:%M}", told[1]) == (at, precision)


@pytest.mark.parametrize(
    "said",
    [
        "2 周前",
        "半年前",
        "1 个月前",
        "从前",
        "刚刚好",
        "3.5 小时前",
        "昨日重现",
        "",
        "12:30",
        "星期三去哪里",
        "他说周六 9:05",
    ],
)
def test_what_tells_no_day_gives_nothing(said: str) -> None:
    assert parse_relative_time(said, NOW) is None


@given(
    st.integers(0, 3_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    st.integers(1, 99),
    st.sampled_from(["秒", "分钟", "小时", "天"]),
)
def test_nothing_was_written_after_the_fetch_and_days_are_those_of_china(at: datetime, count: int, unit: str) -> None:
    told = parse_relative_time(f"{count} {unit}前", at)
    assert told is not None
    moment, precision = told
    assert moment <= at
    if precision is Precision.DAY:
        assert moment.astimezone(CHINA).date() == at.astimezone(CHINA).date() - timedelta(days=count)
        assert moment.astimezone(CHINA).time() == datetime.min.time()
