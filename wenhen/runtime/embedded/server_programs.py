"""Describe the embedded mongod and Redis server: arguments, addresses, versions."""

import re
import shutil
import socket
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.data_folder import MONGOD_PORT, DataFolder
from wenhen.runtime.embedded.server_binaries import ServerProgram, find_mongod, find_redis_server
from wenhen.settings.servers_and_logs import import_redis

# The embedded mongod: journaled, on a unix socket only; standalone, or a replica set of one with an oplog.


OPLOG_MARKER: Final = "mongo-oplog"  # marker file in the data folder
OPLOG_MB: Final = 1000
REPLICA_SET: Final = "wenhen"
NOT_YET_INITIALIZED_CODE: Final = 94
MAX_PRIMARY_SECONDS: Final = 30


class Mongod:
    """Describes how to find, start and query the mongod of a data folder."""

    name = "MongoDB"
    hint = "its files are never thrown away by themselves"

    def __init__(self, layout: DataFolder) -> None:
        self.folder = layout.mongo
        self.log = layout.log / "mongod.log"
        self.pid_file = layout.run / "mongod.pid"
        self.socket = layout.sockets / "m.sock"
        self._shim = layout.run / "shim"
        self._with_oplog = layout.data / OPLOG_MARKER

    @property
    def url(self) -> str:
        return f"mongodb://{quote(str(self.socket), safe='')}/" + ("?directConnection=true" if self.is_replica else "")

    @property
    def is_replica(self) -> bool:
        """Return whether it is a replica set of one, with an oplog."""
        return self._with_oplog.exists()

    def keep_oplog(self) -> None:
        """Make it a replica set from its next start on."""
        self._with_oplog.touch()

    def program(self) -> ServerProgram:
        """Return the program. Raises SetupError if none runs on this machine."""
        return find_mongod(self._shim)

    def arguments(self) -> list[str]:
        """Return the arguments: a small cache and journal for one machine, and no diagnostic data, which takes 200 MB.

        With a socket as the only bind address, nothing listens on TCP. Compressors are disabled because of a flaw in
        zlib decompression of old servers (CVE-2025-14847).
        """
        return [
            *("--dbpath", str(self.folder)),
            *("--pidfilepath", str(self.pid_file)),
            *("--port", str(MONGOD_PORT)),
            *("--bind_ip", str(self.socket)),
            *("--unixSocketPrefix", str(self.socket.parent)),
            *("--networkMessageCompressors", "disabled"),
            *("--wiredTigerCacheSizeGB", "0.25"),
            *("--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=10MB)"),
            *("--setParameter", "diagnosticDataCollectionEnabled=false"),
            *(("--replSet", REPLICA_SET, "--oplogSize", str(OPLOG_MB)) if self.is_replica else ()),
            "--quiet",
        ]

    def become_primary(self) -> None:
        """Make it the only member of its set, at the current socket path. Raises SetupError if it does not become
        primary.
        """
        client: MongoClient[dict[str, Any]] = MongoClient(self.url, serverSelectionTimeoutMS=MAX_PRIMARY_SECONDS * 1000)
        try:
            self._be_the_only_member(client)
            until = time.monotonic() + MAX_PRIMARY_SECONDS
            while not client.admin.command("hello")["isWritablePrimary"]:
                if time.monotonic() > until:
                    raise SetupError("server.no_primary", socket=self.socket)
                time.sleep(0.02)
        except PyMongoError as error:
            raise SetupError("server.mongo_address", error=error) from error
        finally:
            client.close()

    def _be_the_only_member(self, client: MongoClient[dict[str, Any]]) -> None:
        member = {"_id": 0, "host": f"{self.socket}:{MONGOD_PORT}"}
        try:
            config = client.admin.command("replSetGetConfig")["config"]
        except OperationFailure as error:
            if error.code != NOT_YET_INITIALIZED_CODE:
                raise
            client.admin.command({"replSetInitiate": {"_id": REPLICA_SET, "members": [member]}})
            return
        if config["members"][0]["host"] != member["host"]:  # the folder was moved
            config |= {"members": [member], "version": config["version"] + 1}
            client.admin.command({"replSetReconfig": config, "force": True})

    def answers(self, timeout: float) -> bool:
        """Return whether the server answers."""
        return self.version(timeout) is not None

    def version(self, timeout: float) -> str | None:
        """Return the version of the server, or None if it does not answer."""
        return mongo_version(self.url, timeout)


def mongo_version(url: str, timeout: float) -> str | None:
    """Return the version of the MongoDB at `url`, or None if it does not answer within `timeout` seconds."""
    limit = int(timeout * 1000)
    client: MongoClient[dict[str, object]] = MongoClient(
        url, serverSelectionTimeoutMS=limit, connectTimeoutMS=limit, socketTimeoutMS=limit
    )
    try:
        return str(client.server_info()["version"])
    except PyMongoError:
        return None
    finally:
        client.close()


# The embedded valkey-server or redis-server: an append-only file that is synced at every write, unix socket only.


START_LOG_TEXT: Final = "is starting oO0OoO0OoO0Oo"  # first log line of each start
DAMAGE_PATTERN: Final = re.compile(
    r"Bad file format reading the append only file|Unexpected end of file reading the append only file"
    r"|FATAL AOF MANIFEST FILE ERROR|The AOF file .* doesn't exist|Wrong signature trying to load DB|RDB CRC error"
    r"|Internal error in RDB reading|Short read or OOM loading DB"
)
_PONG: Final = b"+PONG\r\n"


class RedisServer:
    """Describes how to find, start and query the Redis server of a data folder."""

    name = "Redis"
    hint = "it holds nothing that cannot be made again, so its folder may be removed"

    def __init__(self, layout: DataFolder) -> None:
        self.folder = layout.redis
        self.log = layout.log / "redis.log"
        self.pid_file = layout.run / "redis.pid"
        self.socket = layout.sockets / "v.sock"

    @property
    def url(self) -> str:
        """Return the URL for redis-py. Append ``?db=N`` to select a database."""
        return f"unix://{quote(str(self.socket))}"

    def program(self) -> ServerProgram:
        """Return the program. Raises SetupError if none runs on this machine."""
        return find_redis_server()

    def arguments(self) -> list[str]:
        """Return the arguments. Eviction is off: a full index must fail, not lose entries. The process title is
        unchanged, because the process is recognised by it.
        """
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
        """Return the damage of its files that ended the last start, or None."""
        try:
            last = self.log.read_text(encoding="utf-8", errors="replace").rpartition(START_LOG_TEXT)[2]
        except OSError:
            return None
        match = DAMAGE_PATTERN.search(last)
        return match.group() if match else None

    def set_aside(self) -> Path:
        """Move the files aside, replacing earlier ones. Return their new folder."""
        aside = self.folder.with_name(f"{self.folder.name}-damaged")
        shutil.rmtree(aside, ignore_errors=True)
        self.folder.rename(aside)
        self.folder.mkdir(mode=0o700)
        return aside

    def answers(self, timeout: float) -> bool:
        """Return whether it answers. A raw PING is used, because every command asks, and most need no client."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(len(_PONG)) == _PONG
            except OSError:
                return False

    def version(self, timeout: float) -> str | None:
        """Return the version of the server, or None if it does not answer, or is still loading its file."""
        return redis_version(self.url, timeout)


def redis_version(url: str, timeout: float) -> str | None:
    """Return the version of the Redis or Valkey at `url`, or None if it does not answer within `timeout` seconds."""
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
