"""The inverted index on a Redis Cluster of three masters with a replica each, while one dies and while slots move."""

import time
from collections.abc import Iterator
from threading import Event, Thread

import numpy as np
import pytest
from redis.crc import key_slot

from fingerprinter.features.model import Features
from matcher.index.redis_index import RedisIndex
from tests.support.servers.redis_cluster import Node, command, redis_cluster_with_replicas  # noqa: F401  a fixture
from tests.support.way import wait_for
from wenhen.kit.errors import Unavailable
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import open_index_client

pytestmark = pytest.mark.server
DOCUMENTS = 160


def features(seed: int) -> Features:
    random = np.random.default_rng(seed)
    return Features(random.integers(0, 1 << 64, 60, dtype=np.uint64), np.arange(60, dtype=np.uint32))


@pytest.fixture
def index(redis_cluster_with_replicas: list[Node]) -> RedisIndex:  # noqa: F811  the fixture
    """As production opens it, by the address of any node."""
    url = f"redis://127.0.0.1:{redis_cluster_with_replicas[-1].port}"
    opened = RedisIndex(open_index_client(load_settings(index={"url": url, "cluster": True})), "works")
    opened.create(postings=20_000)
    opened.publish()
    return opened


def put(index: RedisIndex, numbers: range) -> None:
    """As a step does: what failed for an outage is done again."""
    while True:
        try:
            index.add((number, features(number)) for number in numbers)
        except Unavailable:
            time.sleep(0.05)
        else:
            return


def lost(index: RedisIndex) -> list[int]:
    """The documents of which a feature is not found."""
    return [n for n in range(DOCUMENTS) if np.count_nonzero(index.look_up(features(n)).numbers == n) < 60]


def move_slot(slot: int, source: Node, target: Node) -> None:
    """As a resharding does it, one key after the other."""
    with source.connect() as giver, target.connect() as taker:
        old, new = command(giver, "CLUSTER MYID"), command(taker, "CLUSTER MYID")
        command(taker, "CLUSTER SETSLOT", slot, "IMPORTING", old)
        command(giver, "CLUSTER SETSLOT", slot, "MIGRATING", new)
        while keys := command(giver, "CLUSTER GETKEYSINSLOT", slot, 1):
            command(giver, "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        for client in (taker, giver):
            command(client, "CLUSTER SETSLOT", slot, "NODE", new)


def slots_with_buckets(node: Node) -> Iterator[int]:
    with node.connect() as client:
        keys = {key for key in client.scan_iter("wenhen:works:*:*") if isinstance(key, bytes)}
    return iter(sorted({key_slot(key) for key in keys}))


def test_slots_move_to_another_node_while_works_come_in(
    index: RedisIndex,
    redis_cluster_with_replicas: list[Node],  # noqa: F811  the fixture
) -> None:
    put(index, range(DOCUMENTS // 2))
    first, second, *_ = redis_cluster_with_replicas
    over = Event()

    def come_in() -> None:
        for number in range(DOCUMENTS // 2, DOCUMENTS):
            put(index, range(number, number + 1))
        over.set()

    writer = Thread(target=come_in)
    writer.start()
    moved = 0
    for slot in slots_with_buckets(first):
        move_slot(slot, first, second)
        moved += 1
        if over.is_set():
            break
    writer.join()
    assert moved > 10
    assert lost(index) == []


def test_a_master_is_killed_during_look_ups_and_its_replica_answers_as_it_would_have(
    index: RedisIndex,
    redis_cluster_with_replicas: list[Node],  # noqa: F811  the fixture
) -> None:
    put(index, range(DOCUMENTS))
    masters, replicas = redis_cluster_with_replicas[:3], redis_cluster_with_replicas[3:]
    wait_for(lambda: all(map(has_all, masters, replicas)), "the replicas have what was written")
    outcomes: list[bool] = []  # of each look-up: an answer, or an outage

    def look_up(number: int) -> bool:
        try:
            found = np.count_nonzero(index.look_up(features(number)).numbers == number)
        except Unavailable:
            return False
        assert found == 60, "an answer is whole, or there is none"
        return True

    for number in range(DOCUMENTS):
        if number == 20:
            masters[2].process.kill()
            masters[2].process.wait()
        outcomes.append(look_up(number))
    wait_for(lambda: look_up(0), "the replica in the place of its master")
    assert all(outcomes[:20])
    assert lost(index) == []
    put(index, range(DOCUMENTS, DOCUMENTS + 5))
    with replicas[2].connect() as client:
        assert client.info("replication")["role"] == "master"


def has_all(master: Node, replica: Node) -> bool:
    with master.connect() as leader, replica.connect() as follower:
        written, had = leader.info("replication"), follower.info("replication")
    return bool(written["master_repl_offset"] == had["slave_repl_offset"])
