"""How much the copies on some hosts took."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTaking:
    """What was taken of one work. characters: of the work, in all passages of its copies; confirmed: by a person."""

    work_id: str
    title: str
    copies: int
    confirmed: int
    characters: int
    confirmed_characters: int
    largest_share: float  # of the work, in one copy


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTaking:
    """What was taken of all works, the one of which most characters were taken first; and how notices were met.

    Days from a notice to the removal are of the copies that were removed after one; None where none was.
    """

    works: tuple[WorkTaking, ...] = ()
    first_seen: datetime | None = None  # the first copy
    first_notice: datetime | None = None
    noticed: int = 0  # copies of which a notice was sent
    removed: int = 0  # of these
    days_fastest: float | None = None
    days_mean: float | None = None
    days_slowest: float | None = None

    @property
    def copies(self) -> int:
        """Of all works."""
        return sum(one.copies for one in self.works)

    @property
    def confirmed(self) -> int:
        """Copies that a person has confirmed, whatever became of them since."""
        return sum(one.confirmed for one in self.works)

    @property
    def confirmed_works(self) -> int:
        """Works of which a copy was confirmed."""
        return sum(one.confirmed > 0 for one in self.works)

    @property
    def characters(self) -> int:
        """Of all copies."""
        return sum(one.characters for one in self.works)

    @property
    def confirmed_characters(self) -> int:
        """Of the confirmed copies."""
        return sum(one.confirmed_characters for one in self.works)
