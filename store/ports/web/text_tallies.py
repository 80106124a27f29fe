"""The port of what is counted of the texts of pages."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from store.records import TextFigures, TextSeen


class TextTallies(Protocol):
    """Sums by day and site, so that no figure needs a look at every page."""

    def count(self, seen: Sequence[TextSeen], at: datetime) -> None:
        """Add these to the sums of the day. A crash takes back what it had in hand: these are statistics."""

    def figures(self, first: date, last: date, *, site: str | None = None, top: int = 20) -> TextFigures:
        """The texts of these days (both included), of one site if given; at most `top` sites, those with most first."""
