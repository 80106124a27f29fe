"""Several hosts on this machine: network namespaces, each with a link of its own to the one that has the servers."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from tests.support.way import wait_for
from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.server_binaries import find_mongod, find_redis_server
from wenhen.runtime.embedded.server_programs import mongo_version

MONGO_PORT, REDIS_PORT = 27017, 6379


@dataclass(frozen=True)
class Host:
    """A machine beside the servers', which it reaches at `servers`, an address that no other has."""

    name: str
    servers: str
    link: str  # its end at the servers

    def command(self, argv: Sequence[str]) -> list[str]:
        """What runs a program on this host."""
        return ["ip", "netns", "exec", self.name, *argv]


@dataclass(frozen=True)
class Network:
    """The hosts, and the servers' sockets, which are files and so can be had from everywhere on this machine."""

    hosts: Sequence[Host]
    mongo_url: str
    redis_url: str
    _servers: str

    def cut(self, host: Host) -> None:
        """Pull its cable."""
        _ip("-n", self._servers, "link", "set", host.link, "down")

    def mend(self, host: Host) -> None:
        """Put it in again."""
        _ip("-n", self._servers, "link", "set", host.link, "up")


@contextmanager
def network_of(count: int) -> Iterator[Network]:
    """So many hosts; where there can be none, the test is skipped at a desk and fails in CI."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wh-", dir="/tmp")))
        try:
            servers = _namespace(stack, f"wenhen-{os.getpid()}")
            hosts = [_host(stack, servers, number) for number in range(count)]
            _start(stack, servers, hosts, folder)
        except (SetupError, OSError, subprocess.CalledProcessError) as error:
            if os.environ.get("CI"):
                pytest.fail(f"no hosts to test on: {error}")
            pytest.skip(f"no hosts to test on (it takes root and iproute2): {error}")
        mongo = str(folder / f"mongodb-{MONGO_PORT}.sock").replace("/", "%2F")
        network = Network(hosts, f"mongodb://{mongo}/", f"unix://{folder / 'v.sock'}", servers)
        wait_for(lambda: mongo_version(network.mongo_url, 0.5), "MongoDB answers")
        wait_for((folder / "v.sock").exists, "Valkey is there")
        with redis.Redis.from_url(network.redis_url) as client:
            client.ping()
        yield network


def _namespace(stack: ExitStack, name: str) -> str:
    _ip("netns", "add", name)
    stack.callback(_ip, "netns", "delete", name)
    _ip("-n", name, "link", "set", "lo", "up")
    return name


def _host(stack: ExitStack, servers: str, number: int) -> Host:
    name = _namespace(stack, f"{servers}-{number}")
    here, there, net = f"to-{number}", "out", f"10.77.{number}"
    _ip("-n", servers, "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
    for namespace, link, address in ((servers, here, f"{net}.1/30"), (name, there, f"{net}.2/30")):
        _ip("-n", namespace, "address", "add", address, "dev", link)
        _ip("-n", namespace, "link", "set", link, "up")
    return Host(name, f"{net}.1", here)


def _start(stack: ExitStack, servers: str, hosts: Sequence[Host], folder: Path) -> None:
    """MongoDB and Valkey on the servers' machine, on its sockets and on each cable."""
    addresses = [host.servers for host in hosts]
    mongod, valkey = find_mongod(folder / "shim"), find_redis_server()
    (folder / "db").mkdir()
    commands = [
        [
            *(str(mongod.path), "--dbpath", str(folder / "db"), "--port", str(MONGO_PORT), "--quiet"),
            *("--bind_ip", ",".join(addresses), "--unixSocketPrefix", str(folder)),
            *("--wiredTigerCacheSizeGB", "0.25", "--networkMessageCompressors", "disabled"),
            *("--setParameter", "diagnosticDataCollectionEnabled=false"),
        ],
        [
            *(str(valkey.path), "--port", str(REDIS_PORT), "--bind", *addresses, "--protected-mode", "no"),
            *("--unixsocket", str(folder / "v.sock"), "--save", "", "--dir", str(folder)),
        ],
    ]
    log = stack.enter_context((folder / "log").open("wb"))
    for command in commands:
        argv = ["ip", "netns", "exec", servers, *command]
        process = subprocess.Popen(argv, stdout=log, stderr=log, env={**os.environ, **mongod.environment})
        stack.callback(process.wait)
        stack.callback(process.kill)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
