"""A list of suspects that somebody comes back to."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFilter:
    """A filter and an order under a name, for one user."""

    id: str
    user: str
    name: str
    query: str  # as it stands in the address, without the question mark
    saved_at: datetime
