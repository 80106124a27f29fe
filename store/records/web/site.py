"""A website that is watched."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Layout(StrEnum):
    """How a site is gone through."""

    NEWS = "news"  # from lists of articles, by links
    NOVEL = "novel"  # from a book, or lists of books, by links and from chapter to chapter
    SITEMAP = "sitemap"  # what its sitemaps name, and the further pages of those texts
    FEED = "feed"  # the same for RSS and Atom
    HOST = "host"  # all that its robots.txt, its sitemaps and its links lead to


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
    layout: Layout = Layout.NEWS
    cron: str | None = None  # minute hour day month weekday, in Asia/Shanghai; in place of the interval
    quiet: str | None = None  # HH:MM-HH:MM in Asia/Shanghai, when nothing is fetched
    include: tuple[str, ...] = ()  # patterns of crawler.crawl.job.CrawlJob
    exclude: tuple[str, ...] = ()
    delay: float | None = None  # seconds between two requests; None: as the settings say
    concurrency: int | None = None  # requests at a time; None: as the settings say
    tags: tuple[str, ...] = ()
    notes: str = ""
    paused: bool = False  # not crawled when due
    kind: str | None = None  # what it carries, as `Work.kind`: news, novel ...
    internal: bool = False  # may resolve to a private address
    last_run_id: str | None = None
    render: bool = False  # its pages are empty until their scripts have run in a browser
    learns_render: bool = True  # whether a crawl may find out that the empty ones among its pages are to be rendered
    render_learned_at: datetime | None = None  # when one did; since then those are
    render_learned_from: str | None = None  # the address of the page that showed its text in a browser alone
    text_at: str | None = None  # a CSS selector of the text of its pages; None: it is looked for
    header_profile: str = "default"  # of crawler.fetch.header_profiles
    mirrors: tuple[str, ...] = ()  # hosts that carry the same pages as the first host
    ignore_robots_reason: str | None = None  # an administrator's decision; None: robots.txt is obeyed
    ignore_robots_by: str | None = None
    ignore_robots_at: datetime | None = None
    decipher_reason: str | None = None  # the same; None: what a font shows as others is not deciphered
    decipher_by: str | None = None
    decipher_at: datetime | None = None
