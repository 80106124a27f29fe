"""A website that is watched."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A website that is watched."""

    id: str
    name: str
    start_urls: tuple[str, ...]
    hosts: tuple[str, ...]
    interval_hours: float
    max_pages: int
    max_depth: int
    added_at: datetime
    due: datetime  # the next crawl
    internal: bool = False  # may resolve to a private address
    last_run_id: str | None = None
