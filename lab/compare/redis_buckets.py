"""Buckets in Redis: a key, and the numbers under it as one packed string that only grows."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import cast

import redis

from store.errors import Unavailable

_AT_ONCE = 5_000  # commands a round trip
_NUMBER = struct.Struct("<Q")


class RedisBuckets:
    """The port `Buckets` over a Redis. prefix: of every key, so that others' keys are safe."""

    def __init__(self, client: redis.Redis, prefix: bytes = b"buckets:") -> None:
        self._client = client
        self._prefix = prefix

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        waiting = iter(entries)
        while part := list(islice(waiting, _AT_ONCE)):
            with _answered():
                pipeline = self._client.pipeline(transaction=False)
                for key, number in part:
                    pipeline.append(self._prefix + key, _NUMBER.pack(number))
                pipeline.execute()

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        found: list[list[int]] = []
        for start in range(0, len(keys), _AT_ONCE):
            with _answered():
                asked = [self._prefix + key for key in keys[start : start + _AT_ONCE]]
                rows = cast("list[bytes | None]", self._client.mget(asked))
            found.extend(sorted({number for (number,) in _NUMBER.iter_unpack(row or b"")}) for row in rows)
        return found


@contextmanager
def _answered() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise Unavailable("lab.redis_buckets", error=error) from error
