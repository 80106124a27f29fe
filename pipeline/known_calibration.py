"""The calibration by which a process answers who asks about a text: it is asked for once a second at most.

What is kept of a comparison goes by the present one, for when that is made anew all that was kept follows it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from matcher.verdict.probability import Calibration  # which brings numpy

SECONDS: Final = 1.0


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
        self._known = calibration, self._clock() + SECONDS
        return calibration
