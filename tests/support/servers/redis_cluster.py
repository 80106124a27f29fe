"""A real Redis Cluster of three masters on loopback, with a replica each where that is asked for, for tests."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.cluster import RedisCluster

from wenhen.kit.errors import SetupError
from wenhen.runtime.embedded.server_binaries import find_redis_server

SLOTS = 16_384
PATIENCE = 300  # seconds until the nodes know each other


@dataclass(frozen=True)
class Node:
    """One server of the cluster."""

    port: int
    process: subprocess.Popen[bytes]

    def connect(self) -> redis.Redis:
        return redis.Redis(host="127.0.0.1", port=self.port)


def command(client: redis.Redis, *words: str | bytes | int) -> Any:
    """Send a command that redis-py has no method for on a single node."""
    return client.execute_command(*words)  # type: ignore[no-untyped-call]  # redis-py gives none


@pytest.fixture(scope="session")
def redis_cluster_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """Three nodes that share the slots."""
    with three_nodes(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def redis_cluster_with_replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """Three nodes that share the slots, and then a replica of each in the same order."""
    with three_nodes(tmp_path_factory.mktemp("cluster"), replicas=True) as nodes:
        yield nodes


@contextmanager
def three_nodes(folder: Path, *, replicas: bool = False) -> Iterator[list[Node]]:
    """A cluster of its own; where it cannot be had, the test is skipped at a desk and fails in CI."""
    with ExitStack() as stack:
        try:
            nodes = _joined(stack, folder)
            if replicas:
                nodes += _replicas(stack, folder, nodes)
        except (SetupError, OSError, TimeoutError, redis.RedisError) as error:
            if os.environ.get("CI"):
                pytest.fail(f"no Redis Cluster to test on: {error}")
            pytest.skip(f"no Redis Cluster to test on: {error}")
        yield nodes


@pytest.fixture
def redis_cluster(redis_cluster_nodes: list[Node]) -> Iterator[RedisCluster]:
    """A client of the cluster, which is empty."""
    for node in redis_cluster_nodes:
        with node.connect() as client:
            client.flushall()
    with closing(RedisCluster(host="127.0.0.1", port=redis_cluster_nodes[0].port)) as client:
        yield client


def _joined(stack: ExitStack, folder: Path) -> list[Node]:
    """Nodes that know each other; tried again once, where somebody took a port before the node did."""
    program = str(find_redis_server().path)
    for attempt in ("first", "second"):
        nodes = [_start(stack, program, folder / attempt / name) for name in ("a", "b", "c")]
        try:
            _join(nodes)
            break
        except (TimeoutError, redis.RedisError):
            if attempt == "second":
                raise
    return nodes


def _start(stack: ExitStack, program: str, folder: Path) -> Node:
    folder.mkdir(parents=True)
    port, bus = _free_ports()
    options = {
        "bind": "127.0.0.1",
        "port": port,
        "cluster-enabled": "yes",
        "cluster-port": bus,
        "cluster-config-file": "nodes.conf",
        "cluster-require-full-coverage": "no",
        "cluster-node-timeout": 2000,
        "repl-diskless-sync-delay": 0,
        "dir": folder,
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    log = stack.enter_context((folder / "log").open("wb"))
    node = Node(port, subprocess.Popen([program, *arguments], stdout=log, stderr=log))
    stack.callback(_end, node.process)
    return node


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _join(nodes: list[Node]) -> None:
    """Give each node its third of the slots, and introduce it to the others. Raises TimeoutError."""
    deadline = time.monotonic() + PATIENCE
    clients = [node.connect() for node in nodes]
    for client in clients:
        _wait(deadline, client.ping)
    bus = str(clients[0].config_get("cluster-port")["cluster-port"])
    for i, client in enumerate(clients):
        first, last = SLOTS * i // len(nodes), SLOTS * (i + 1) // len(nodes) - 1
        command(client, "CLUSTER ADDSLOTSRANGE", first, last)
        if i:
            command(client, "CLUSTER MEET", "127.0.0.1", nodes[0].port, bus)
    for client in clients:
        _wait(deadline, partial(_knows_all, client, len(nodes)))
        client.close()


def _replicas(stack: ExitStack, folder: Path, masters: list[Node]) -> list[Node]:
    """A copy of each, which follows it. Raises TimeoutError."""
    deadline = time.monotonic() + PATIENCE
    nodes = [_start(stack, str(find_redis_server().path), folder / "replicas" / str(one.port)) for one in masters]
    with masters[0].connect() as client:
        bus = str(client.config_get("cluster-port")["cluster-port"])
    for master, node in zip(masters, nodes, strict=True):
        with master.connect() as leader, node.connect() as follower:
            _wait(deadline, follower.ping)
            command(follower, "CLUSTER MEET", "127.0.0.1", masters[0].port, bus)
            _wait(deadline, partial(_follows, follower, command(leader, "CLUSTER MYID")))
    for node in nodes:
        with node.connect() as follower:
            _wait(deadline, partial(_is_linked, follower))
    return nodes


def _follows(follower: redis.Redis, leader: bytes) -> bool:
    try:
        command(follower, "CLUSTER REPLICATE", leader)
    except redis.ResponseError:  # it has not heard of that one yet
        return False
    return True


def _is_linked(follower: redis.Redis) -> bool:
    return bool(follower.info("replication").get("master_link_status") == "up")


def _knows_all(client: redis.Redis, nodes: int) -> bool:
    info = command(client, "CLUSTER INFO")
    known = {name: str(info[name]) for name in ("cluster_state", "cluster_slots_ok", "cluster_size")}
    return known == {"cluster_state": "ok", "cluster_slots_ok": str(SLOTS), "cluster_size": str(nodes)}


def _wait(deadline: float, ready: Callable[[], object]) -> None:
    while True:
        with suppress(redis.ConnectionError):
            if ready():
                return
        if time.monotonic() > deadline:
            raise TimeoutError("its nodes did not find each other in time")
        time.sleep(0.05)


def _free_ports() -> tuple[int, int]:
    """A port for clients and one for the other nodes, free at this moment."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
