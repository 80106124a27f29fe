"""Small facts by name."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol


class Marks(Protocol):
    """Small facts by name that must outlive Redis: index generations, the time of the last daily run."""

    def get(self, name: str) -> Mapping[str, object] | None: ...
    def set(self, name: str, value: Mapping[str, object], *, until: datetime | None = None) -> None:
        """until: when it is forgotten; never without."""

    def claim(self, name: str, now: datetime, every: timedelta) -> bool:
        """True for one caller per period: the named duty is due, and its time has been moved on."""

    def release(self, name: str) -> None:
        """Let go of what was claimed: the next caller may have it before its period is over."""
