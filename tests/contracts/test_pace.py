"""A host is asked no more often, and by no more at a time, than it should be, by all crawlers together."""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest
import redis

from crawler.politeness.rate import RedisRateLimiter
from crawler.ports import SlotGrant
from tests.support.samples import at_once
from tests.support.servers.redis_cluster import redis_cluster, redis_cluster_nodes  # noqa: F401  fixtures

LEASE = 1.0  # seconds; who tells of itself every fifth of that may be held up for some of it


@pytest.fixture(params=["one server", "a cluster"])
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "a cluster":
        yield request.getfixturevalue("redis_cluster")
        return
    with closing(redis.Redis.from_url(request.getfixturevalue("redis_url"))) as opened:
        yield opened


def asked(
    pace: RedisRateLimiter, entering: str = "", left: str = "", held: str = "", **values: Any
) -> list[SlotGrant | None]:
    """One turn for requests of one letter each."""
    return pace.turn("a.test", entering, **{"left": left, "held": held, "delay": 0.0, "most": 9, **values})


def turn(
    pace: RedisRateLimiter, entering: str = "", left: str = "", held: str = "", **values: Any
) -> list[float | None]:
    """The same, where none follows another."""
    answers = asked(pace, entering, left, held, **values)
    assert not any(answer.follows for answer in answers if answer)
    return [answer and answer.seconds for answer in answers]


def test_requests_of_all_crawlers_come_one_delay_after_the_other(client: Any) -> None:
    answers = at_once(*[lambda: turn(RedisRateLimiter(client), "ab", delay=100.0, most=99)] * 6)
    waits = sorted(wait for some in answers for wait in some if wait is not None)
    assert len(waits) == 12
    gaps = [later - earlier for earlier, later in pairwise(waits)]
    assert all(90 < gap < 110 for gap in gaps), "apart by the delay, but for the moments between the calls"


def test_another_host_is_not_waited_for(client: Any) -> None:
    pace = RedisRateLimiter(client)
    turn(pace, "abc", delay=10.0)
    assert pace.turn("b.test", "d", left="", held="", delay=10.0, most=1) == [SlotGrant(0.0)]


def test_no_more_ask_a_host_at_a_time_than_may_and_one_that_left_makes_room(client: Any) -> None:
    one, other = RedisRateLimiter(client), RedisRateLimiter(client)
    assert turn(one, "ab", most=3) == [0.0, 0.0]
    assert turn(other, "cd", most=3) == [0.0, None]
    assert turn(other, "d", most=3) == [None]
    assert turn(one, left="a") == []
    assert turn(other, "d", most=3) == [0.0]


def test_who_waits_for_room_gets_it_before_those_that_come_later(client: Any) -> None:
    quick, slow = RedisRateLimiter(client), RedisRateLimiter(client)
    assert turn(quick, "a", most=1) == [0.0]
    assert turn(slow, "b", most=1) == [None]
    assert turn(quick, "c", left="a", most=1) == [None]
    assert turn(slow, "b", most=1) == [0.0]


def test_who_is_alone_is_told_the_moments_of_those_that_follow_and_none_is_far_off(client: Any) -> None:
    pace = RedisRateLimiter(client)
    turn(pace, "a", delay=0.04, most=1)
    answers = asked(pace, "bcdefg", held="a", delay=0.04, most=1, following=9)
    given = [answer for answer in answers if answer]
    assert 2 <= len(given) <= 4
    assert answers[: len(given)] == given, "first come, first served"
    assert all(answer.follows for answer in given)
    assert all(abs(later.seconds - one.seconds - 0.04) < 1e-3 for one, later in pairwise(given))
    assert sum(answer is not None for answer in asked(pace, "xyz", held="a", most=1, following=2)) <= 2


def test_nobody_follows_past_one_of_another_crawler_that_waits(client: Any) -> None:
    quick, slow = RedisRateLimiter(client), RedisRateLimiter(client)
    turn(quick, "a", most=1)
    turn(slow, "b", most=1)
    assert turn(quick, "c", held="a", most=1, following=9) == [None]
    assert turn(slow, "b", left="a", most=1) == [0.0]


def test_what_a_killed_crawler_was_fetching_makes_room_and_what_is_held_does_not(client: Any) -> None:
    killed, alive = RedisRateLimiter(client, lease=LEASE), RedisRateLimiter(client, lease=LEASE)
    turn(killed, "ab", most=3)
    turn(alive, "c", most=3)
    deadline = time.monotonic() + 1.2 * LEASE
    while time.monotonic() < deadline:
        turn(alive, held="c")
        time.sleep(LEASE / 5)
    assert turn(alive, "def", held="c", most=3) == [0.0, 0.0, None]


def test_a_host_that_rests_is_asked_by_nobody(client: Any) -> None:
    one, other = RedisRateLimiter(client), RedisRateLimiter(client)
    one.rest("a.test", 200.0)
    one.rest("a.test", 50.0)
    (wait,) = turn(other, "a")
    assert wait is not None
    assert 190 < wait <= 200


def test_nothing_is_left_behind_for_ever(client: Any) -> None:
    turn(RedisRateLimiter(client), "ab", delay=30.0)
    RedisRateLimiter(client).rest("b.test", 1.0)
    keys = list(client.scan_iter("wenhen:*"))
    assert len(keys) == 3
    assert min(client.ttl(key) for key in keys) > 0
