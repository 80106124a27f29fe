"""What a search engine is to us: a phrase goes in, and the addresses where it stands come out.

Another engine is a class with these two methods, named in `services.discover.engines`.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One address of an answer."""

    url: str
    title: str


class SearchEngine(Protocol):
    """Answers a question."""

    name: str

    def search(self, phrase: str, of: str | None = None) -> list[SearchHit]:
        """The addresses that hold the phrase, the likeliest first. of: what one of several engines behind it is called,
        where the answer is to be that one's alone.

        Raises `Unavailable` where the engine does not answer, `SetupError` where it never will as it is set up.
        """

    def close(self) -> None: ...
