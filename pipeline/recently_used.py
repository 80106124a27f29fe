"""What was used lately, kept for the next who asks, in bounded room."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
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
        found = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key][0]
        return found

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
