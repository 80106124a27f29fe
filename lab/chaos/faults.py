"""What can happen to a house while one of its processes stands still: some of it at once, some of it for a while."""

import resource
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Final, NamedTuple

import psutil
import redis

from lab.chaos.house import LEASE, House

BEYOND_LEASE: Final = LEASE + 1.5  # seconds
A_WHILE: Final = 1.5
MOVED: Final = 20.0  # seconds by which the clock is moved, more than a lease, to either side


class Scene(NamedTuple):
    """A house, the worker that is at the step, and those of its processes that stand still there."""

    house: House
    worker: str
    halted: Collection[psutil.Process]


def strike(scene: Scene, faults: Collection[str]) -> None:
    """Let the faults befall a house, all at one time; what stood still goes on where it was. Returns when it is over;
    what was killed comes back by itself.
    """
    with ExitStack() as whiles:
        for one in faults:
            if one in LASTING:
                whiles.enter_context(LASTING[one](scene))
        for one in faults:
            if one in SUDDEN:
                SUDDEN[one](scene)
        if PAUSE not in faults:
            _send(scene.halted, signal.SIGCONT)


def _kill_process(scene: Scene) -> None:
    """The processes of the pool; Celery starts others."""
    _kill([*scene.halted, *scene.house.pool(scene.worker)])


def _kill_worker(scene: Scene) -> None:
    """The worker with all its processes."""
    _kill_child(scene.house, scene.worker)


def _kill_upkeep(scene: Scene) -> None:
    """The worker that sweeps, and the clock that tells it to."""
    for name in ("upkeep", "clock"):
        _kill_child(scene.house, name)


def _kill_keeper(scene: Scene) -> None:
    """Who starts the servers again, and MongoDB."""
    _kill_child(scene.house, "keeper")
    _kill_mongo(scene)


def _kill_mongo(scene: Scene) -> None:
    _kill(_server(scene.house, "mongo"))


def _kill_redis(scene: Scene) -> None:
    _kill(_server(scene.house, "redis"))


def _empty_redis(scene: Scene) -> None:
    """All that Redis holds, the indexes too."""
    url = scene.house.app.settings.redis.url
    assert url
    with redis.Redis.from_url(url) as client:
        client.flushall()


def _cut(scene: Scene) -> None:
    """Every connection to a server."""
    for proxy in scene.house.proxies:
        proxy.cut()


@contextmanager
def _pause(scene: Scene) -> Iterator[None]:
    """Who is at the step stands still for longer than its lease lasts; others take up what it holds."""
    yield
    time.sleep(BEYOND_LEASE)
    _send(scene.halted, signal.SIGCONT)


@contextmanager
def _fill_disk(scene: Scene) -> Iterator[None]:
    """No file of the servers grows any more, for a while."""
    servers = list(scene.house.servers().values())
    _limit(servers, 0)
    yield
    time.sleep(A_WHILE)
    _limit(servers, resource.RLIM_INFINITY)


@contextmanager
def _slow(scene: Scene) -> Iterator[None]:
    """Every answer, for a while."""
    for proxy in scene.house.proxies:
        proxy.delay = 0.1
    yield
    time.sleep(A_WHILE)
    for proxy in scene.house.proxies:
        proxy.delay = 0.0


@contextmanager
def _move_clock(scene: Scene) -> Iterator[None]:
    """The workers' clock, ahead and back, by more than a lease."""
    scene.house.clock.write_text(str(MOVED))
    yield
    time.sleep(A_WHILE / 2)
    scene.house.clock.write_text(str(-MOVED))
    time.sleep(A_WHILE / 2)
    scene.house.clock.write_text("0")


PROCESS: Final = "kill a process"
PAUSE: Final = "pause beyond the lease"
SUDDEN: Final[Mapping[str, Callable[[Scene], None]]] = {
    PROCESS: _kill_process,
    "kill a worker": _kill_worker,
    "kill upkeep and clock": _kill_upkeep,
    "kill keeper and MongoDB": _kill_keeper,
    "kill MongoDB": _kill_mongo,
    "kill Redis": _kill_redis,
    "empty Redis": _empty_redis,
    "cut connections": _cut,
}
LASTING: Final[Mapping[str, Callable[[Scene], AbstractContextManager[None]]]] = {
    PAUSE: _pause,
    "fill the disk": _fill_disk,
    "slow connections": _slow,
    "move the clock": _move_clock,
}
FAULTS: Final = (*SUDDEN, *LASTING)
KILLS: Final = frozenset(name for name in FAULTS if name.startswith("kill"))
# What a kill can fall together with: neither undoes the other.
BESIDE: Final[Mapping[str, frozenset[str]]] = {
    PROCESS: frozenset(FAULTS) - KILLS - {PAUSE},  # who is dead does not pause
    "kill a worker": frozenset(FAULTS) - KILLS - {PAUSE},
    "kill upkeep and clock": frozenset(FAULTS) - KILLS,
    "kill keeper and MongoDB": frozenset({"empty Redis", PAUSE, "slow connections", "move the clock"}),
    "kill MongoDB": frozenset({"empty Redis", PAUSE, "slow connections", "move the clock"}),  # a dead server fills none
    "kill Redis": frozenset({PAUSE, "slow connections", "move the clock"}),
}


def _kill_child(house: House, name: str) -> None:
    child = house.child(name)
    _kill([*house.pool(name), *([child] if child else [])])


def _server(house: House, name: str) -> list[psutil.Process]:
    return [process for key, process in house.servers().items() if key == name]


def _limit(servers: Iterable[psutil.Process], size: int) -> None:
    for server in servers:
        with suppress(psutil.Error, OSError):
            server.rlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _kill(processes: Iterable[psutil.Process]) -> None:
    _send(processes, signal.SIGKILL)


def _send(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)
