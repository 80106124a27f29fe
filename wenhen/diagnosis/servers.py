"""Faults of the servers, each asked by itself, so that one that is silent hides no other."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import redis
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from store.errors import WenhenError
from store.mongo import open_store
from store.rules.web.shown_access import masked
from wenhen.diagnosis.fault import Fault, advice, stopping
from wenhen.embedded import ServerInfo
from wenhen.redis_addresses import with_database
from wenhen.settings import Settings

OLDEST_MONGO = (6, 0)
MOST_SKEW = 30.0  # seconds between the clock of a server and ours
_TIMEOUT = 5


def dead_servers(servers: Mapping[str, ServerInfo]) -> Iterator[Fault]:
    """Embedded servers that ended without having been ended."""
    for info in servers.values():
        if info.died:
            yield stopping("doctor.server_died", server=info.name, log=info.log)


def mongo_faults(settings: Settings) -> Iterator[Fault]:
    """MongoDB, at the address of the settings."""
    assert settings.mongo.url
    try:
        with closing(open_store(settings.mongo.url, settings.mongo.database)) as store:
            version = store.ping()
    except WenhenError as error:
        yield Fault(error.message, True)
        return
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_MONGO:
        yield stopping("doctor.old_mongo", version=version)


def redis_faults(settings: Settings) -> Iterator[Fault]:
    """The queues' Redis, and that of the index where it is another."""
    assert settings.redis.url
    index = settings.index.url or with_database(settings.redis.url, 1)
    for what, url in {"redis": settings.redis.url, "index": index}.items():
        if what == "index" and settings.index.cluster:
            continue  # its nodes are asked by the index itself
        try:
            with closing(redis.Redis.from_url(url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT)) as client:
                yield from _of_redis(what, client)
        except (AuthenticationError, NoPermissionError) as error:
            yield stopping("doctor.redis_login", what=what.upper(), address=masked(url), error=error)
        except (RedisError, OSError) as error:
            yield stopping("doctor.redis_silent", what=what.upper(), address=masked(url), error=error)


def _of_redis(what: str, client: redis.Redis) -> Iterator[Fault]:
    seconds, _ = client.time()
    if (skew := abs(time.time() - seconds)) > MOST_SKEW:
        yield stopping("doctor.clock_skew", what=what, seconds=f"{skew:.0f}")
    about: dict[str, Any] = client.info()
    policy = about.get("maxmemory_policy", "noeviction")
    if about.get("maxmemory") and policy != "noeviction":
        yield stopping("doctor.redis_evicts", what=what, policy=policy)
    if not about.get("aof_enabled"):
        yield advice("doctor.redis_not_kept", what=what)
    if most := about.get("maxmemory"):
        used = about["used_memory"] / most
        if used > 0.9:
            yield advice("doctor.redis_full", what=what, share=f"{used:.0%}")
