"""Our own valkey-server or redis-server: an append-only file synced at every write, on a unix socket only."""

import re
import shutil
import socket
from pathlib import Path
from typing import Final
from urllib.parse import quote

from wenhen.embedded.binaries import Program, find_redis_server
from wenhen.embedded.data_folder import DataFolder
from wenhen.redis_addresses import import_redis

STARTS: Final = "is starting oO0OoO0OoO0Oo"  # the first line of each start in the log
DAMAGED: Final = re.compile(
    r"Bad file format reading the append only file|Unexpected end of file reading the append only file"
    r"|FATAL AOF MANIFEST FILE ERROR|The AOF file .* doesn't exist|Wrong signature trying to load DB|RDB CRC error"
    r"|Internal error in RDB reading|Short read or OOM loading DB"
)
_PONG: Final = b"+PONG\r\n"


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

    def damage(self) -> str | None:
        """What the last start complained of in its files; None where it did not end for that."""
        try:
            last = self.log.read_text(encoding="utf-8", errors="replace").rpartition(STARTS)[2]
        except OSError:
            return None
        found = DAMAGED.search(last)
        return found.group() if found else None

    def set_aside(self) -> Path:
        """Move the files out of the way, in the place of those that were before; where they are now."""
        aside = self.folder.with_name(f"{self.folder.name}-damaged")
        shutil.rmtree(aside, ignore_errors=True)
        self.folder.rename(aside)
        self.folder.mkdir(mode=0o700)
        return aside

    def answers(self, timeout: float) -> bool:
        """Whether it does: asked in its own protocol, since every command asks, and most need no client."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            asked.settimeout(timeout)
            try:
                asked.connect(str(self.socket))
                asked.sendall(b"PING\r\n")
                return asked.recv(len(_PONG)) == _PONG
            except OSError:
                return False

    def version(self, timeout: float) -> str | None:
        """The version that the server tells when asked; None when it does not answer (or still loads its file)."""
        return redis_version(self.url, timeout)


def redis_version(url: str, timeout: float) -> str | None:
    """The version of the Redis or Valkey at `url`; None when it does not answer within `timeout` seconds."""
    import_redis()
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

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
