"""The key-value stores that look-ups by key may keep their keys in: memory, disk or Redis."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import redis

from fingerprinter.schemes.buckets import KeyBuckets, MemoryBuckets
from fingerprinter.schemes.indexes.disk_buckets import DiskBuckets
from lab.compare.redis_buckets import RedisBuckets
from wenhen.embedded import throwaway_servers


@contextmanager
def _memory() -> Iterator[KeyBuckets]:
    yield MemoryBuckets()


@contextmanager
def _disk() -> Iterator[KeyBuckets]:
    with tempfile.TemporaryDirectory(prefix="wenhen-compare-") as folder, DiskBuckets(Path(folder) / "keys") as buckets:
        yield buckets


@contextmanager
def _redis() -> Iterator[KeyBuckets]:
    with throwaway_servers(mongo=False) as addresses, redis.Redis.from_url(addresses.redis_url) as client:
        yield RedisBuckets(client)


STORES: dict[str, Callable[[], AbstractContextManager[KeyBuckets]]] = {
    "memory": _memory,
    "disk": _disk,
    "redis": _redis,
}
