"""What can happen to a house, each as a blow that returns when it is over; what it killed comes back by itself."""

import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

import psutil
import redis

from lab.chaos.house import House

BEYOND_LEASE: Final = 6.5  # seconds
A_WHILE: Final = 2.0
MOVED: Final = 20.0  # seconds by which the clock is moved, more than a lease, to either side

Blow = Callable[[House], None]


def kill_process(house: House) -> None:
    """The processes of the pool; Celery starts others."""
    _kill(house.pool())


def kill_worker(house: House) -> None:
    """The worker with all its processes."""
    worker = house.child("worker")
    _kill([*house.pool(), *([worker] if worker else [])])


def kill_upkeep(house: House) -> None:
    """The worker that sweeps, and the clock that tells it to."""
    for name in ("upkeep", "clock"):
        child = house.child(name)
        _kill([*house.pool(name), *([child] if child else [])])


def kill_keeper(house: House) -> None:
    """Who starts the servers again, and MongoDB."""
    keeper = house.child("keeper")
    _kill([*([keeper] if keeper else []), *_server(house, "mongo")])


def kill_mongo(house: House) -> None:
    """MongoDB."""
    _kill(_server(house, "mongo"))


def kill_redis(house: House) -> None:
    """Redis."""
    _kill(_server(house, "redis"))


def empty_redis(house: House) -> None:
    """All that Redis holds, the indexes too."""
    assert house.app.settings.redis.url
    with redis.Redis.from_url(house.app.settings.redis.url) as client:
        client.flushall()


def pause(house: House) -> None:  # noqa: ARG001  they stand still already
    """The pool stands still for longer than its leases last."""
    time.sleep(BEYOND_LEASE)


def fill_disk(house: House) -> None:
    """No file of the servers grows any more, for a while."""
    servers = list(house.servers().values())
    for server in servers:
        with suppress(psutil.Error, OSError):
            server.rlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    with going(house):
        time.sleep(A_WHILE)
    for server in servers:
        with suppress(psutil.Error, OSError):
            server.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def cut(house: House) -> None:
    """Every connection to a server."""
    for proxy in house.proxies:
        proxy.cut()


def slow(house: House) -> None:
    """Every answer, for a while."""
    for proxy in house.proxies:
        proxy.delay = 0.1
    with going(house):
        time.sleep(A_WHILE)
    for proxy in house.proxies:
        proxy.delay = 0.0


def move_clock(house: House) -> None:
    """The workers' clock, ahead and back, by more than a lease."""
    for seconds in (MOVED, -MOVED):
        house.clock.write_text(str(seconds))
        with going(house):
            time.sleep(A_WHILE / 2)
    house.clock.write_text("0")


FAULTS: Final[Mapping[str, Blow]] = {
    "kill a process": kill_process,
    "kill a worker": kill_worker,
    "kill upkeep and clock": kill_upkeep,
    "kill keeper and MongoDB": kill_keeper,
    "kill MongoDB": kill_mongo,
    "kill Redis": kill_redis,
    "empty Redis": empty_redis,
    "pause beyond the lease": pause,
    "fill the disk": fill_disk,
    "cut connections": cut,
    "slow connections": slow,
    "move the clock": move_clock,
}
KILLS: Final = frozenset(name for name in FAULTS if name.startswith("kill"))


@contextmanager
def standing_still(house: House) -> Iterator[None]:
    """The pool does nothing while the block lasts."""
    pool = house.pool()
    _send(pool, signal.SIGSTOP)
    try:
        yield
    finally:
        _send(pool, signal.SIGCONT)


@contextmanager
def going(house: House) -> Iterator[None]:
    """The pool works within the block, though it stood still."""
    pool = house.pool()
    _send(pool, signal.SIGCONT)
    yield


def _server(house: House, name: str) -> list[psutil.Process]:
    return [process for key, process in house.servers().items() if key == name]


def _kill(processes: Iterable[psutil.Process]) -> None:
    _send(processes, signal.SIGKILL)


def _send(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)
