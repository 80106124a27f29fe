"""Whose a text, a fingerprint or a problem is: a work or a page."""

from dataclasses import dataclass
from typing import Self

from store.records.upkeep.progress import OwnerKind


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """A work or a page, of which nothing but its id is known. As text, which is how it is stored: `work:ID`."""

    kind: OwnerKind
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def parse(cls, written: str) -> Self:
        """The owner that was written so. Raises ValueError for what names none.

        >>> Owner.parse("work:novel:1")
        Owner(kind=<OwnerKind.WORK: 'work'>, id='novel:1')
        """
        kind, _, id = written.partition(":")
        return cls(OwnerKind(kind), id)

    @classmethod
    def of_work(cls, id: str) -> Self:
        """The work with this id."""
        return cls(OwnerKind.WORK, id)

    @classmethod
    def of_page(cls, id: str) -> Self:
        """The page with this id."""
        return cls(OwnerKind.PAGE, id)
