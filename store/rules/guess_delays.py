"""How long whoever guesses a password or a code has to wait: longer with each guess, and never for good.

How many are free, and by whom and where they are counted: `services.people.guess_limits`.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

FORGOTTEN: Final = timedelta(hours=1)  # after the last guess
_DOUBLINGS: Final = 20  # more would be longer than any pace


@dataclass(frozen=True, slots=True)
class Slowing:
    """How quickly guesses may follow each other.

    >>> [str(Slowing(2, timedelta(seconds=5)).pause(guesses)) for guesses in (1, 2, 3, 4, 5, 99)]
    ['0:00:00', '0:00:01', '0:00:02', '0:00:04', '0:00:05', '0:00:05']
    """

    free: int  # guesses with no wait between them; after the last of them it is a second, doubled with each further one
    longest: timedelta

    def pause(self, guesses: int) -> timedelta:
        """Before the next guess, after so many."""
        if guesses < self.free:
            return timedelta()
        return min(timedelta(seconds=2 ** min(guesses - self.free, _DOUBLINGS)), self.longest)
