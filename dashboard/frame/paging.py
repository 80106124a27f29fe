"""Pages of a list, numbered in the address."""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from flask import request

SIZE: Final = 50
_LAST: Final = 10_000  # beyond it nobody reads on; filters do


@dataclass(frozen=True, slots=True)
class Paging:
    """Which rows of a list are shown."""

    number: int
    total: int
    more: bool = False  # than `total`

    @property
    def first(self) -> int:
        """Number of the first row shown, from 1; 0 for an empty list."""
        return min(self.skip + 1, self.total)

    @property
    def last(self) -> int:
        """Number of the last row shown."""
        return min(self.skip + SIZE, self.total)

    @property
    def skip(self) -> int:
        """Rows before the first shown."""
        return (self.number - 1) * SIZE

    @property
    def previous(self) -> str | None:
        """The address of the page before this one."""
        return self._address(self.number - 1) if self.number > 1 else None

    @property
    def following(self) -> str | None:
        """The address of the page after this one."""
        return self._address(self.number + 1) if self.last < self.total else None

    def _address(self, number: int) -> str:
        # A query alone: built by hand, because url_for would take arguments such as _scheme from the reader.
        return "?" + urlencode({**request.args.to_dict(), "page": number})


def paging(total: int, most: int | None = None) -> Paging:
    """The page that the address asks for; a page past the end is the last one. most: rows beyond it are not listed."""
    if most is not None and total > most:
        return replace(paging(most), more=True)
    wanted = request.args.get("page", 1, type=int)
    last = max(1, -(-total // SIZE))
    return Paging(max(1, min(wanted, last, _LAST)), total)
