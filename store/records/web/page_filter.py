"""Which pages are sought."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Conditions that pages have to meet together; None lets every page pass."""

    host: str | None = None
    title: str | None = None  # how it begins
    charset: str | None = None
    status: int | None = None  # of the newest capture
    since: datetime | None = None  # first seen then or later
    until: datetime | None = None  # first seen before
