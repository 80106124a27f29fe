"""What the store takes, and how much is in it."""

from dataclasses import dataclass
from typing import NamedTuple


class RoughCount(NamedTuple):
    """A number of records. exact: each was counted; otherwise it comes from the server's own book-keeping, which is
    off for a while after the server was killed.
    """

    number: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Bytes of the stored data with its indexes, and of the disk that they lie on."""

    data: int
    disk: int
    free: int
