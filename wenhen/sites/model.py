"""Describe watched sites, their mirror hosts and domain registrations, and decide which hosts are mirrors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit, urlunsplit

UNREADABLE_CONTENT = "lost"  # the word for a page of which a part cannot be read


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
    include: tuple[str, ...] = ()  # patterns of crawler.job.CrawlJob
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
    header_profile: str = "default"  # of crawler.site_access
    mirrors: tuple[str, ...] = ()  # hosts that carry the same pages as the first host
    ignore_robots_reason: str | None = None  # an administrator's decision; None: robots.txt is obeyed
    ignore_robots_by: str | None = None
    ignore_robots_at: datetime | None = None
    decipher_reason: str | None = None  # the same; None: what a font shows as others is not deciphered
    decipher_by: str | None = None
    decipher_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A host that carries the pages of another."""

    id: str  # the host
    main: str  # the host that it is counted as
    known_since: datetime
    pages: int = 0  # that were found to be equal; none where people said so


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One answer by RDAP (RFC 9083). digest: sha256 of it as it came, key of the blob; url: who gave it."""

    id: str
    domain: str
    asked_at: datetime
    asked_by: str
    url: str
    digest: str
    registrar: str | None = None
    registrar_id: str | None = None  # IANA's number
    registrant: str | None = None
    abuse: tuple[str, ...] = ()
    name_servers: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    changed_at: datetime | None = None


# Hosts that carry the same: for each mirror, the host that it is counted as, which is no mirror itself.


def mirror_group(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """A host and its mirrors; of a mirror only itself. mains: for each mirror, the host that it is counted as.

    >>> mirror_group("a.test", {"m.a.test": "a.test"}), mirror_group("m.a.test", {"m.a.test": "a.test"})
    (('a.test', 'm.a.test'), ('m.a.test',))
    """
    return (host, *sorted(mirror for mirror, main in mains.items() if main == host))


def same_site_hosts(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """All hosts that carry the same site as this one, the one that they are counted as first.

    >>> same_site_hosts("m.a.test", {"m.a.test": "a.test"})
    ('a.test', 'm.a.test')
    """
    return mirror_group(mains.get(host, host), mains)


def find_new_mirror(host: str, main: str, mains: Mapping[str, str]) -> tuple[str, str] | None:
    """The host that becomes a mirror, and of which, where one is found to carry the pages of another.

    Each stands for what it is counted as; None where both are counted as one already.

    >>> find_new_mirror("c.test", "m.a.test", {"m.a.test": "a.test"})
    ('c.test', 'a.test')
    """
    mirror, counted_as = mains.get(host, host), mains.get(main, main)
    return None if mirror == counted_as else (mirror, counted_as)


def join_mirrors(host: str, main: str, mains: Mapping[str, str]) -> dict[str, str]:
    """The mirrors afterwards: what was counted as the new mirror goes along."""
    new = find_new_mirror(host, main, mains)
    if new is None:
        return dict(mains)
    mirror, counted_as = new
    return {host: counted_as if before == mirror else before for host, before in mains.items()} | {mirror: counted_as}


def settle_mirrors(mains: Mapping[str, str]) -> dict[str, str]:
    """What two who joined hosts at once have left, so that none is counted as a mirror; a ring as its first by name.

    >>> settle_mirrors({"a.test": "b.test", "b.test": "c.test"})
    {'a.test': 'c.test', 'b.test': 'c.test'}
    >>> settle_mirrors({"a.test": "b.test", "b.test": "b.test"})
    {'a.test': 'b.test'}
    >>> settle_mirrors({"a.test": "b.test", "b.test": "a.test"})
    {'b.test': 'a.test'}
    """
    ends = {host: _main_host(host, mains) for host in mains}
    return {host: end for host, end in ends.items() if host != end}


def _main_host(host: str, mains: Mapping[str, str]) -> str:
    way: list[str] = []
    while host in mains and host not in way:
        way.append(host)
        host = mains[host]
    return min(way[way.index(host) :]) if host in way else host


# Whether two hosts carry the same site: the same bodies at the same paths.


MIN_EQUAL_PAGES = 5  # pages at equal paths, all of them: shorter sites may only share a template
MIN_EQUAL_SHARE = (
    0.8  # share of the pages at equal paths whose bodies are equal; the others may have changed between captures
)
MIRROR_SAMPLE_PAGES = 40  # pages of a host that are looked at


def url_at_host_of(url: str, to: str) -> str:
    """The same address at the scheme, host and port of another.

    >>> url_at_host_of("http://www.a.test:8080/b?c=1", "https://m.a.test/")
    'https://m.a.test/b?c=1'
    """
    there = urlsplit(to)
    return urlunsplit(urlsplit(url)._replace(scheme=there.scheme, netloc=there.netloc))


def is_same_path(url: str, other: str) -> bool:
    """Whether two addresses differ in nothing but host and scheme.

    >>> is_same_path("http://a.test/x?y=1", "https://b.test/x?y=1"), is_same_path("http://a.test/x", "http://b.test/")
    (True, False)
    """
    first, two = urlsplit(url), urlsplit(other)
    return (first.path or "/", first.query) == (two.path or "/", two.query)


def count_equal_pages(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pages of two hosts at equal paths are equal, by their digests; 0 where that makes them no mirrors."""
    same = [first == other for first, other in pairs]
    return sum(same) if sum(same) >= max(MIN_EQUAL_PAGES, MIN_EQUAL_SHARE * len(same)) else 0
