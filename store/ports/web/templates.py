"""Lines that repeat across the pages of one host."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol


class Learned(NamedTuple):
    """What pages of a host were counted together. new: which of them were counted, in their order; pages: of the host
    by then; counts: of their lines by then.
    """

    new: list[bool]
    pages: int
    counts: Mapping[str, int]


class Templates(Protocol):
    """On how many pages of a host a line stands; what is rare is forgotten again, so that a host takes bounded room."""

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:
        """Count the lines of a page that is new, by their keys; another page with the same `text` counts for nothing.

        least: a line that comes to stand on so many pages is noted as a change of the host's template.
        """

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> Learned:
        """Count the lines of several new pages, each given by its text and its lines; changes are not noted."""

    def note_changed(self, host: str) -> None:
        """The template of this host has grown."""

    def pages(self, host: str) -> int:
        """How many pages were counted."""

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        """On how many pages each of these lines stands, where it was counted; never more than the true number."""

    def changed(self, before: datetime) -> list[str]:
        """Hosts whose template changed, the last time before this moment."""

    def applied(self, host: str, moment: datetime) -> None:
        """The change up to this moment was seen to."""

    def forget(self, before: datetime) -> None:
        """Drop the lines that were not counted on a new page since, of hosts that had new pages since."""
