"""Our own mongod: journaled, on a unix socket only; standalone, or a replica set of one that keeps an oplog."""

import time
from typing import Any, Final
from urllib.parse import quote

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

from store.errors import SetupError
from wenhen.embedded.binaries import Program, find_mongod
from wenhen.embedded.data_folder import MONGOD_PORT, DataFolder

OPLOG: Final = "mongo-oplog"  # a file of the data folder that says so
OPLOG_MB: Final = 1000
REPLICA_SET: Final = "wenhen"
NOT_YET_INITIALIZED: Final = 94
PRIMARY_SECONDS: Final = 30


class Mongod:
    """How the mongod of a data folder is found, started and asked."""

    name = "MongoDB"
    hint = "its files are never thrown away by themselves"

    def __init__(self, layout: DataFolder) -> None:
        self.folder = layout.mongo
        self.log = layout.log / "mongod.log"
        self.pid_file = layout.run / "mongod.pid"
        self.socket = layout.sockets / "m.sock"
        self._shim = layout.run / "shim"
        self._with_oplog = layout.data / OPLOG

    @property
    def url(self) -> str:
        return f"mongodb://{quote(str(self.socket), safe='')}/" + ("?directConnection=true" if self.is_replica else "")

    @property
    def is_replica(self) -> bool:
        """Whether it is a replica set of one, which keeps an oplog."""
        return self._with_oplog.exists()

    def keep_oplog(self) -> None:
        """Let it be one from its next start on."""
        self._with_oplog.touch()

    def program(self) -> Program:
        """SetupError when there is none that runs here."""
        return find_mongod(self._shim)

    def arguments(self) -> list[str]:
        """A small cache and small journal files suit one machine; diagnostic data would take 200 MB.

        With a socket as the one address to bind, nothing listens on TCP. Compressors are off because of the flaw in
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
        """Make it the only member of its set, under the path that its socket has now. SetupError: it did not."""
        client: MongoClient[dict[str, Any]] = MongoClient(self.url, serverSelectionTimeoutMS=PRIMARY_SECONDS * 1000)
        try:
            self._be_the_only_member(client)
            until = time.monotonic() + PRIMARY_SECONDS
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
            if error.code != NOT_YET_INITIALIZED:
                raise
            client.admin.command({"replSetInitiate": {"_id": REPLICA_SET, "members": [member]}})
            return
        if config["members"][0]["host"] != member["host"]:  # the folder was moved
            config |= {"members": [member], "version": config["version"] + 1}
            client.admin.command({"replSetReconfig": config, "force": True})

    def answers(self, timeout: float) -> bool:
        """Whether it does."""
        return self.version(timeout) is not None

    def version(self, timeout: float) -> str | None:
        """The version that the server tells when asked; None when it does not answer."""
        return mongo_version(self.url, timeout)


def mongo_version(url: str, timeout: float) -> str | None:
    """The version of the MongoDB at `url`; None when it does not answer within `timeout` seconds."""
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
