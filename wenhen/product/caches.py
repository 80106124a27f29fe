"""Cache recent values, index sizes and the calibration of one process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from matcher.attribution.calibration import Calibration  # which brings numpy
    from wenhen.fingerprints.repository import Fingerprints
    from wenhen.kit.progress import OwnerKind

T = TypeVar("T")


class LruCache(Generic[T]):
    """Things by key; those that nobody asked for for the longest time give way. Safe between threads.

    most: sum of the sizes that are kept; a thing that would take a quarter of it or more is not kept at all.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def some(self, keys: Iterable[str]) -> dict[str, T]:
        """Those of these that are kept."""
        values = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    values[key] = self._kept[key][0]
        return values

    def keep(self, key: str, thing: T, size: int) -> None:
        """Keep one more; what was kept under its key stays."""
        with self._lock:
            if 4 * size >= self._most or key in self._kept:
                return
            self._kept[key] = thing, size
            self._held += size
            while self._held > self._most:
                _, (_, gone) = self._kept.popitem(last=False)
                self._held -= gone


# How many documents the indexes were given, which each look-up needs to know what is rare.
#
# A large library hardly changes in a second, and the answer only counts by its logarithm: so long it is kept. A small
# one is asked each time, for with its first works everything changes.


LARGE_INDEX_DOCUMENTS: Final = 10_000  # documents
INDEX_SIZE_SECONDS: Final = 1.0


class KnownSizes:
    """What one process knows of it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[OwnerKind, tuple[int, float]] = {}

    def of(self, fingerprints: Fingerprints, kind: OwnerKind) -> int:
        """The documents of this side."""
        count, until = self._known.get(kind, (0, 0.0))
        if count < LARGE_INDEX_DOCUMENTS or self._clock() >= until:
            count = fingerprints.count_reserved(kind)
            self._known[kind] = count, self._clock() + INDEX_SIZE_SECONDS
        return count


# The calibration by which a process answers who asks about a text: it is asked for once a second at most.
#
# What is kept of a comparison goes by the present one, for when that is made anew all that was kept follows it.


CALIBRATION_SECONDS: Final = 1.0


class KnownCalibration:
    """What one process knows of it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: tuple[Calibration, float] | None = None

    def of(self, ask: Callable[[], Calibration]) -> Calibration:
        """The calibration as it was a second ago at the earliest. ask: how to learn it anew."""
        known = self._known  # another thread may replace it
        if known is not None and self._clock() < known[1]:
            return known[0]
        return self.note(ask())

    def note(self, calibration: Calibration) -> Calibration:
        """Know this one, which holds from now on."""
        self._known = calibration, self._clock() + CALIBRATION_SECONDS
        return calibration


class KnownIds:
    """Ids that a question gives, asked once a second at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: tuple[frozenset[str], float] | None = None

    def of(self, ask: Callable[[], Iterable[str]]) -> frozenset[str]:
        """The ids as they were a second ago at the earliest. ask: how to learn them anew."""
        known = self._known  # another thread may replace it
        if known is None or self._clock() >= known[1]:
            known = self._known = frozenset(ask()), self._clock() + CALIBRATION_SECONDS
        return known[0]
