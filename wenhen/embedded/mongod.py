"""Our own mongod: standalone, journaled, on a unix socket only."""

from urllib.parse import quote

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from wenhen.embedded.binaries import Program, find_mongod
from wenhen.embedded.layout import MONGOD_PORT, DataFolder


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

    @property
    def url(self) -> str:
        return f"mongodb://{quote(str(self.socket), safe='')}/"

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
            "--quiet",
        ]

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
