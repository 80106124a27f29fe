"""Measure wall time, processor time and server round trips."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import numpy as np
import psutil
import redis
from pymongo import MongoClient

from wenhen.runtime.wiring import App

Action = Callable[[], Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TimeSpread:
    """Times of one action in milliseconds, and in PING round trips of the same moments."""

    p50_ms: float
    p99_ms: float
    p50_pings: float | None = None
    p99_pings: float | None = None


class TimedIterable(Generic[T]):
    """Passes items on, and measures the seconds to make them, so that the consumer's own time is known."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)
        self.seconds = 0.0

    def __iter__(self) -> Iterator[T]:
        while True:
            start = time.perf_counter()
            try:
                item = next(self._items)
            except StopIteration:
                return
            finally:
                self.seconds += time.perf_counter() - start
            yield item


@contextmanager
def pin_to_one_core() -> Iterator[None]:
    """Keep this process on one core if the system allows it. Servers that run already may use others."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def wall_seconds(action: Action) -> float:
    """Return the wall time of one run."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cpu_seconds(action: Action) -> float:
    """Return the processor time of one run, whatever else runs on the machine."""
    start = time.process_time()
    action()
    return time.process_time() - start


def best_milliseconds(action: Action, rounds: int = 5) -> float:
    """Return the least milliseconds of some rounds. A quick action repeats within each round."""
    action()  # the first run loads tables
    once = wall_seconds(action)
    times = max(1, min(100, int(0.01 / max(once, 1e-9))))
    return 1000 * min(wall_seconds(lambda: [action() for _ in range(times)]) / times for _ in range(rounds))


def text_throughput(work: Callable[[str], Any], texts: list[str], rounds: int = 5) -> float:
    """Return million characters a second, the best of some rounds."""
    best = min(wall_seconds(lambda: [work(text) for text in texts]) for _ in range(rounds))
    return sum(map(len, texts)) / best / 1e6


def time_spread(actions: Iterable[Action], ping: Action | None = None) -> TimeSpread:
    """Time each action, each beside a PING."""
    pairs = [(wall_seconds(action), wall_seconds(ping) if ping else 0.0) for action in actions]
    times, pings = zip(*pairs, strict=True)
    p50, p99 = (float(value) for value in np.percentile(times, [50, 99]))
    if ping is None:
        return TimeSpread(p50 * 1000, p99 * 1000)
    trip = float(np.median(pings))
    return TimeSpread(p50 * 1000, p99 * 1000, p50 / trip, p99 / trip)


# The memory of processes, while they work.


MEMORY_INTERVAL = 2.0  # seconds between two looks


class MemoryMeter:
    """Watches the processes below ours in a block. The most that a single process had is in `own_mb` and `mapped_mb`.

    own_mb: memory that no file backs. mapped_mb: pages of mapped files, which processes of a machine share. Both are 0
    where the system does not tell.
    """

    def __init__(self) -> None:
        self.own_mb = self.mapped_mb = 0.0
        self._end = Event()
        self._watch = Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._watch.join()

    def _look_on(self) -> None:
        while True:
            for process in psutil.Process().children(recursive=True):
                resident, own = _resident_megabytes(process.pid)
                self.own_mb, self.mapped_mb = max(self.own_mb, own), max(self.mapped_mb, resident - own)
            if self._end.wait(MEMORY_INTERVAL):
                return


def _resident_megabytes(process_id: int) -> tuple[float, float]:
    """Return the resident memory of a process, and what of it no file backs."""
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # it has ended, or the system is none of Linux
        return 0.0, 0.0
    kilobytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return kilobytes.get("Rss", 0) / 1024, kilobytes.get("Anonymous", 0) / 1024


# The cost of work in all processes: processor time of every process below ours, and round trips to both servers.


SERVER_PROCESSES = {"mongod": "mongod", "valkey-server": "Valkey"}  # names by program
WORKER_PROCESSES = "workers"  # including their sandbox children


@dataclass(frozen=True, slots=True)
class Cost:
    """seconds: wall time. cpu: seconds of processor time by process. trips: messages that a server answered."""

    seconds: float
    cpu: Mapping[str, float]
    trips: Mapping[str, int]


class CostMeter:
    """Measures a block. The result is in `cost`. ours: count this process as a worker."""

    def __init__(self, app: App, *, ours: bool = False) -> None:
        assert app.settings.mongo.url
        assert app.settings.redis.url
        self._mongo: MongoClient[dict[str, Any]] = MongoClient(app.settings.mongo.url)
        self._redis = redis.Redis.from_url(app.settings.redis.url)
        self._ours = ours
        self.cost = Cost(0, {}, {})

    def __enter__(self) -> Self:
        self._before = self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        before, after = self._before, self._read()
        self.cost = Cost(
            after.seconds - before.seconds,
            {who: taken - before.cpu.get(who, 0.0) for who, taken in after.cpu.items()},
            {where: count - before.trips[where] for where, count in after.trips.items()},
        )
        self._mongo.close()
        self._redis.close()

    def _read(self) -> Cost:
        trips = {
            "MongoDB": int(self._mongo.admin.command("serverStatus")["network"]["numRequests"]),
            "Valkey": int(self._redis.info("stats")["total_reads_processed"]),
        }
        return Cost(time.perf_counter(), self._cpu(), trips)

    def _cpu(self) -> dict[str, float]:
        me = psutil.Process()
        taken = dict.fromkeys((*SERVER_PROCESSES.values(), WORKER_PROCESSES), 0.0)
        for process in ([me] if self._ours else []) + me.children(recursive=True):
            try:
                times, name = process.cpu_times(), process.name()
            except psutil.NoSuchProcess:
                continue
            # A parent reports the times of its ended children.
            taken[SERVER_PROCESSES.get(name, WORKER_PROCESSES)] += (
                times.user + times.system + times.children_user + times.children_system
            )
        return taken
