"""Store the buckets of key look-ups in memory, in a SQLite file or in Redis."""

import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import cast

import redis

from fingerprinter.schemes.scheme import KeyBuckets, MemoryBuckets
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.runtime.embedded.servers import throwaway_servers

_MAX_KEYS_PER_QUERY = 500  # keys per query; SQLite allows more
_CHANGES_PER_COMMIT = 1_000  # changes per commit; a commit takes as long as several changes
_SIGN_OFFSET = 1 << 63  # SQLite's integers are signed


class DiskBuckets:
    """The port `Buckets` over one SQLite file; a context manager.

    Raises BadInput if the file is not a bucket file. A crash may lose the last additions, but nothing before them.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = sqlite3.connect(path)
            self._file.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS buckets (key BLOB, number INTEGER, PRIMARY KEY (key, number)) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            raise BadInput("schemes.no_buckets", path=path, error=error) from error
        self._uncommitted = 0

    def __enter__(self) -> "DiskBuckets":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        rows = ((key, number - _SIGN_OFFSET) for key, number in entries)
        self._file.executemany("INSERT OR IGNORE INTO buckets VALUES (?, ?)", rows)
        self._note_change()

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        members: dict[bytes, list[int]] = {key: [] for key in keys}
        wanted = list(members)
        for start in range(0, len(wanted), _MAX_KEYS_PER_QUERY):
            part = wanted[start : start + _MAX_KEYS_PER_QUERY]
            question = f"SELECT key, number FROM buckets WHERE key IN ({','.join('?' * len(part))}) ORDER BY number"  # noqa: S608  question marks only
            for key, number in self._file.execute(question, part):
                members[key].append(number + _SIGN_OFFSET)
        return [list(members[key]) for key in keys]

    def close(self) -> None:
        """Commit the additions and close the file."""
        self._commit()
        self._file.close()

    def _note_change(self) -> None:
        self._uncommitted += 1
        if self._uncommitted == _CHANGES_PER_COMMIT:
            self._commit()

    def _commit(self) -> None:
        self._file.commit()
        self._uncommitted = 0


# Buckets in Redis: under each key, its numbers as one packed string that is only appended to.


_MAX_PIPELINE_COMMANDS = 5_000  # commands per round trip
_NUMBER_FORMAT = struct.Struct("<Q")


class RedisBuckets:
    """The port `Buckets` over Redis. prefix: prefix of every key, which keeps other keys of the database safe."""

    def __init__(self, client: redis.Redis, prefix: bytes = b"buckets:") -> None:
        self._client = client
        self._prefix = prefix

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        waiting = iter(entries)
        while part := list(islice(waiting, _MAX_PIPELINE_COMMANDS)):
            with _translate_redis_errors():
                pipeline = self._client.pipeline(transaction=False)
                for key, number in part:
                    pipeline.append(self._prefix + key, _NUMBER_FORMAT.pack(number))
                pipeline.execute()

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        buckets: list[list[int]] = []
        for start in range(0, len(keys), _MAX_PIPELINE_COMMANDS):
            with _translate_redis_errors():
                batch = [self._prefix + key for key in keys[start : start + _MAX_PIPELINE_COMMANDS]]
                rows = cast("list[bytes | None]", self._client.mget(batch))
            buckets.extend(sorted({number for (number,) in _NUMBER_FORMAT.iter_unpack(row or b"")}) for row in rows)
        return buckets


@contextmanager
def _translate_redis_errors() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        raise Unavailable("lab.redis_buckets", error=error) from error


# Key-value stores for look-ups by key: memory, disk or Redis.


@contextmanager
def _open_memory_buckets() -> Iterator[KeyBuckets]:
    yield MemoryBuckets()


@contextmanager
def _open_disk_buckets() -> Iterator[KeyBuckets]:
    with tempfile.TemporaryDirectory(prefix="wenhen-compare-") as folder, DiskBuckets(Path(folder) / "keys") as buckets:
        yield buckets


@contextmanager
def _open_redis_buckets() -> Iterator[KeyBuckets]:
    with throwaway_servers(mongo=False) as addresses, redis.Redis.from_url(addresses.redis_url) as client:
        yield RedisBuckets(client)


BUCKET_STORES: dict[str, Callable[[], AbstractContextManager[KeyBuckets]]] = {
    "memory": _open_memory_buckets,
    "disk": _open_disk_buckets,
    "redis": _open_redis_buckets,
}


# A group file persists between runs. It holds the keys, and the ids of the texts by number.


class GroupFile(DiskBuckets):
    """The buckets of one file, and the ids of its texts, numbered in the order of arrival."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._file:
            self._file.execute("CREATE TABLE IF NOT EXISTS texts (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL)")

    def number(self, id: str) -> int:
        """Return the number of the text with this id; assign the next number to a new text."""
        self._file.execute("INSERT OR IGNORE INTO texts (id) VALUES (?)", (id,))
        self._note_change()
        return int(self._file.execute("SELECT number FROM texts WHERE id = ?", (id,)).fetchone()[0])

    def id(self, number: int) -> str:
        """Return the id of the text with this number."""
        return str(self._file.execute("SELECT id FROM texts WHERE number = ?", (number,)).fetchone()[0])
