"""Pauses that double: how long to wait before something that failed is tried again."""

from datetime import timedelta
from typing import Final, NamedTuple

_MOST: Final = 30  # doublings; beyond them no pause of ours is meant


def doubled(first: timedelta, times: int, longest: timedelta) -> timedelta:
    """`first`, doubled so many times, and `longest` at most.

    >>> [str(doubled(timedelta(seconds=20), times, timedelta(hours=6))) for times in (-1, 0, 1, 5, 60)]
    ['0:00:20', '0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """
    return min(first * (1 << min(max(times, 0), _MOST)), longest)


class Pauses(NamedTuple):
    """Before something that failed is tried again.

    >>> [str(DELIVERY.after(tries)) for tries in (1, 2, 6, 60)]
    ['0:00:20', '0:00:40', '0:10:40', '6:00:00']
    """

    first: timedelta
    longest: timedelta

    def after(self, tries: int) -> timedelta:
        """After so many tries, each longer than the one before."""
        return doubled(self.first, tries - 1, self.longest)


DELIVERY: Final = Pauses(timedelta(seconds=20), timedelta(hours=6))  # of letters and webhooks
EVIDENCE: Final = Pauses(timedelta(minutes=1), timedelta(hours=6))  # exhibits and time stamps
