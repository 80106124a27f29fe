"""What the inverted index promises of Redis: emptied, switched over, shared by many writers, full, or away."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from fingerprinter.features.model import Features
from matcher.index.redis_index import RedisIndex
from matcher.index.redis_scripts import PUBLISH_SCRIPT, RETIRE_SCRIPT
from tests.support.features.index_features import some_documents, some_features
from wenhen.kit.errors import Conflict, DiskFull, IndexNotReady, Unavailable

Use = Callable[[RedisIndex], object]


def is_whole(index: RedisIndex, number: int, count: int = 100) -> bool:
    hits = index.look_up(some_features(number, count))
    own = hits.numbers == number
    return set(hits.positions[own & (hits.positions == hits.query_positions)].tolist()) == set(range(count))


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def index(client: redis.Redis) -> RedisIndex:
    index = RedisIndex(client, "works")
    index.create(postings=10_000)
    index.publish()
    return index


def generations(client: redis.Redis) -> set[str]:
    """Those that have a bucket on the server."""
    keys = (key.decode() for key in client.scan_iter("wenhen:works:*") if isinstance(key, bytes))
    return {key.split(":")[2] for key in keys} - {"meta"}


@pytest.mark.parametrize(
    "use",
    [
        lambda index: index.look_up(some_features(1)),
        lambda index: index.add(some_documents(range(2))),
        lambda index: index.remove(some_documents(range(2))),
        lambda index: index.rewrite(),
        lambda index: index.stats(),
        lambda index: index.publish(),
        lambda index: index.load(some_documents(range(2))),
        lambda index: index.drop(),
    ],
)
def test_after_the_server_was_emptied_the_index_is_not_ready_and_nothing_is_left_behind(
    client: redis.Redis, index: RedisIndex, use: Use
) -> None:
    index.add(some_documents(range(5)))
    index.create(postings=10)
    assert is_whole(index, 3)
    client.flushdb()
    with pytest.raises(IndexNotReady, match=r"rebuild|create"):
        use(index)
    assert not index.exists()
    assert client.keys("*") == []


def test_two_indexes_on_one_server_know_nothing_of_each_other(client: redis.Redis, index: RedisIndex) -> None:
    pages = RedisIndex(client, "pages")
    pages.create(postings=10)
    pages.publish()
    index.add(some_documents(range(5)))
    assert len(pages.look_up(some_features(1))) == 0
    pages.drop()
    assert is_whole(index, 1)


def test_a_switch_over_by_one_process_is_seen_by_another_at_once(redis_url: str, index: RedisIndex) -> None:
    with redis.Redis.from_url(redis_url) as connection:
        other = RedisIndex(connection, "works")
        index.add(some_documents(range(5)))
        assert is_whole(other, 1)
        index.create(postings=1_000_000)
        index.load(some_documents(range(10)))
        assert len(other.look_up(some_features(7))) == 0
        index.publish()
        assert is_whole(other, 7)
        assert generations(connection) == {other.stats().generation}


def test_who_was_overtaken_by_another_rebuild_neither_loads_into_it_nor_publishes_it(
    client: redis.Redis, index: RedisIndex
) -> None:
    index.create(postings=10)
    other = RedisIndex(client, "works")
    other.create(postings=10)
    with pytest.raises(Conflict, match="another rebuild"):
        index.load(some_documents(range(2)))
    with pytest.raises(Conflict, match="another rebuild"):
        index.publish()
    other.load(some_documents(range(2)))
    other.publish()
    assert is_whole(index, 1)


def test_what_a_killed_process_left_undeleted_is_deleted_by_the_next(client: redis.Redis, index: RedisIndex) -> None:
    index.add(some_documents(range(5)))
    client.eval(RETIRE_SCRIPT, 1, "wenhen:works:meta")  # where a drop stands before it deletes
    assert not index.exists()
    assert len(generations(client)) == 1
    index.create(postings=10)
    assert generations(client) == set()


def test_a_rewrite_deletes_the_old_index_of_a_switch_over_that_was_cut_short(
    client: redis.Redis, index: RedisIndex
) -> None:
    index.add(some_documents(range(5)))
    index.create(postings=10)
    index.load(some_documents(range(5)))
    started = client.hget("wenhen:works:meta", "next")
    assert isinstance(started, bytes)
    client.eval(PUBLISH_SCRIPT, 1, "wenhen:works:meta", started)  # where a publish stands before it deletes
    assert len(generations(client)) == 2
    index.rewrite()
    assert generations(client) == {index.stats().generation}
    assert is_whole(index, 3)


def test_answers_stay_whole_while_the_index_is_switched_over_again_and_again(redis_url: str, index: RedisIndex) -> None:
    index.add(some_documents(range(20)))
    stop = threading.Event()

    def ask(seed: int) -> int:
        asked = 0
        with redis.Redis.from_url(redis_url) as connection:
            own = RedisIndex(connection, "works")
            while not stop.is_set() or not asked:
                assert is_whole(own, (seed + asked) % 20)
                asked += 1
        return asked

    with ThreadPoolExecutor(3) as pool:
        askers = [pool.submit(ask, seed) for seed in range(3)]
        try:
            for _ in range(10):
                index.create(postings=10_000)
                index.load(some_documents(range(20)))
                index.publish()
        finally:
            stop.set()
        assert all(asker.result() for asker in askers)


def test_what_is_added_during_switch_overs_is_in_the_newest_index(
    redis_url: str, client: redis.Redis, index: RedisIndex
) -> None:
    stored: list[int] = []  # as in production: stored first, then indexed; a rebuild takes what is stored

    def write(first: int) -> None:
        with redis.Redis.from_url(redis_url) as connection:
            own = RedisIndex(connection, "works")
            for number in range(first, first + 60):
                stored.append(number)
                own.add(some_documents(range(number, number + 1)))

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, first) for first in (0, 1000)]
        while not all(writer.done() for writer in writers):
            index.create(postings=10_000)
            index.load((number, some_features(number)) for number in list(stored))
            index.publish()
        for writer in writers:
            writer.result()
    assert all(is_whole(index, number) for number in stored)
    assert generations(client) == {index.stats().generation}


def test_appending_removing_rewriting_and_asking_at_once_lose_nothing(redis_url: str, index: RedisIndex) -> None:
    index.add(some_documents(range(100)))
    stop = threading.Event()

    def connected(work: Callable[[RedisIndex], None]) -> None:
        with redis.Redis.from_url(redis_url) as connection:
            work(RedisIndex(connection, "works"))

    def add(own: RedisIndex) -> None:
        for number in range(100, 200):
            own.add(some_documents(range(number, number + 1)))

    def remove(own: RedisIndex) -> None:
        for number in range(50):
            own.remove(some_documents(range(number, number + 1)))

    def rewrite(own: RedisIndex) -> None:
        while not stop.is_set():
            own.rewrite()

    def ask(own: RedisIndex) -> None:
        while not stop.is_set():
            assert is_whole(own, 70)

    with ThreadPoolExecutor(4) as pool:
        busy = [pool.submit(connected, work) for work in (rewrite, ask)]
        changing = [pool.submit(connected, work) for work in (add, remove)]
        try:
            for one in changing:
                one.result()
        finally:
            stop.set()
        for one in busy:
            one.result()
    assert all(is_whole(index, number) for number in range(50, 200))
    assert not any(number in index.look_up(some_features(number)).numbers for number in range(50))
    index.rewrite()
    assert index.stats().postings == 150 * 100


def test_a_feature_that_everybody_shares_does_not_make_its_bucket_swell(client: redis.Redis) -> None:
    index = RedisIndex(client, "works", hot=50)
    index.create(postings=10_000)
    index.publish()
    shared = Features(np.array([123], np.uint64), np.array([1], np.uint32))
    for start in range(0, 3000, 30):
        index.add((number, shared) for number in range(start, start + 30))
    bucket = client.get(f"wenhen:works:{index.stats().generation}:0")
    assert isinstance(bucket, bytes)
    assert len(bucket) <= (2 * 50 + 30) * 8
    index.rewrite()
    assert (
        client.get(f"wenhen:works:{index.stats().generation}:0")
        == np.array([123 << 48 | 3000 << 16 | 0x8000], "<u8").tobytes()
    )
    assert index.stats().hot == 1
    assert index.look_up(shared).skipped == 1


def test_a_rewrite_gives_back_what_appending_and_removing_left_over(index: RedisIndex) -> None:
    for number in range(300):
        index.add(some_documents(range(number, number + 1)))
    index.remove(some_documents(range(100, 300)))
    index.add(some_documents(range(50)))
    before = index.stats()
    index.rewrite()
    after = index.stats()
    assert after.postings == 10_000
    assert before.postings == 15_000
    assert after.bytes < before.bytes


def test_a_bulk_load_takes_six_bytes_a_posting_at_most(client: redis.Redis) -> None:
    index = RedisIndex(client, "works")
    index.create(postings=200_000)
    assert index.load(some_documents(range(2000))) == 200_000
    index.publish()
    stats = index.stats()
    assert stats.buckets == 1024
    assert stats.bytes / stats.postings <= 6
    assert not stats.wants_rebuild


def test_an_index_that_outgrew_its_size_says_so_and_a_rebuild_helps(client: redis.Redis, index: RedisIndex) -> None:
    grown = [(number, some_features(number, 30_000)) for number in range(11)]
    index.add(grown)
    assert index.stats().wants_rebuild
    index.create(postings=index.stats().postings)
    index.load(grown)
    index.publish()
    assert not index.stats().wants_rebuild
    assert is_whole(index, 10, 30_000)


def test_a_server_that_is_away_is_told_with_its_address(tmp_path: Path) -> None:
    once = Retry(NoBackoff(), 0)
    nobody = tmp_path / "nobody.sock"
    index = RedisIndex(redis.Redis(unix_socket_path=str(nobody), retry=once), "works")
    with pytest.raises(Unavailable, match=str(nobody)) as told:
        index.look_up(some_features(1))
    assert not isinstance(told.value, IndexNotReady)
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1 "):
        RedisIndex(redis.Redis(host="127.0.0.1", port=1, retry=once), "works").exists()


def test_without_memory_left_adding_is_refused_and_nothing_else(client: redis.Redis, index: RedisIndex) -> None:
    index.add(some_documents(range(5)))
    client.config_set("maxmemory", 1)
    try:
        with pytest.raises(DiskFull, match="maxmemory"):
            index.add(some_documents(range(5, 6)))
        assert is_whole(index, 3)
        assert index.remove(some_documents(range(2))) == 200
    finally:
        client.config_set("maxmemory", 0)
    assert index.add(some_documents(range(5, 6))) == 100
    assert all(is_whole(index, number) for number in range(2, 6))
