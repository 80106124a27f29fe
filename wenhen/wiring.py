"""The one place where ports meet their implementations."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from matcher.index.feature_limits import HOT, HOT_WORD
from matcher.phrases.sqlite import SqlitePhraseIndex
from services.context import Product
from store.errors import Unavailable
from store.mongo import open_store
from store.ports import Store
from store.records import Run
from store.rules.web.shown_access import masked
from wenhen.celery_queue import CeleryQueue
from wenhen.embedded import start_servers
from wenhen.redis_addresses import import_redis, with_database
from wenhen.secret_key import seal_of
from wenhen.settings import Settings, load
from wenhen.surveys import survey, try_out

if TYPE_CHECKING:  # what takes long to import, and asks Redis, which most commands do not
    import redis
    from redis.cluster import RedisCluster

    from crawler.fetch.pace_redis import RedisPace
    from crawler.frontier.redis import RedisFrontier
    from matcher.index.port import Index

INDEX_DATABASE = 1
PHRASES = Path("phrases") / "index.sqlite"  # in the data folder
INDEX_TIMEOUT = 30  # seconds
SHARED_TIMEOUT = 10
OpenIndex = Callable[[], "redis.Redis | RedisCluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class App(Product):
    """The product, opened, with all of its settings."""

    settings: Settings
    queue: CeleryQueue  # whose workers also take from it


def with_servers(settings: Settings) -> Settings:
    """The settings with an address for every server; embedded servers are started where none was given."""
    mongo_url, redis_url = settings.mongo.url, settings.redis.url
    if mongo_url is None or redis_url is None:
        addresses = start_servers(
            settings.data, mongo=mongo_url is None, redis=redis_url is None, oplog=settings.mongo.oplog
        )
        mongo_url, redis_url = mongo_url or addresses.mongo_url, redis_url or addresses.redis_url
    index_url = settings.index.url or with_database(redis_url, INDEX_DATABASE)
    return settings.model_copy(
        update={
            "mongo": settings.mongo.model_copy(update={"url": mongo_url}),
            "redis": settings.redis.model_copy(update={"url": redis_url}),
            "index": settings.index.model_copy(update={"url": index_url}),
        }
    )


def open_app(settings: Settings) -> App:
    """Open everything, starting embedded servers where needed; collections are made where missing."""
    # A MongoDB of somebody's own comes first: where it is not there, no server of ours is left running for nothing.
    store = _prepared_store(settings) if settings.mongo.url else None
    settings = with_servers(settings)
    return app_over(settings, store or _prepared_store(settings), partial(index_client, settings))


def _prepared_store(settings: Settings) -> Store:
    assert settings.mongo.url
    store = open_store(settings.mongo.url, settings.mongo.database)
    store.prepare()
    return store


def app_over(settings: Settings, store: Store, index: OpenIndex) -> App:
    """The product over servers that are there, with the addresses that the settings name."""
    assert settings.redis.url
    index = cache(index)  # one client for all of them
    return App(
        settings=settings,
        store=store,
        works_index=_index(index, "works"),
        pages_index=_index(index, "pages"),
        rare_words=_index(index, "rare-words", hot=HOT_WORD),
        phrases=SqlitePhraseIndex(settings.data / PHRASES),
        queue=CeleryQueue(settings.redis.url),
        frontier=lambda run, crawler: frontier_of(settings, run, crawler=crawler),
        survey=partial(survey, settings),
        try_out=partial(try_out, settings),
        seal=seal_of(settings, store),
    )


class _AtFirstUse:
    """Stands for something that is made when it is first asked for anything."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> object:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _index(client: OpenIndex, name: str, hot: int = HOT) -> "Index":
    def make() -> "Index":
        opened = client()
        # It needs numba, which takes as long to import as half of the rest: a command that lists works can do without.
        from matcher.index.redis import RedisIndex

        return RedisIndex(opened, name, hot=hot)

    return cast("Index", _AtFirstUse(make))


def index_client(settings: Settings) -> "redis.Redis | RedisCluster":
    """A client of the index's Redis, one server or a cluster."""
    import_redis()
    import redis

    assert settings.index.url
    if settings.index.cluster:
        from redis.cluster import RedisCluster
        from redis.exceptions import RedisClusterException

        try:
            return RedisCluster.from_url(settings.index.url, socket_timeout=INDEX_TIMEOUT)
        except RedisClusterException as error:
            where = masked(settings.index.url)
            raise Unavailable("server.cluster_silent", where=where) from error
    return redis.Redis.from_url(settings.index.url, socket_timeout=INDEX_TIMEOUT)


def frontier_of(settings: Settings, run: Run, most_pages: int = 1, *, crawler: str | None = None) -> "RedisFrontier":
    """What a run has still to fetch, in the Redis of the queues, for a crawler of this name; the counts of before come
    from its record.
    """
    client = _shared(settings)
    from crawler.frontier.redis import RedisFrontier

    before = {name: count for name, count in run.counts.items() if name != "waiting"}
    lease = settings.worker.lease_seconds
    return RedisFrontier(client, run.id, most_pages, counts=before, lease=lease, name=crawler)


def pace_of(settings: Settings) -> "RedisPace":
    """How often hosts are asked by all crawlers, in the same Redis."""
    client = _shared(settings)
    from crawler.fetch.pace_redis import RedisPace

    return RedisPace(client)


def _shared(settings: Settings) -> "redis.Redis":
    import_redis()
    from redis import Redis

    assert settings.redis.url
    return Redis.from_url(settings.redis.url, socket_timeout=SHARED_TIMEOUT)


@cache
def worker_app() -> App:
    """The product as a worker process sees it, opened at the first task (after the pool has forked)."""
    return open_app(load())
