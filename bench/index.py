"""The inverted index in Redis: memory, bulk load and look-up, against the round trip of a PING.

`python -m bench.index [--documents N]... [--json]`. Documents are random features, as many as 1,000 characters give, so
nothing but chance is found. A server of our own is started, unless --url names one; its index named bench is replaced.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial

import click
import numpy as np
import redis

from fingerprinter.features import Features
from matcher.redis_index import RedisIndex
from wenhen.embedded import throwaway_servers

FEATURES = 150  # of a document of 1,000 characters
QUERIES = (150, 1000)  # features of a page: as many as a document has, and one at almost every letter
BLOCK = 10_000  # documents made at a time
LOOK_UPS = 500
SINGLE = 200  # documents added and removed one by one


@dataclass(frozen=True, slots=True)
class Spread:
    """Times of one action, in milliseconds, and in PING round trips of the same moment."""

    p50_ms: float
    p99_ms: float
    p50_pings: float
    p99_pings: float


@dataclass(frozen=True, slots=True)
class Result:
    """One size of the index."""

    documents: int
    postings: int
    bytes_per_posting: float
    documents_per_second: float
    ping_ms: float
    look_up: dict[int, Spread]  # by features of the query
    add_one: Spread
    remove_one: Spread
    bytes_per_posting_after: float  # once documents were added and removed one by one


def documents(random: np.random.Generator, count: int, first: int = 0) -> Iterator[tuple[int, Features]]:
    """Numbered from `first`."""
    positions = np.arange(0, 1000, 1000 / FEATURES).astype(np.uint32)
    for start in range(0, count, BLOCK):
        values = random.integers(0, 1 << 64, (min(BLOCK, count - start), FEATURES), dtype=np.uint64)
        yield from ((first + start + i, Features(row, positions)) for i, row in enumerate(values))


def measure(client: redis.Redis, count: int) -> Result:
    """Build an index of this many documents and use it."""
    random = np.random.default_rng(count)
    index = RedisIndex(client, "bench")
    index.create(postings=count * FEATURES)
    index.load(documents(random, 1))  # compiles
    index.create(postings=count * FEATURES)
    making = seconds(lambda: sum(1 for _ in documents(random, count)))
    loading = seconds(lambda: index.load(documents(random, count)))
    index.publish()
    loaded = index.stats()
    looked_up = {size: spread(client, queries(index, random, size)) for size in QUERIES}
    more = list(documents(random, SINGLE, first=count))
    added = spread(client, (partial(index.add, [one]) for one in more))
    removed = spread(client, (partial(index.remove, [one]) for one in more))
    after = index.stats()
    index.drop()
    return Result(
        documents=count,
        postings=loaded.postings,
        bytes_per_posting=loaded.bytes / loaded.postings,
        documents_per_second=count / (loading - making),
        ping_ms=float(np.median([seconds(client.ping) for _ in range(LOOK_UPS)])) * 1000,
        look_up=looked_up,
        add_one=added,
        remove_one=removed,
        bytes_per_posting_after=after.bytes / after.postings,
    )


def queries(index: RedisIndex, random: np.random.Generator, size: int) -> Iterator[Callable[[], object]]:
    """Look-ups of pages that the index does not know."""
    for _ in range(LOOK_UPS):
        page = Features(random.integers(0, 1 << 64, size, dtype=np.uint64), np.arange(size, dtype=np.uint32))
        yield partial(index.look_up, page)


def spread(client: redis.Redis, actions: Iterator[Callable[[], object]]) -> Spread:
    """Time each action beside a PING."""
    times, pings = zip(*((seconds(action), seconds(client.ping)) for action in actions), strict=True)
    p50, p99 = np.percentile(times, [50, 99])
    ping = np.median(pings)
    return Spread(*(round(float(value), 3) for value in (p50 * 1000, p99 * 1000, p50 / ping, p99 / ping)))


def seconds(action: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def table(result: Result) -> Iterator[str]:
    """Lines for people."""
    yield f"{result.documents:,} documents, {result.postings:,} postings, PING {result.ping_ms:.3f} ms"
    yield f"  {result.documents_per_second:,.0f} documents/s loaded in bulk"
    yield f"  {result.bytes_per_posting:.2f} bytes a posting, {result.bytes_per_posting_after:.2f} after single changes"
    looked_up = {f"look up {size}": found for size, found in result.look_up.items()}
    for name, one in {**looked_up, "add one": result.add_one, "remove one": result.remove_one}.items():
        pings = f"{one.p50_pings:.0f} and {one.p99_pings:.0f} PINGs"
        yield f"  {name:<12} p50 {one.p50_ms:.2f} ms, p99 {one.p99_ms:.2f} ms: {pings}"


@contextmanager
def connected(url: str | None) -> Iterator[redis.Redis]:
    """The server at this address, or one of our own."""
    with ExitStack() as stack:
        address = url or stack.enter_context(throwaway_servers(mongo=False)).redis_url
        yield stack.enter_context(redis.Redis.from_url(address))


@click.command(help=__doc__)
@click.option("--documents", "counts", type=int, multiple=True, default=(50_000,), show_default=True)
@click.option("--url", help="A Redis to use; its index named bench is replaced.")
@click.option("--json", "as_json", is_flag=True)
def main(counts: tuple[int, ...], url: str | None, as_json: bool) -> None:
    """Measure each size, and print."""
    with connected(url) as client:
        results = [measure(client, count) for count in counts]
    if as_json:
        click.echo(json.dumps([asdict(result) for result in results]))
    else:
        click.echo("\n".join(line for result in results for line in table(result)))


if __name__ == "__main__":
    main()
