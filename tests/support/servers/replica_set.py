"""A real replica set of three mongod on loopback, for the tests that import its fixture."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymongo
import pytest
from pymongo.errors import PyMongoError

from tests.support.way import wait_for
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.server_binaries import find_mongod

NAME = "trio"
MEMBERS = 3
# As long as a member may be silent, and how often it is asked: a tenth of MongoDB's own, so that the test is short.
QUICK = {"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 200}


@dataclass
class ReplicaSet:
    """Its members, by their ports."""

    members: dict[int, "subprocess.Popen[bytes]"]

    @property
    def url(self) -> str:
        return f"mongodb://{','.join(f'127.0.0.1:{port}' for port in self.members)}/?replicaSet={NAME}"

    def primary(self) -> int | None:
        """The port of the member that is written to, if they have agreed on one."""
        for port, process in self.members.items():
            if process.poll() is None:
                with suppress(PyMongoError), _client(port) as client:
                    if client.admin.command("hello")["isWritablePrimary"]:
                        return port
        return None

    def kill_primary(self) -> int:
        """SIGKILL; the port that it had."""
        port = self.primary()
        assert port is not None
        self.members[port].kill()
        self.members[port].wait()
        return port


@pytest.fixture(scope="module")
def replica_set() -> Iterator[ReplicaSet]:
    """Three members, one of them primary."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wenhen-trio-")))
        try:
            members = {port: _started(stack, folder, port) for port in _free_ports(MEMBERS)}
        except (SetupError, OSError) as error:
            if os.environ.get("CI"):
                pytest.fail(f"no replica set to test on: {error}")
            pytest.skip(f"no replica set to test on: {error}")
        trio = ReplicaSet(members)
        _initiate(trio)
        yield trio


def _started(stack: ExitStack, folder: Path, port: int) -> "subprocess.Popen[bytes]":
    data = folder / str(port)
    data.mkdir()
    program = find_mongod(data / "shim")
    arguments = [
        *("--replSet", NAME, "--dbpath", str(data), "--bind_ip", "127.0.0.1", "--port", str(port)),
        *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "50", "--nounixsocket", "--quiet"),
        *("--setParameter", "diagnosticDataCollectionEnabled=false", "--networkMessageCompressors", "disabled"),
    ]
    log = stack.enter_context((data / "log").open("wb"))
    environment = {**os.environ, **program.environment}
    process = subprocess.Popen([str(program.path), *arguments], stdout=log, stderr=log, env=environment)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _initiate(trio: ReplicaSet) -> None:
    first, *_ = trio.members
    for port in trio.members:
        with _client(port, 30_000) as client:
            client.admin.command("ping")
    members = [{"_id": number, "host": f"127.0.0.1:{port}"} for number, port in enumerate(trio.members)]
    with _client(first, 30_000) as client:
        client.admin.command({"replSetInitiate": {"_id": NAME, "members": members, "settings": QUICK}})
    wait_for(lambda: trio.primary() is not None, "a primary")


def _client(port: int, patience: int = 500) -> "pymongo.MongoClient[dict[str, Any]]":
    url = f"mongodb://127.0.0.1:{port}/?directConnection=true"
    return pymongo.MongoClient(url, serverSelectionTimeoutMS=patience, socketTimeoutMS=5000)


def _free_ports(count: int) -> list[int]:
    """Ports that are free at this moment."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
