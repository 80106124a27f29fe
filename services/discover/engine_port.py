"""What a search engine is to us: a phrase goes in, and the addresses where it stands come out.

Another engine is a class with these methods, named in `services.discover.engines`, that asks by
`services.discover.engine_request`.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from crawler.crawl.host_names import host_of
from store.rules.storable import storable

LONGEST_URL = 2000  # characters


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One address of an answer, and by which engines it was found, where several stand behind the one asked."""

    url: str
    title: str
    engines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What was found, the likeliest first. silent: engines behind the one asked that did not answer: what is not here
    may be among theirs.
    """

    hits: tuple[SearchHit, ...]
    silent: tuple[str, ...] = ()


class SearchEngine(Protocol):
    """Answers a question."""

    name: str

    def search(self, phrase: str, of: str | None = None) -> SearchAnswer:
        """The addresses that hold the phrase. of: what one of several engines behind it is called, where the answer is
        to be that one's alone.

        Raises `Unavailable` where the engine does not answer, `SetupError` where it never will as it is set up.
        """

    def close(self) -> None: ...


def hit(url: Any, title: Any, engines: tuple[str, ...] = ()) -> SearchHit | None:
    """One row of an answer, where it has an address that a crawl could begin with; what an engine gives may be
    anything.
    """
    if not isinstance(url, str) or len(url) > LONGEST_URL or storable(url) != url or host_of(url) is None:
        return None
    return SearchHit(url, storable(str(title or "")), engines)
