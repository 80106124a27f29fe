"""Whether two hosts carry the same site: the same bodies at the same paths."""

from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

LEAST = 5  # pages at equal paths, all of them: shorter sites may only share a template
EQUAL = 0.8  # share of the pages at equal paths whose bodies are equal; the others may have changed between captures
SAMPLE = 40  # pages of a host that are looked at


def moved(url: str, to: str) -> str:
    """The same address at the scheme, host and port of another.

    >>> moved("http://www.a.test:8080/b?c=1", "https://m.a.test/")
    'https://m.a.test/b?c=1'
    """
    there = urlsplit(to)
    return urlunsplit(urlsplit(url)._replace(scheme=there.scheme, netloc=there.netloc))


def same_place(url: str, other: str) -> bool:
    """Whether two addresses differ in nothing but host and scheme.

    >>> same_place("http://a.test/x?y=1", "https://b.test/x?y=1"), same_place("http://a.test/x", "http://b.test/")
    (True, False)
    """
    one, two = urlsplit(url), urlsplit(other)
    return (one.path or "/", one.query) == (two.path or "/", two.query)


def equal_pages(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pages of two hosts at equal paths are equal, by their digests; 0 where that makes them no mirrors."""
    same = [one == other for one, other in pairs]
    return sum(same) if sum(same) >= max(LEAST, EQUAL * len(same)) else 0
