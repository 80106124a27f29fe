"""The inverted index on a real Redis Cluster of three nodes."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.crc import key_slot
from redis.retry import Retry

from matcher.index.redis_index import RedisIndex
from tests.support.features.index_features import some_documents, some_features, triples
from tests.support.servers.redis_cluster import Node, command, redis_cluster, redis_cluster_nodes, three_nodes  # noqa: F401  fixtures
from wenhen.kit.errors import IndexNotReady, Unavailable

pytestmark = pytest.mark.server


def bucket_keys(node: Node) -> Iterator[bytes]:
    with node.connect() as client:
        yield from (key for key in client.scan_iter("wenhen:works:*:*") if isinstance(key, bytes))


def move_slot(slot: int, source: Node, target: Node) -> None:
    """As a resharding does it: first the keys, then the ownership."""
    with source.connect() as giver, target.connect() as taker:
        old, new = command(giver, "CLUSTER MYID"), command(taker, "CLUSTER MYID")
        command(taker, "CLUSTER SETSLOT", slot, "IMPORTING", old)
        command(giver, "CLUSTER SETSLOT", slot, "MIGRATING", new)
        keys = command(giver, "CLUSTER GETKEYSINSLOT", slot, 1000)
        command(giver, "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        for client in (taker, giver):
            command(client, "CLUSTER SETSLOT", slot, "NODE", new)


def keys_by_node(nodes: list[Node]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for node in nodes:
        with node.connect() as client:
            counts[node.port] = sum(1 for _ in client.scan_iter("wenhen:works:*"))
    return counts


@pytest.fixture
def index(redis_cluster: RedisCluster) -> RedisIndex:  # noqa: F811  the fixture
    index = RedisIndex(redis_cluster, "works")
    index.create(postings=10_000)
    index.publish()
    return index


def test_buckets_are_spread_over_all_nodes(index: RedisIndex, redis_cluster_nodes: list[Node]) -> None:  # noqa: F811  the fixture
    index.add(some_documents(range(100)))
    counts = keys_by_node(redis_cluster_nodes)
    assert sum(counts.values()) == index.stats().buckets + 1  # and the meta
    assert min(counts.values()) > 0.2 * sum(counts.values())


def test_a_long_query_and_a_bulk_load_reach_every_node(index: RedisIndex) -> None:
    long = some_features(1, 20_000)
    index.create(postings=200_000)
    index.load([(5, long), *some_documents(range(10, 1000))])
    index.publish()
    hits = index.look_up(long)
    assert set(hits.query_positions[hits.numbers == 5].tolist()) == set(range(20_000))


def test_after_a_switch_over_no_node_keeps_a_bucket_of_the_old_index(
    index: RedisIndex,
    redis_cluster_nodes: list[Node],  # noqa: F811  the fixture
) -> None:
    index.add(some_documents(range(100)))
    other = RedisIndex(RedisCluster(host="127.0.0.1", port=redis_cluster_nodes[1].port), "works")
    assert 7 in other.look_up(some_features(7)).numbers
    index.create(postings=10)
    index.publish()
    assert len(other.look_up(some_features(7))) == 0
    assert sum(keys_by_node(redis_cluster_nodes).values()) == 1


def test_an_emptied_cluster_is_not_ready(index: RedisIndex, redis_cluster_nodes: list[Node]) -> None:  # noqa: F811  the fixture
    index.add(some_documents(range(10)))
    for node in redis_cluster_nodes:
        with node.connect() as client:
            client.flushall()
    with pytest.raises(IndexNotReady):
        index.look_up(some_features(1))


def test_a_bucket_whose_slot_moved_to_another_node_is_found_there(
    index: RedisIndex,
    redis_cluster_nodes: list[Node],  # noqa: F811  the fixture
) -> None:
    index.add(some_documents(range(50)))
    before = triples(index.look_up(some_features(3)))
    key = next(bucket_keys(redis_cluster_nodes[0]))
    move_slot(key_slot(key), redis_cluster_nodes[0], redis_cluster_nodes[1])
    assert key in bucket_keys(redis_cluster_nodes[1])
    assert triples(index.look_up(some_features(3))) == before
    assert index.remove(some_documents(range(50))) == 5000
    assert index.add(some_documents(range(50))) == 5000
    assert triples(index.look_up(some_features(3))) == before


def test_a_cluster_that_lost_a_node_is_unavailable(tmp_path: Path) -> None:
    with three_nodes(tmp_path / "own") as nodes:
        client = RedisCluster(host="127.0.0.1", port=nodes[0].port, retry=Retry(NoBackoff(), 1), socket_timeout=5)
        index = RedisIndex(client, "works")
        index.create(postings=10_000)
        index.publish()
        nodes[1].process.kill()
        nodes[1].process.wait()
        with pytest.raises(Unavailable, match="127\\.0\\.0\\.1") as told:
            index.look_up(some_features(1))
        assert not isinstance(told.value, IndexNotReady)
