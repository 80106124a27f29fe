"""Cache recent values, index sizes, names of works, the calibration and the background frequencies of one process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from wenhen.kit.progress import OwnerKind

if TYPE_CHECKING:
    from matcher.attribution.calibration import Calibration  # imports numpy
    from matcher.paraphrase.plain_characters import Background
    from wenhen.fingerprints.repository import Fingerprints

T = TypeVar("T")


class LruCache(Generic[T]):
    """A thread-safe LRU cache. most: maximum total size; a value of a quarter of it or more is not cached."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def some(self, keys: Iterable[str]) -> dict[str, T]:
        """Return the cached values of these keys."""
        values = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    values[key] = self._kept[key][0]
        return values

    def keep(self, key: str, value: T, size: int) -> None:
        """Add a value. An existing value of the key stays."""
        with self._lock:
            if 4 * size >= self._most or key in self._kept:
                return
            self._kept[key] = value, size
            self._held += size
            while self._held > self._most:
                _, (_, gone) = self._kept.popitem(last=False)
                self._held -= gone


# Cached document counts of the indexes, from which look-ups compute how rare a feature is. Only the logarithm of the
# count matters, and a large library hardly changes in a second. The count of a small library is read each time, because
# its first works change it much.


LARGE_INDEX_DOCUMENTS: Final = 1_000  # documents
INDEX_SIZE_SECONDS: Final = 1.0


class KnownSizes:
    """The document counts that a process has cached."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[OwnerKind, tuple[int, float]] = {}

    def of(self, fingerprints: Fingerprints, kind: OwnerKind) -> int:
        """Return the number of documents of this kind."""
        count, until = self._known.get(kind, (0, 0.0))
        if count < LARGE_INDEX_DOCUMENTS or self._clock() >= until:
            count = fingerprints.count_reserved(kind)
            self._known[kind] = count, self._clock() + INDEX_SIZE_SECONDS
        return count


# Cached owners of numbers in the works index. A number belongs to one version of one work for ever, but it retires when
# the work changes, and its postings leave the index. A retired number that a look-up still finds there only adds a
# candidate, whose current text is then compared.


MAX_KNOWN_NAMES: Final = 100_000  # numbers


class KnownNames:
    """The works of numbers in the index that a process has cached."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, int]] = {}

    def of(
        self, numbers: Collection[int], ask: Callable[[Collection[int]], Mapping[int, tuple[str, int]]]
    ) -> dict[int, tuple[str, int]]:
        """Return id and version of the works of these numbers. Numbers without a work are absent.

        ask: loads them for numbers that are not cached.
        """
        if len(self._known) > MAX_KNOWN_NAMES:
            self._known = {}
        known = self._known  # another thread may replace it
        if missing := [number for number in numbers if number not in known]:
            known.update(ask(missing))
        names = {number: known[number] for number in numbers if number in known}
        latest: dict[str, int] = {}
        for id, version in names.values():
            latest[id] = max(version, latest.get(id, version))
        return {number: (id, version) for number, (id, version) in names.items() if version == latest[id]}


# Cached calibration for queries about a text, read at most once a second. Stored results always use the current
# calibration, because they are all updated when it changes.


CALIBRATION_SECONDS: Final = 1.0


class KnownCalibration:
    """The calibration that a process has cached."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: tuple[Calibration, float] | None = None

    def of(self, ask: Callable[[], Calibration]) -> Calibration:
        """Return the calibration, at most a second old. ask: loads it."""
        known = self._known  # another thread may replace it
        if known is not None and self._clock() < known[1]:
            return known[0]
        return self.note(ask())

    def note(self, calibration: Calibration) -> Calibration:
        """Cache this calibration."""
        self._known = calibration, self._clock() + CALIBRATION_SECONDS
        return calibration


class KnownIds:
    """Ids of a query that is run at most once a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: tuple[frozenset[str], float] | None = None

    def of(self, ask: Callable[[], Iterable[str]]) -> frozenset[str]:
        """Return the ids, at most a second old. ask: runs the query."""
        known = self._known  # another thread may replace it
        if known is None or self._clock() >= known[1]:
            known = self._known = frozenset(ask()), self._clock() + CALIBRATION_SECONDS
        return known[0]


@dataclass(slots=True)
class BackgroundCache:
    """A background, None before it is learnt, and the number of documents at that time."""

    background: Background | None = None
    documents: int = 0
