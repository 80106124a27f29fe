"""Inject faults into a deployment, and plan which faults strike which steps."""

import random
import resource
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from enum import StrEnum
from typing import Final, NamedTuple

import psutil
import redis

from benchmarks.chaos.deployment import LEASE_SECONDS, Deployment
from wenhen.kit.progress import OwnerKind, Step
from wenhen.pipeline.tasks import SINGLE_STEPS

# Faults that strike a deployment while one of its processes is stopped. Some are sudden, some last for a while.


BEYOND_LEASE_SECONDS: Final = LEASE_SECONDS + 1.5  # seconds
FAULT_SECONDS: Final = 1.5
CLOCK_SHIFT_SECONDS: Final = 20.0  # seconds, more than a lease, in both directions


class FaultScene(NamedTuple):
    """A deployment, the worker at the step, and its stopped processes."""

    house: Deployment
    worker: str
    halted: Collection[psutil.Process]


def inject_faults(scene: FaultScene, faults: Collection[str]) -> None:
    """Inject all faults at once, then continue the stopped processes. Return when the faults are over. Killed
    processes restart by themselves.
    """
    with ExitStack() as whiles:
        for fault in faults:
            if fault in LASTING_FAULTS:
                whiles.enter_context(LASTING_FAULTS[fault](scene))
        for fault in faults:
            if fault in SUDDEN_FAULTS:
                SUDDEN_FAULTS[fault](scene)
        if PAUSE_PROCESS not in faults:
            _send_signal(scene.halted, signal.SIGCONT)


def _kill_pool(scene: FaultScene) -> None:
    """Kill the pool processes. Celery starts others."""
    _kill_processes([*scene.halted, *scene.house.pool(scene.worker)])


def _kill_worker(scene: FaultScene) -> None:
    """Kill the worker with all its processes."""
    _kill_child(scene.house, scene.worker)


def _kill_upkeep(scene: FaultScene) -> None:
    """Kill the reconciler's worker, and the scheduler that triggers it."""
    for name in ("upkeep", "clock"):
        _kill_child(scene.house, name)


def _kill_keeper(scene: FaultScene) -> None:
    """Kill the watchdog of the servers, and MongoDB."""
    _kill_child(scene.house, "keeper")
    _kill_mongo(scene)


def _kill_mongo(scene: FaultScene) -> None:
    _kill_processes(_server_processes(scene.house, "mongo"))


def _kill_redis(scene: FaultScene) -> None:
    _kill_processes(_server_processes(scene.house, "redis"))


def _empty_redis(scene: FaultScene) -> None:
    """Delete everything in Redis, indexes included."""
    url = scene.house.app.settings.redis.url
    assert url
    with redis.Redis.from_url(url) as client:
        client.flushall()


def _cut_connections(scene: FaultScene) -> None:
    """Cut every connection to a server."""
    for proxy in scene.house.proxies:
        proxy.cut_connections()


@contextmanager
def _pause_process(scene: FaultScene) -> Iterator[None]:
    """Pause the process at the step for longer than its lease, so that others take over its records."""
    yield
    time.sleep(BEYOND_LEASE_SECONDS)
    _send_signal(scene.halted, signal.SIGCONT)


@contextmanager
def _fill_disk(scene: FaultScene) -> Iterator[None]:
    """Keep the servers' files from growing for a while."""
    servers = list(scene.house.servers().values())
    _limit_file_size(servers, 0)
    yield
    time.sleep(FAULT_SECONDS)
    _limit_file_size(servers, resource.RLIM_INFINITY)


@contextmanager
def _slow_connections(scene: FaultScene) -> Iterator[None]:
    """Delay every answer for a while."""
    for proxy in scene.house.proxies:
        proxy.delay = 0.1
    yield
    time.sleep(FAULT_SECONDS)
    for proxy in scene.house.proxies:
        proxy.delay = 0.0


@contextmanager
def _move_clock(scene: FaultScene) -> Iterator[None]:
    """Shift the workers' clock by more than a lease, forth and back."""
    scene.house.clock.write_text(str(CLOCK_SHIFT_SECONDS))
    yield
    time.sleep(FAULT_SECONDS / 2)
    scene.house.clock.write_text(str(-CLOCK_SHIFT_SECONDS))
    time.sleep(FAULT_SECONDS / 2)
    scene.house.clock.write_text("0")


