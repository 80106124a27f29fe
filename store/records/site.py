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
    kind: str | None = None  # what it carries, as `Work.kind`: news, novel ...
    internal: bool = False  # may resolve to a private address
    last_run_id: str | None = None
    render: bool = False  # its pages are empty until their scripts have run in a browser
    header_profile: str = "default"  # of crawler.header_profiles
    mirrors: tuple[str, ...] = ()  # hosts that carry the same pages as the first host
    ignore_robots_reason: str | None = None  # an administrator's decision; None: robots.txt is obeyed
    ignore_robots_by: str | None = None
    ignore_robots_at: datetime | None = None
