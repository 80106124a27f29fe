"""Hosts that carry the same site."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A host that carries the pages of another."""

    id: str  # the host
    main: str  # the host that it is counted as
    known_since: datetime
    pages: int = 0  # that were found to be equal; none where people said so


def hosts_counted_as(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """A host and its mirrors; of a mirror only itself. mains: for each mirror, the host that it is counted as.

    >>> hosts_counted_as("a.test", {"m.a.test": "a.test"}), hosts_counted_as("m.a.test", {"m.a.test": "a.test"})
    (('a.test', 'm.a.test'), ('m.a.test',))
    """
    return (host, *sorted(mirror for mirror, main in mains.items() if main == host))
