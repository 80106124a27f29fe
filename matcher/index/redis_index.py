"""Store an inverted index in Redis or Redis Cluster.

Keys are `wenhen:{name}:{generation}:{bucket}`, spread over the slots of a cluster, and `wenhen:{name}:meta`. Each
process caches the meta and reads it again with every answer, so it sees a switch-over at once. Every change of a bucket
is one atomic command, so writers, removers, rewriters and look-ups need no locks. Duplicate writes are harmless, as
duplicates count once. The server must evict nothing (`maxmemory-policy noeviction`), and the client must not decode
responses.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import redis
from numpy.typing import NDArray
from redis.cluster import RedisCluster
from redis.exceptions import OutOfMemoryError, RedisClusterException, RedisError

from fingerprinter.features.model import Features
from matcher.index.elias_fano import RECORD_BYTES
from matcher.index.postings import (
    HOT_POSTINGS,
    Buckets,
    Postings,
    Spool,
    batch_postings,
    bucket_bits,
    has_outgrown,
    remove_documents,
    sort_into_buckets,
    tidy_buckets,
)
from matcher.index.protocol import Hits, IndexStats
from matcher.index.query import Query, concatenate_hits, find_hits, split_queries
from matcher.index.redis_scripts import (
    APPEND_SCRIPT,
    COUNT_SCRIPT,
    PUBLISH_SCRIPT,
    REPLACE_SCRIPT,
    RETIRE_SCRIPT,
    SET_NEW_SCRIPT,
    START_SCRIPT,
    Generation,
    IndexMeta,
)
from wenhen.kit.errors import Conflict, DiskFull, IndexNotReady, Unavailable

BATCH_POSTINGS = 1 << 20  # postings that are grouped by bucket at once
MAX_PIPELINE_COMMANDS = 4096  # most commands of one pipeline
MAX_TRIP_FEATURES = 4096  # most features of one round trip
MAX_KEYS = 512  # most keys of one MGET or UNLINK, so that no reply and no pause is huge
MAX_SCRIPT_KEYS = 256  # most keys that a script sets, in about a millisecond
SAMPLED_BUCKETS = 2048  # buckets whose memory is measured as a sample

Command = tuple[Any, ...]
Numbers = NDArray[np.int64]


class RedisIndex:
    """The port `Index` over a Redis server or cluster.

    name: the name of the index ("works", "pages"). hot: most postings of a feature, in generations that this object
    creates.
    """

    def __init__(self, client: redis.Redis | RedisCluster, name: str, *, hot: int = HOT_POSTINGS) -> None:
        self._client = client
        self._cluster = isinstance(client, RedisCluster)
        self._name = name
        self._hot = hot
        self._meta_key = f"wenhen:{name}:meta"
        self._meta = IndexMeta()
        self._started: Generation | None = None  # started by this object, and not yet published

    # The generations

    def exists(self) -> bool:
        return self._read_meta().live is not None

    def generation(self) -> str | None:
        live = self._read_meta().live
        return None if live is None else live.id

    def create(self, *, postings: int) -> None:
        started = Generation(secrets.token_hex(4), bucket_bits(postings), self._hot)
        self._run([("EVAL", START_SCRIPT, 1, self._meta_key, str(started))])
        self._started = started
        self._delete_gone()

    def publish(self) -> None:
        started = self._read_next()
        if not self._run([("EVAL", PUBLISH_SCRIPT, 1, self._meta_key, str(started))])[0]:
            raise self._conflict_error()
        self._started = None
        self._delete_gone()

    def drop(self) -> None:
        self._read_written()
        self._run([("EVAL", RETIRE_SCRIPT, 1, self._meta_key)])
        self._delete_gone()

    def _read_meta(self) -> IndexMeta:
        self._meta = IndexMeta.parse(self._run([("HGETALL", self._meta_key)])[0])
        return self._meta

    def _read_written(self) -> tuple[Generation, ...]:
        """Return the generations that get changes. Raises IndexNotReady when there are none."""
        written = self._read_meta().written_generations
        if not written:
            raise self._missing_error()
        return written

    def _read_next(self) -> Generation:
        """Return the generation that is built. Raises Conflict when this object did not start it."""
        building = self._read_meta().next
        if building is None:
            raise IndexNotReady("index.index_named_unbegun", name=repr(self._name))
        if self._started not in (None, building):
            raise self._conflict_error()
        return building

    def _missing_error(self) -> IndexNotReady:
        return IndexNotReady("index.index_missing", name=repr(self._name), address=self._address())

    def _conflict_error(self) -> Conflict:
        return Conflict("index.index_rebuilt_twice", name=repr(self._name))

    def _delete_gone(self) -> None:
        """Delete the buckets of generations that are no longer read, also those of a killed process."""
        for gone in self._read_meta().gone:
            for start in range(0, 1 << gone.bits, 64 * MAX_KEYS):
                self._unlink(gone, np.arange(start, min(start + 64 * MAX_KEYS, 1 << gone.bits)))
            fields = [f"{name}:{gone.id}" for name in ("gone", "postings", "hot")]
            self._run([("HDEL", self._meta_key, *fields)])

    def _unlink(self, generation: Generation, numbers: Numbers) -> None:
        keys = self._keys(generation, numbers)
        step = 1 if self._cluster else MAX_KEYS
        self._run([("UNLINK", *keys[i : i + step]) for i in range(0, len(keys), step)])

    # Writing

    def load(self, documents: Iterable[tuple[int, Features]]) -> int:
        with Spool(self._read_next().bits) as spool:
            for batch in batch_postings(documents, BATCH_POSTINGS):
                spool.put(batch)
            return sum(self._write(part, lambda: (self._read_next(),), self._set) for part in spool.parts())

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:
        self._read_written()
        return sum(
            self._write(batch, self._read_written, self._append) for batch in batch_postings(documents, BATCH_POSTINGS)
        )

    def _write(
        self, batch: Postings, targets: Callable[[], tuple[Generation, ...]], put: Callable[[Generation, Buckets], None]
    ) -> int:
        """Write the postings into each target. The targets are read again until none is new."""
        written: dict[Generation, Numbers] = {}
        count = 0
        try:
            while missing := [generation for generation in targets() if generation not in written]:
                for generation in missing:
                    buckets, marks = tidy_buckets(sort_into_buckets(batch, generation.bits), generation.hot)
                    written[generation] = buckets.numbers
                    put(generation, buckets)
                    self._count(generation, len(buckets.records), int(marks.sum()))
                    count = len(buckets.records)
        finally:
            self._delete_abandoned(written)
        return count

    def _set(self, generation: Generation, buckets: Buckets) -> None:
        """Write buckets whole, in their compact form. Append to those that exist already."""
        keys = self._keys(generation, buckets.numbers)
        existing = self._set_new(keys, buckets.compact())
        if len(existing):
            self._append(generation, buckets.some(existing))

    def _set_new(self, keys: list[bytes], forms: list[bytes]) -> Numbers:
        """Set the keys that do not exist yet. Return the places of those that exist."""
        if self._cluster:
            replies = self._run([("SET", key, form, "NX") for key, form in zip(keys, forms, strict=True)])
            return np.flatnonzero([reply is None for reply in replies])
        starts = range(0, len(keys), MAX_SCRIPT_KEYS)
        parts = [(keys[start : start + MAX_SCRIPT_KEYS], forms[start : start + MAX_SCRIPT_KEYS]) for start in starts]
        existing = self._run([("EVAL", SET_NEW_SCRIPT, len(part), *part, *values) for part, values in parts])
        return np.array(
            [start + place - 1 for start, part in zip(starts, existing, strict=True) for place in part], np.int64
        )

    def _append(self, generation: Generation, buckets: Buckets) -> None:
        keys = self._keys(generation, buckets.numbers)
        lengths = self._append_strings(keys, buckets.strings())
        # A bucket with a very frequent feature is tidied each time it grows by so many bytes. A mark then replaces the
        # postings of the feature.
        growth = 2 * generation.hot * RECORD_BYTES
        after = np.array(lengths, np.int64)
        before = after - buckets.sizes() * RECORD_BYTES
        self._tidy(generation, buckets.numbers[after // growth > before // growth])

    def _append_strings(self, keys: list[bytes], strings: list[bytes]) -> list[int]:
        """Append to the keys. Return their new lengths."""
        if self._cluster:
            return self._run([("APPEND", key, string) for key, string in zip(keys, strings, strict=True)])
        starts = range(0, len(keys), MAX_SCRIPT_KEYS)
        parts = [(keys[start : start + MAX_SCRIPT_KEYS], strings[start : start + MAX_SCRIPT_KEYS]) for start in starts]
        return list(
            chain.from_iterable(self._run([("EVAL", APPEND_SCRIPT, len(part), *part, *added) for part, added in parts]))
        )

    def _delete_abandoned(self, written: dict[Generation, Numbers]) -> None:
        """Delete what was written to generations that were abandoned meanwhile, as nobody else does."""
        if not written:
            return
        meta = self._read_meta()
        for generation, numbers in written.items():
            if generation not in meta.written_generations:
                self._unlink(generation, numbers)

    def _count(self, generation: Generation, postings: int, marks: int) -> None:
        self._run([("EVAL", COUNT_SCRIPT, 1, self._meta_key, str(generation), postings, marks)])

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:
        self._read_written()
        return sum(self._remove(batch) for batch in batch_postings(documents, BATCH_POSTINGS))

    def _remove(self, batch: Postings) -> int:
        removed: dict[Generation, int] = {}
        while missing := [generation for generation in self._read_written() if generation not in removed]:
            for generation in missing:
                buckets = sort_into_buckets(batch, generation.bits)
                removed[generation] = self._remove_postings(generation, buckets)
                self._count(generation, -removed[generation], 0)
        return next(iter(removed.values()))

    def _remove_postings(self, generation: Generation, removed_buckets: Buckets) -> int:
        """Rewrite these buckets without these postings. Retry buckets that changed at the same moment."""
        removed = 0
        while len(removed_buckets.numbers):
            stored = self._values(self._run(self._gets(self._keys(generation, removed_buckets.numbers))))
            rest, counts = remove_documents(Buckets.parse(removed_buckets.numbers, stored), removed_buckets)
            changed = np.flatnonzero(counts)
            done = self._replace(generation, rest.some(changed), [stored[i] for i in changed])
            removed += int(counts[changed[done]].sum())
            removed_buckets = removed_buckets.some(changed[~done])
        return removed

    def rewrite(self) -> None:
        self._delete_gone()
        for generation in self._read_written():
            for start in range(0, 1 << generation.bits, MAX_PIPELINE_COMMANDS):
                self._tidy(generation, np.arange(start, min(start + MAX_PIPELINE_COMMANDS, 1 << generation.bits)))
        self._read_written()

    def _tidy(self, generation: Generation, numbers: Numbers) -> None:
        """Rewrite these buckets. One that changes at the same moment, except by an append, remains as it is."""
        stored = self._values(self._run(self._gets(self._keys(generation, numbers))))
        old = Buckets.parse(numbers, stored)
        new, marks = tidy_buckets(old, generation.hot)
        # A bucket in its compact form needs no rewrite.
        untidy = np.flatnonzero([form != (before or b"") for form, before in zip(new.compact(), stored, strict=True)])
        done = untidy[self._replace(generation, new.some(untidy), [stored[i] for i in untidy])]
        if len(done):
            freed = int((old.sizes() - new.sizes())[done].sum())
            self._count(generation, -freed, int(marks[done].sum()))

    def _replace(self, generation: Generation, buckets: Buckets, stored: Sequence[bytes | None]) -> NDArray[np.bool_]:
        """Replace the `stored` content by sorted buckets. Return which had not changed, and were replaced."""
        keys = self._keys(generation, buckets.numbers)
        rows = zip(keys, stored, buckets.compact(), strict=True)
        return np.array(
            self._run([("EVAL", REPLACE_SCRIPT, 1, key, before or b"", form) for key, before, form in rows]), np.bool_
        )

    # Reading

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        return self.look_up_all([features], mean=mean)[0]

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        if not many:
            return []
        generation = self._meta.live or self._read_meta().live
        while generation is not None:
            hits, live = self._find_hits(generation, many, mean)
            if live == generation:
                return hits
            generation = live
        raise self._missing_error()

    def _find_hits(
        self, generation: Generation, many: Sequence[Features], mean: int | None
    ) -> tuple[list[Hits], Generation | None]:
        """Return the hits, and the generation that was still published after all had been read."""
        parts: list[list[Hits]] = [[] for _ in many]
        live = None
        queries = [
            (number, query)
            for number, features in enumerate(many)
            for query in split_queries(features, generation.bits, MAX_TRIP_FEATURES)
        ]
        for trip in _group_queries(queries, 1 << generation.bits):
            if len(trip) == 1:
                ((number, query),) = trip
                strings, live = self._fetch(self._keys(generation, query.buckets))
                parts[number].append(find_hits(query, strings, generation.hot, mean))
                continue
            numbers = np.unique(np.concatenate([query.buckets for _, query in trip]))
            strings, live = self._fetch(self._keys(generation, numbers))
            for number, query in trip:
                places = np.searchsorted(numbers, query.buckets).tolist()
                parts[number].append(find_hits(query, [strings[place] for place in places], generation.hot, mean))
        return list(map(concatenate_hits, parts)), live if queries else self._read_meta().live

    def _fetch(self, keys: list[bytes]) -> tuple[list[bytes | None], Generation | None]:
        """Return buckets, and the live generation after that. A server keeps the order in one round trip."""
        if self._cluster:
            return self._values(self._run(self._gets(keys))), self._read_meta().live
        *replies, fields = self._run([*self._gets(keys), ("HGETALL", self._meta_key)])
        self._meta = meta = IndexMeta.parse(fields)
        return self._values(replies), meta.live

    def stats(self) -> IndexStats:
        meta = self._read_meta()
        if meta.live is None:
            raise self._missing_error()
        buckets = 1 << meta.live.bits
        sample = np.unique(np.linspace(0, buckets - 1, min(SAMPLED_BUCKETS, buckets)).astype(np.int64))
        sizes = self._run([("MEMORY USAGE", key, "SAMPLES", 0) for key in self._keys(meta.live, sample)])
        share = buckets / len(sample)
        postings = meta.count("postings", meta.live)
        return IndexStats(
            generation=meta.live.id,
            postings=postings,
            buckets=round(share * sum(size is not None for size in sizes)),
            bytes=round(share * sum(size or 0 for size in sizes)),
            hot=meta.count("hot", meta.live),
            wants_rebuild=has_outgrown(postings, buckets),
        )

    # The server

    def _keys(self, generation: Generation, numbers: Numbers) -> list[bytes]:
        prefix = f"wenhen:{self._name}:{generation.id}:".encode()
        return [b"%s%d" % (prefix, number) for number in numbers.tolist()]

    def _gets(self, keys: list[bytes]) -> list[Command]:
        if self._cluster:
            return [("GET", key) for key in keys]
        return [("MGET", *keys[i : i + MAX_KEYS]) for i in range(0, len(keys), MAX_KEYS)]

    def _values(self, replies: Sequence[Any]) -> list[bytes | None]:
        return list(replies) if self._cluster else list(chain.from_iterable(replies))

    def _run(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands together, and return their replies. Commands with a common key run in their order."""
        replies: list[Any] = []
        try:
            for start in range(0, len(commands), MAX_PIPELINE_COMMANDS):
                with self._client.pipeline(transaction=False) as pipeline:
                    for command in commands[start : start + MAX_PIPELINE_COMMANDS]:
                        pipeline.execute_command(*command)
                    replies += pipeline.execute()
        except OutOfMemoryError as error:
            raise DiskFull("index.index_memory", address=self._address(), name=repr(self._name)) from error
        except (RedisError, RedisClusterException) as error:
            if "MISCONF" in str(error):
                raise DiskFull("index.index_unwritten", address=self._address(), error=error) from error
            raise Unavailable(
                "index.index_silent", address=self._address(), name=repr(self._name), error=error
            ) from error
        return replies

    def _address(self) -> str:
        if isinstance(self._client, RedisCluster):
            return ", ".join(self._client.nodes_manager.nodes_cache)
        options = self._client.connection_pool.connection_kwargs
        if "path" in options:
            return str(options["path"])
        return f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"


def _group_queries(queries: Sequence[tuple[int, Query]], buckets: int) -> Iterator[list[tuple[int, Query]]]:
    """Group queries into round trips that fetch each bucket once. buckets: number in the whole index."""
    trip: list[tuple[int, Query]] = []
    count = 0
    for number, query in queries:
        count += len(query.buckets)
        if trip and min(count, buckets) > MAX_TRIP_FEATURES:
            yield trip
            trip, count = [], len(query.buckets)
        trip.append((number, query))
    if trip:
        yield trip
