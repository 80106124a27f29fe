"""Measure the inverted index in Redis: memory, bulk load and look-up. Peers: PING, datasketch, one SET a feature."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import redis

from benchmarks.generator.writer import Writer
from benchmarks.measurement import TimedIterable, TimeSpread, pin_to_one_core, time_spread, wall_seconds
from benchmarks.report import MINHASH_PERMUTATIONS, BenchReport, Limit, datasketch_minhash, import_peer
from fingerprinter.features.index_features import extract_features
from fingerprinter.features.model import Features
from fingerprinter.initials.to_initials import to_initials
from matcher.index.redis_index import RedisIndex
from matcher.retrieval.candidates import find_candidates

INDEX_SEED = 11
FEATURES_PER_WORK = 225  # approximate features of a work, which size the index
LOOK_UP_COUNT = 500
SINGLE_WORKS = 200  # works that are added and removed one by one
PEER_WORKS = 2_000  # works of peers, whose memory grows linearly
COPIED_CHARACTERS = 500  # characters of a page that come from an indexed work: half of it


@dataclass(slots=True)
class _GeneratedLibrary:
    """Generated works for an index."""

    count: int
    characters: int = 0

    def documents(self, count: int | None = None, first: int = 0) -> Iterator[tuple[int, Features]]:
        """Yield the works' features for the index, by default of all works."""
        for work in Writer(INDEX_SEED).works(self.count if count is None else count, first):
            self.characters += len(work.text)
            yield work.number, extract_features(to_initials(work.text))

    def pages(self, count: int) -> Iterator[str]:
        """Yield pages of 1,000 characters, half of each copied from a work."""
        fresh = Writer(INDEX_SEED).works(count, first=self.count + SINGLE_WORKS)
        step = max(1, self.count // count)
        for number, page in enumerate(fresh):
            copied = next(Writer(INDEX_SEED).works(1, first=number * step % self.count)).text
            yield page.text[:250] + copied[200 : 200 + COPIED_CHARACTERS] + page.text[250 : 1000 - COPIED_CHARACTERS]


def measure_index(works: int = 50_000) -> BenchReport:
    """Measure an index of generated works with production features, and peers with fewer works on the same server.

    This process stays on one core. The memory of datasketch does not depend on the length of works.
    """
    report = BenchReport("index")
    with _start_redis() as client, pin_to_one_core():
        sketch = _measure_datasketch(client, report)
        _measure_redis_sets(client, report)
        _measure_our_index(client, _GeneratedLibrary(works), report)
    figures = report.figures
    report.limits += [
        Limit("bytes a posting, position included", figures["bytes a posting"], most=9),
        Limit("KB for 1,000 characters", figures["KB for 1,000 characters"], most=1.5),
        Limit("works loaded a second", figures["works loaded a second"], least=20_000),
        Limit("look-up p50 / PING", figures["look-up p50 in PINGs"], most=40),
        Limit("look-up p99 / PING", figures["look-up p99 in PINGs"], most=150),
    ]
    if sketch:
        share = 1000 * figures["KB for 1,000 characters"] / sketch
        report.limits.append(Limit("bytes a document of 1,000 characters / datasketch's", share, most=1 / 8))
    return report


def _measure_our_index(client: redis.Redis, library: _GeneratedLibrary, report: BenchReport) -> None:
    index = RedisIndex(client, "bench")
    index.create(postings=library.count * FEATURES_PER_WORK)
    index.load(_GeneratedLibrary(1).documents())  # compiles
    empty = _used_memory(client)
    index.create(postings=library.count * FEATURES_PER_WORK)
    supply = TimedIterable(library.documents())
    loading = wall_seconds(lambda: index.load(supply)) - supply.seconds
    index.publish()
    stats = index.stats()
    memory = _used_memory(client) - empty
    characters = library.characters
    looked_up = time_spread(_page_look_ups(index, library), client.ping)
    singles = list(library.documents(SINGLE_WORKS, first=library.count))
    added = time_spread((partial(index.add, [single]) for single in singles), client.ping)
    removed = time_spread((partial(index.remove, [single]) for single in singles), client.ping)
    report.figures |= {
        "works": library.count,
        "characters a work": characters / library.count,
        "postings": stats.postings,
        "hot features": stats.hot,
        "index memory, MB": memory / 1e6,
        "bytes a posting": memory / stats.postings,
        "bytes a posting by MEMORY USAGE": stats.bytes / stats.postings,
        "KB for 1,000 characters": memory / characters,
        "works loaded a second": library.count / loading,
    }
    for name, spread in (("look-up", looked_up), ("add one", added), ("remove one", removed)):
        _add_spread(report.figures, name, spread)
    index.drop()


def _page_look_ups(index: RedisIndex, library: _GeneratedLibrary) -> Iterator[Callable[[], Any]]:
    """Yield the look-up of each page, with features and voting as in production."""
    for page in library.pages(LOOK_UP_COUNT):
        yield partial(find_candidates, to_initials(page), index, documents=library.count)


def _measure_datasketch(client: redis.Redis, report: BenchReport) -> float | None:
    """Measure MinHashLSH on the same Redis. Return bytes a work, or None if it is absent."""
    datasketch = import_peer("datasketch", report.absent)
    if datasketch is None:
        return None
    library = _GeneratedLibrary(PEER_WORKS)
    made = [(work.id, datasketch_minhash(datasketch, work.text)) for work in Writer(INDEX_SEED).works(PEER_WORKS)]
    pages = [datasketch_minhash(datasketch, page) for page in library.pages(LOOK_UP_COUNT)]
    storage = {
        "type": "redis",
        "basename": b"datasketch",
        "redis": {"unix_socket_path": client.connection_pool.connection_kwargs["path"]},
    }
    before = _used_memory(client)
    lsh = datasketch.MinHashLSH(threshold=0.5, num_perm=MINHASH_PERMUTATIONS, storage_config=storage)
    loading = wall_seconds(lambda: _insert_minhashes(lsh, made))
    looked_up = time_spread((partial(lsh.query, page) for page in pages), client.ping)
    used = (_used_memory(client) - before) / PEER_WORKS
    report.peers |= {
        "datasketch: works": PEER_WORKS,
        "datasketch: bytes a work": used,
        "datasketch: works loaded a second, ready MinHashes": PEER_WORKS / loading,
    }
    _add_spread(report.peers, "datasketch: look-up", looked_up)
    client.flushdb()
    return used


def _insert_minhashes(lsh: Any, made: list[tuple[str, Any]]) -> None:
    with lsh.insertion_session() as session:
        for id, minhash in made:
            session.insert(id, minhash)


def _measure_redis_sets(client: redis.Redis, report: BenchReport) -> None:
    """Measure one SET a feature without positions, the first design of such an index."""
    library = _GeneratedLibrary(PEER_WORKS)
    documents = list(library.documents())
    postings = sum(len(made) for _, made in documents)
    before = _used_memory(client)
    loading = wall_seconds(lambda: _add_sets(client, documents))
    pages = [extract_features(to_initials(page)) for page in library.pages(LOOK_UP_COUNT)]
    looked_up = time_spread((partial(_read_set_members, client, page) for page in pages), client.ping)
    used = _used_memory(client) - before
    report.peers |= {
        "one SET a feature: works": PEER_WORKS,
        "one SET a feature: bytes a posting": used / postings,
        "one SET a feature: works loaded a second": PEER_WORKS / loading,
    }
    _add_spread(report.peers, "one SET a feature: look-up", looked_up)
    client.flushdb()


def _add_sets(client: redis.Redis, documents: list[tuple[int, Features]]) -> None:
    for number, made in documents:
        with client.pipeline(transaction=False) as pipeline:
            for value in made.values.tolist():
                pipeline.sadd(b"set:%x" % value, number)
            pipeline.execute()


def _read_set_members(client: redis.Redis, made: Features) -> list[Any]:
    with client.pipeline(transaction=False) as pipeline:
        for value in made.values.tolist():
            pipeline.smembers(b"set:%x" % value)
        return pipeline.execute()


def _add_spread(figures: dict[str, float], name: str, spread: TimeSpread) -> None:
    labels = {"p50_ms": "p50 in ms", "p99_ms": "p99 in ms", "p50_pings": "p50 in PINGs", "p99_pings": "p99 in PINGs"}
    figures |= {f"{name} {labels[key]}": value for key, value in asdict(spread).items()}


def _used_memory(client: redis.Redis) -> int:
    """Return the used bytes after the server's background frees."""
    while True:
        info: Any = client.info("memory")
        if not info["lazyfree_pending_objects"]:
            return int(info["used_memory"])
        time.sleep(0.01)


@contextmanager
def _start_redis() -> Iterator[redis.Redis]:
    """Run a throw-away server during the block."""
    from wenhen.runtime.embedded.servers import throwaway_servers

    with throwaway_servers(mongo=False) as addresses, redis.Redis.from_url(addresses.redis_url) as client:
        yield client
