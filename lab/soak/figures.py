"""What a soak is judged by: samples of memory and queues, times of answers."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

MOST_GROWTH: Final = 0.05  # of memory, after it has settled
MOST_MILLISECONDS: Final = 500.0  # of 99 in 100 answers
SETTLED: Final = 1 / 6  # of the time: five minutes of thirty
LEAST_BACKLOG: Final = 50  # messages; fewer are no backlog


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment. memory: bytes by the name of what takes it; waiting: messages by queue."""

    seconds: float
    memory: Mapping[str, int]
    waiting: Mapping[str, int]


@dataclass(slots=True)
class Soaked:
    """All samples, and the milliseconds of all answers, also by screen."""

    samples: list[Sample] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    by_screen: dict[str, list[float]] = field(default_factory=dict)
    refused: int = 0  # requests that were not answered by 200
    works: int = 0
    pages: int = 0
    reports: int = 0

    @property
    def growth(self) -> Mapping[str, float]:
        """By what share memory grew from when it had settled to the end; medians of a sixth of the time each."""
        settled = [one for one in self.samples if one.seconds >= SETTLED * self.samples[-1].seconds]
        first, last = _ends(settled)
        names = settled[-1].memory
        return {name: _median(last, name) / max(1.0, _median(first, name)) - 1 for name in names}

    @property
    def p99(self) -> float:
        """Milliseconds within which 99 of 100 answers came."""
        return statistics.quantiles(self.answers, n=100)[98] if len(self.answers) > 1 else 0.0

    def answered(self, screen: str, milliseconds: float) -> None:
        """Note an answer of the dashboard."""
        self.answers.append(milliseconds)
        self.by_screen.setdefault(screen, []).append(milliseconds)

    @property
    def screens(self) -> list[tuple[str, float, float]]:
        """Each screen with the median and the slowest of its milliseconds; the slowest screen first."""
        rows = [(screen, statistics.median(times), max(times)) for screen, times in self.by_screen.items()]
        return sorted(rows, key=lambda row: -row[2])

    @property
    def backlog(self) -> Mapping[str, tuple[int, int]]:
        """The fewest messages of each queue in the first sixth and in the last."""
        first, last = _ends(self.samples)
        return {
            name: (min(one.waiting[name] for one in first), min(one.waiting[name] for one in last))
            for name in self.samples[-1].waiting
        }

    @property
    def faults(self) -> list[str]:
        """What is not as it should be."""
        found = [
            f"{name} grew by {share:.1%}, more than {MOST_GROWTH:.0%}"
            for name, share in self.growth.items()
            if share > MOST_GROWTH
        ]
        if self.p99 > MOST_MILLISECONDS:
            found.append(f"p99 of the dashboard is {self.p99:.0f} ms, more than {MOST_MILLISECONDS:.0f}")
        if self.refused:
            found.append(f"{self.refused} requests were not answered")
        found += [
            f"the queue {name} grows: {first} waited at first, {last} at last"
            for name, (first, last) in self.backlog.items()
            if last > max(2 * first, LEAST_BACKLOG)
        ]
        return found


def _ends(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]]:
    some = max(1, len(samples) // 6)
    return samples[:some], samples[-some:]


def _median(samples: Sequence[Sample], name: str) -> float:
    return statistics.median(one.memory.get(name, 0) for one in samples)