KILL_PROCESS: Final = "kill a process"
PAUSE_PROCESS: Final = "pause beyond the lease"
SUDDEN_FAULTS: Final[Mapping[str, Callable[[FaultScene], None]]] = {
    KILL_PROCESS: _kill_pool,
    "kill a worker": _kill_worker,
    "kill upkeep and clock": _kill_upkeep,
    "kill keeper and MongoDB": _kill_keeper,
    "kill MongoDB": _kill_mongo,
    "kill Redis": _kill_redis,
    "empty Redis": _empty_redis,
    "cut connections": _cut_connections,
}
LASTING_FAULTS: Final[Mapping[str, Callable[[FaultScene], AbstractContextManager[None]]]] = {
    PAUSE_PROCESS: _pause_process,
    "fill the disk": _fill_disk,
    "slow connections": _slow_connections,
    "move the clock": _move_clock,
}
FAULTS: Final = (*SUDDEN_FAULTS, *LASTING_FAULTS)
KILL_FAULTS: Final = frozenset(name for name in FAULTS if name.startswith("kill"))
# Faults that can accompany a kill, because neither undoes the other.
COMPATIBLE_FAULTS: Final[Mapping[str, frozenset[str]]] = {
    KILL_PROCESS: frozenset(FAULTS) - KILL_FAULTS - {PAUSE_PROCESS},  # a dead process cannot pause
    "kill a worker": frozenset(FAULTS) - KILL_FAULTS - {PAUSE_PROCESS},
    "kill upkeep and clock": frozenset(FAULTS) - KILL_FAULTS,
    "kill keeper and MongoDB": frozenset({"empty Redis", PAUSE_PROCESS, "slow connections", "move the clock"}),
    "kill MongoDB": frozenset(
        {"empty Redis", PAUSE_PROCESS, "slow connections", "move the clock"}
    ),  # a dead server fills none
    "kill Redis": frozenset({PAUSE_PROCESS, "slow connections", "move the clock"}),
}


def _kill_child(house: Deployment, name: str) -> None:
    child = house.child(name)
    _kill_processes([*house.pool(name), *([child] if child else [])])


def _server_processes(house: Deployment, name: str) -> list[psutil.Process]:
    return [process for key, process in house.servers().items() if key == name]


def _limit_file_size(servers: Iterable[psutil.Process], size: int) -> None:
    for server in servers:
        with suppress(psutil.Error, OSError):
            server.rlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _kill_processes(processes: Iterable[psutil.Process]) -> None:
    _send_signal(processes, signal.SIGKILL)


def _send_signal(processes: Iterable[psutil.Process], number: int) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


STEP_PLACES: Final = [(kind, step) for kind, steps in SINGLE_STEPS.items() for step in steps]
CRAWL_PLACE: Final = "crawl"
SHORT_FAULTS: Final = (KILL_PROCESS, KILL_PROCESS, "kill MongoDB", "empty Redis", "cut connections")
STRIKES_PER_ROUND: Final = 20  # strikes
MAX_STEP_MESSAGES: Final = 24  # that a process exchanges with a server in a step, at most, before it stands still


class Strike(NamedTuple):
    """Faults that strike together, their step, and the message after which they strike."""

    faults: tuple[str, ...]
    kind: OwnerKind
    step: Step
    word: int

    @property
    def place(self) -> str:
        """Return the step as text."""
        return f"{self.kind} {self.step}"


class Round(NamedTuple):
    """Strikes on one workload, after one on its crawl."""

    crawl: str
    strikes: Sequence[Strike]


class PlanLength(StrEnum):
    """The length of a plan."""

    SHORT = "short"  # some faults, half a minute on a machine that does nothing else
    EACH = "each"  # each fault once, and a kill in each step
    LONG = "long"  # each fault in each step, then kills beside other faults up to the wanted number


def plan_rounds(seed: int, length: PlanLength, kills: int) -> list[Round]:
    """Return the rounds of a plan in the order that the seed decides. kills: kill −9 of a long plan."""
    chance = random.Random(seed)
    if length is PlanLength.SHORT:
        places = chance.sample(STEP_PLACES, len(SHORT_FAULTS))
        return [
            Round(
                KILL_PROCESS,
                [_make_strike(chance, (fault,), *place) for fault, place in zip(SHORT_FAULTS, places, strict=True)],
            )
        ]
    if length is PlanLength.EACH:
        strikes = [_make_strike(chance, (KILL_PROCESS,), *place) for place in STEP_PLACES]
        strikes += [
            _make_strike(chance, (fault,), *chance.choice(STEP_PLACES)) for fault in FAULTS if fault != KILL_PROCESS
        ]
    else:
        strikes = [_make_strike(chance, (fault,), *place) for fault in FAULTS for place in STEP_PLACES]
        several = _pair_faults(chance)
        strikes += [next(several) for _ in range(kills - sum(strike.faults[0] in KILL_FAULTS for strike in strikes))]
    chance.shuffle(strikes)
    rounds = [strikes[start : start + STRIKES_PER_ROUND] for start in range(0, len(strikes), STRIKES_PER_ROUND)]
    return [Round(FAULTS[number % len(FAULTS)], round_strikes) for number, round_strikes in enumerate(rounds)]


def _pair_faults(chance: random.Random) -> Iterator[Strike]:
    """Yield without end: in each step each kill once, beside each other fault once."""
    others = [fault for fault in FAULTS if fault not in KILL_FAULTS]
    while True:
        for place in chance.sample(STEP_PLACES, len(STEP_PLACES)):
            kills = chance.sample(sorted(KILL_FAULTS), len(KILL_FAULTS))
            while not all(other in COMPATIBLE_FAULTS[kill] for kill, other in zip(kills, others, strict=True)):
                chance.shuffle(kills)
            yield from (_make_strike(chance, pair, *place) for pair in zip(kills, others, strict=True))


def _make_strike(chance: random.Random, faults: tuple[str, ...], kind: OwnerKind, step: Step) -> Strike:
    return Strike(faults, kind, step, chance.randrange(MAX_STEP_MESSAGES))
