"""Our own valkey-server or redis-server: an append-only file synced at every write, on a unix socket only."""

from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from wenhen.embedded.binaries import Program, find_redis_server
from wenhen.embedded.layout import DataFolder


class RedisServer:
    """How the redis-server of a data folder is found, started and asked."""

    name = "Redis"
    hint = "it holds nothing that cannot be made again, so its folder may be removed"

    def __init__(self, layout: DataFolder) -> None:
        self.folder = layout.redis
        self.log = layout.log / "redis.log"
        self.pid_file = layout.run / "redis.pid"
        self.socket = layout.sockets / "v.sock"

    @property
    def url(self) -> str:
        """For redis-py; a database is chosen by appending ``?db=N``."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def celery_url(self) -> str:
        """For Celery; a database is chosen by appending ``?virtual_host=N``."""
        return f"redis+socket://{quote(str(self.socket))}"

    def program(self) -> Program:
        """SetupError when there is none that runs here."""
        return find_redis_server()

    def arguments(self) -> list[str]:
        """Nothing is evicted (a full index must fail, not shrink); the command line stays as given, to be known by."""
        return [
            *("--port", "0"),
            *("--unixsocket", str(self.socket)),
            *("--unixsocketperm", "700"),
            *("--dir", str(self.folder)),
            *("--pidfile", str(self.pid_file)),
            *("--appendonly", "yes"),
            *("--appendfsync", "always"),
            *("--save", ""),
            *("--maxmemory-policy", "noeviction"),
            *("--daemonize", "no"),
            *("--set-proc-title", "no"),
        ]

    def version(self, timeout: float) -> str | None:
        """The version that the server tells when asked; None when it does not answer (or still loads its file)."""
        return redis_version(self.url, timeout)


def redis_version(url: str, timeout: float) -> str | None:
    """The version of the Redis or Valkey at `url`; None when it does not answer within `timeout` seconds."""
    try:
        client = redis.Redis.from_url(
            url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=Retry(NoBackoff(), retries=0)
        )
        try:
            client.ping()
            info = client.info("server")
        finally:
            client.close()
    except (redis.RedisError, OSError):
        return None
    return str(info.get("valkey_version") or info["redis_version"])
