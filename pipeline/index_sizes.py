"""How many documents the indexes were given, which each look-up needs to know what is rare.

A large library hardly changes in a second, and the answer only counts by its logarithm: so long it is kept. A small one
is asked each time, for with its first works everything changes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.ports import Fingerprints
    from store.records import OwnerKind

LARGE: Final = 10_000  # documents
SECONDS: Final = 1.0


class KnownSizes:
    """What one process knows of it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[OwnerKind, tuple[int, float]] = {}

    def of(self, fingerprints: Fingerprints, kind: OwnerKind) -> int:
        """The documents of this side."""
        count, until = self._known.get(kind, (0, 0.0))
        if count < LARGE or self._clock() >= until:
            count = fingerprints.reserved(kind)
            self._known[kind] = count, self._clock() + SECONDS
        return count
