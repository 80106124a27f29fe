"""How long things take, on one core."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

Action = Callable[[], Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spread:
    """Times of one action, in milliseconds, and in PING round trips of the same moments where there were any."""

    p50_ms: float
    p99_ms: float
    p50_pings: float | None = None
    p99_pings: float | None = None


class Supply(Generic[T]):
    """Passes items on and counts the seconds that it took to make them, so that a consumer's own time is known."""

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
def one_core() -> Iterator[None]:
    """Keep this process on one core, where the system can; servers that were started before may use the others."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def seconds(action: Action) -> float:
    """How long it takes once."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cpu_seconds(action: Action) -> float:
    """How long this process computes on it once, whatever else runs on the machine."""
    start = time.process_time()
    action()
    return time.process_time() - start


def best_ms(action: Action, rounds: int = 5) -> float:
    """Milliseconds that it takes at best; a quick action is repeated within each round."""
    action()  # the first time it reads its tables, and would seem slow
    once = seconds(action)
    times = max(1, min(100, int(0.01 / max(once, 1e-9))))
    return 1000 * min(seconds(lambda: [action() for _ in range(times)]) / times for _ in range(rounds))


def rate(work: Callable[[str], Any], texts: list[str], rounds: int = 5) -> float:
    """Million characters a second, the best of some rounds."""
    best = min(seconds(lambda: [work(text) for text in texts]) for _ in range(rounds))
    return sum(map(len, texts)) / best / 1e6


def spread(actions: Iterable[Action], ping: Action | None = None) -> Spread:
    """Time each action, with a PING beside it."""
    pairs = [(seconds(action), seconds(ping) if ping else 0.0) for action in actions]
    times, pings = zip(*pairs, strict=True)
    p50, p99 = (float(value) for value in np.percentile(times, [50, 99]))
    if ping is None:
        return Spread(p50 * 1000, p99 * 1000)
    trip = float(np.median(pings))
    return Spread(p50 * 1000, p99 * 1000, p50 / trip, p99 / trip)
