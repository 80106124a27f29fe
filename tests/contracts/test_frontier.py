"""What is still to fetch: each address is given out once, whoever asks, and what a crawler held comes back."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
import redis
from redis.cluster import RedisCluster

from crawler.frontier.memory import MemoryFrontier
from crawler.frontier.redis import RedisFrontier
from crawler.ports import MAX_ADDRESSES_PER_PAGE, Frontier, FrontierEntry, FrontierState, PageClaim, address_id
from tests.support.samples import at_once
from tests.support.servers.redis_cluster import redis_cluster, redis_cluster_nodes  # noqa: F401  fixtures

Make = Callable[..., Frontier]
LEASE = 1.0  # seconds; who tells of itself every fifth of that may be held up for some of it


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis | RedisCluster"]:
    with closing(redis.Redis.from_url(redis_url)) as opened:
        yield opened


@pytest.fixture(params=["memory", "redis", "cluster"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a frontier that was begun."""
    if request.param == "memory":
        return lambda pages=10: MemoryFrontier(pages)
    client = request.getfixturevalue("client" if request.param == "redis" else "redis_cluster")

    def begun(pages: int = 10) -> Frontier:
        made = RedisFrontier(client, "run", pages, lease=LEASE)
        made.begin()
        return made

    return begun


def entry(name: str, rank: int = 0) -> FrontierEntry:
    return FrontierEntry(address_id(f"http://a.test/{name}"), rank, f"payload {name} \n".encode())


def names(entries: tuple[FrontierEntry, ...]) -> list[str]:
    return [one.payload.decode().split()[1] for one in entries]


def test_addresses_come_back_whole_by_rank_and_then_in_the_order_of_their_coming(make: Make) -> None:
    frontier = make()
    entries = [entry("deep", 2), entry("first"), entry("second"), entry("third", 1)]
    assert frontier.exchange(entered=entries).waiting == 4
    turn = frontier.exchange(want=9)
    assert names(turn.given) == ["first", "second", "third", "deep"]
    assert set(turn.given) == set(entries)
    assert (turn.waiting, turn.in_hand) == (0, 4)


def test_an_address_is_entered_once_whatever_became_of_it(make: Make) -> None:
    frontier = make()
    assert frontier.exchange(entered=[entry("a"), entry("a")]).waiting == 1
    given = frontier.exchange(want=1).given
    assert frontier.exchange(entered=[entry("a")]).waiting == 0
    assert frontier.exchange(done=[given[0].id], entered=[entry("a", 3)]) == frontier.exchange()
    assert frontier.exchange(entered=[FrontierEntry(address_id("https://a.test/a"), 0, b"the same page")]).waiting == 0
    assert (frontier.exchange(want=1).given, frontier.exchange().in_hand) == ((), 0)


def test_what_is_given_back_comes_again_in_its_place(make: Make) -> None:
    frontier = make()
    frontier.exchange(entered=[entry("a"), entry("b"), entry("c")])
    held = [one.id for one in frontier.exchange(want=2).given]
    frontier.give_back([*held, address_id("never held")])
    assert names(frontier.exchange(want=3).given) == ["a", "b", "c"]


def test_a_page_is_captured_for_one_entry_which_may_ask_again_and_its_address_is_seen(make: Make) -> None:
    frontier = make(2)
    page, other = address_id("http://a.test/page"), address_id("http://a.test/other")
    assert frontier.take([(page, b"1")]) == [PageClaim.OURS]
    assert frontier.take([(page, b"1"), (page, b"2")]) == [PageClaim.OURS, PageClaim.BEFORE]
    assert frontier.exchange(entered=[entry("page")]).waiting == 0
    assert frontier.exchange().state is FrontierState.OPEN
    taken = frontier.take([(other, b"2"), (address_id("third"), b"3"), (page, b"1")])
    assert taken == [PageClaim.OURS, PageClaim.FULL, PageClaim.OURS]
    assert frontier.exchange().state is FrontierState.FULL


def test_when_there_are_enough_pages_all_is_dropped_but_what_was_taken(make: Make) -> None:
    frontier = make(1)
    frontier.exchange(entered=[entry("a"), entry("b"), entry("c")])
    first, second = frontier.exchange(want=2).given
    assert frontier.take([(address_id("page"), first.id)]) == [PageClaim.OURS]
    frontier.give_back([first.id, second.id])
    turn = frontier.exchange(entered=[entry("d")], want=9)
    assert (turn.state, turn.given, turn.taken) == (FrontierState.FULL, (first,), frozenset((first.id,)))
    assert (turn.waiting, turn.in_hand) == (0, 1)
    assert turn.counts["refused_page_limit"] == 3, "b, c and d are told, each once"
    assert frontier.exchange(entered=[entry("d")]).counts["refused_page_limit"] == 3
    assert frontier.take([(address_id("page"), first.id)]) == [PageClaim.OURS]
    assert frontier.exchange(done=[first.id]).in_hand == 0


def test_no_more_addresses_are_entered_than_the_pages_are_worth(make: Make) -> None:
    frontier = make(1)
    assert frontier.exchange(entered=[entry(str(number)) for number in range(50)]).waiting == MAX_ADDRESSES_PER_PAGE


