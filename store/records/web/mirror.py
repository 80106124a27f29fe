"""Hosts that carry the same site."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A host that carries the pages of another."""

    id: str  # the host
    main: str  # the host that it is counted as
    known_since: datetime
    pages: int = 0  # that were found to be equal; none where people said so
