"""What work costs, whoever does it: processor time of every process below ours, and round trips to both servers."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import psutil
import redis
from pymongo import MongoClient

from wenhen.wiring import App

SERVERS = {"mongod": "mongod", "valkey-server": "Valkey"}  # by the name of the program
WORKERS = "workers"  # with the children that read pages


@dataclass(frozen=True, slots=True)
class Cost:
    """seconds: by the clock. cpu: seconds of processor time, by who took it. trips: messages that a server answered."""

    seconds: float
    cpu: Mapping[str, float]
    trips: Mapping[str, int]


class Meter:
    """Measures a block: `cost` afterwards. ours: this process counts as a worker."""

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
        taken = dict.fromkeys((*SERVERS.values(), WORKERS), 0.0)
        for process in ([me] if self._ours else []) + me.children(recursive=True):
            try:
                times, name = process.cpu_times(), process.name()
            except psutil.NoSuchProcess:
                continue
            # Of children that ended, their parent tells.
            taken[SERVERS.get(name, WORKERS)] += times.user + times.system + times.children_user + times.children_system
        return taken