def test_counts_add_up(make: Make) -> None:
    frontier = make()
    frontier.exchange(counts={"fetched": 2, "failed": 0})
    assert frontier.exchange(counts={"fetched": 1, "failed_http_404": 1}).counts["fetched"] == 3
    assert frontier.exchange().counts["failed_http_404"] == 1


def test_of_many_crawlers_at_once_one_gets_each_address(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "run", 100)
    frontier.begin()
    frontier.exchange(entered=[entry(str(number)) for number in range(40)])
    given = at_once(*[lambda: RedisFrontier(client, "run", 100).exchange(want=10).given] * 8)
    assert sorted(int(name) for some in given for name in names(some)) == list(range(40))


def test_what_a_silent_crawler_held_comes_back_and_what_a_living_one_holds_does_not(client: redis.Redis) -> None:
    killed, alive = (RedisFrontier(client, "run", 10, lease=LEASE) for _ in range(2))
    killed.begin()
    killed.exchange(entered=[entry("a"), entry("b")])
    killed.exchange(want=1)
    held = [one.id for one in alive.exchange(want=1).given]
    deadline = time.monotonic() + 1.2 * LEASE
    while time.monotonic() < deadline:
        alive.exchange(held=held)
        time.sleep(LEASE / 5)
    turn = alive.exchange(want=5, held=held)
    assert names(turn.given) == ["a"]
    assert turn.again == {turn.given[0].id}, "it may have been fetched before"
    alive.exchange(done=[turn.given[0].id], entered=[entry("c")])
    assert alive.exchange(want=1, held=held).again == frozenset()


def test_one_that_is_gone_says_so_and_is_begun_with_the_counts_of_before(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "run", 10, counts={"fetched": 5})
    assert frontier.exchange(entered=[entry("a")]).state is FrontierState.GONE
    frontier.begin()
    frontier.begin()
    assert frontier.exchange(counts={"fetched": 1}).counts == {"fetched": 6}
    client.flushdb()
    assert frontier.exchange(want=1).state is FrontierState.GONE
    frontier.begin()
    assert frontier.exchange().counts == {"fetched": 6}


def test_a_page_that_was_taken_of_one_that_is_gone_is_not_taken_for_left_behind(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "run", 10)
    frontier.begin()
    client.flushdb()
    assert frontier.take([(entry("a").id, entry("a").id)]) == [PageClaim.OURS]
    frontier.begin()
    turn = frontier.exchange(entered=[entry("a")], want=1)
    assert (names(turn.given), turn.taken) == (["a"], frozenset())


def test_no_more_crawlers_join_than_may_and_one_that_left_or_died_makes_room(client: redis.Redis) -> None:
    one, two, three = (RedisFrontier(client, "run", 10, lease=LEASE) for _ in range(3))
    one.begin()
    assert (one.join(2), two.join(2), three.join(2)) == (True, True, False)
    assert two.leave() == 1
    assert three.join(2)
    deadline = time.monotonic() + 1.2 * LEASE
    while time.monotonic() < deadline:
        one.exchange()
        time.sleep(LEASE / 5)
    assert (two.join(2), three.join(2)) == (True, False), "the third was silent, the first was not"


def test_one_that_was_ended_is_over_for_those_that_still_ask_and_leaves_nothing_behind(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "run", 10)
    frontier.begin()
    frontier.exchange(entered=[entry("a"), entry("b")], want=1, counts={"fetched": 1})
    assert frontier.end() == {"fetched": 1}
    assert frontier.exchange(entered=[entry("c")], want=1).state is FrontierState.OVER
    assert frontier.take([(address_id("x"), b"1")]) == [PageClaim.FULL]
    assert [client.ttl(key) > 0 for key in client.scan_iter("*")] == [True]


def test_what_waits_can_be_gone_through_and_dropped_but_what_is_in_hand_or_was_taken_stays(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.frontier.redis.WAITING_BATCH_ENTRIES", 2)
    frontier = RedisFrontier(client, "run", 10)
    frontier.begin()
    frontier.exchange(entered=[entry("deep", 2), *(entry(name) for name in "abcdef")])
    given = frontier.exchange(want=2).given
    assert frontier.take([(address_id("page"), given[0].id)]) == [PageClaim.OURS]
    frontier.give_back([given[0].id])
    assert names(tuple(frontier.iter_waiting())) == ["a", "c", "d", "e", "f", "deep"]
    assert frontier.drop([entry(name).id for name in ("a", "b", "c", "deep", "elsewhere")]) == 2
    turn = frontier.exchange(entered=[entry("c")], want=9)
    assert names(turn.given) == ["a", "d", "e", "f"], "what was dropped is not entered again"
    assert turn.counts["refused_dropped"] == 2
    frontier.end()
    assert list(frontier.iter_waiting()) == []


def test_every_key_goes_away_by_itself(client: redis.Redis) -> None:
    frontier = RedisFrontier(client, "run", 10)
    frontier.begin()
    frontier.exchange(entered=[entry("a"), entry("b")], want=1, counts={"fetched": 1})
    frontier.take([(address_id("x"), b"1")])
    keys = list(client.scan_iter("*"))
    assert len(keys) == 8
    frontier.exchange()
    assert min(client.ttl(key) for key in keys) > 0
