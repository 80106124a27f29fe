"""Describe watched sites, mirror hosts and domain registrations, and decide which hosts are mirrors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit, urlunsplit

UNREADABLE_CONTENT = "lost"  # kind of problem: part of a page cannot be read


class Layout(StrEnum):
    """The way a site is crawled."""

    NEWS = "news"  # links from lists of articles
    NOVEL = "novel"  # links from a book or lists of books, from chapter to chapter
    SITEMAP = "sitemap"  # pages in its sitemaps, and the next pages of their texts
    FEED = "feed"  # the same with RSS and Atom feeds
    HOST = "host"  # everything reachable from robots.txt, sitemaps and links


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A watched website with its crawl settings."""

    id: str
    name: str
    start_urls: tuple[str, ...]
    hosts: tuple[str, ...]
    interval_hours: float
    max_pages: int
    max_depth: int
    added_at: datetime
    due: datetime  # time of the next crawl
    layout: Layout = Layout.NEWS
    cron: str | None = None  # minute hour day month weekday, in Asia/Shanghai, instead of the interval
    quiet: str | None = None  # HH:MM-HH:MM in Asia/Shanghai without requests
    include: tuple[str, ...] = ()  # URL patterns of crawler.job.CrawlJob
    exclude: tuple[str, ...] = ()
    delay: float | None = None  # seconds between two requests, None: from the settings
    concurrency: int | None = None  # parallel requests, None: from the settings
    tags: tuple[str, ...] = ()
    notes: str = ""
    paused: bool = False  # not crawled by the schedule
    kind: str | None = None  # kind of its texts, as `Work.kind`: news, novel ...
    internal: bool = False  # may resolve to a private address
    last_run_id: str | None = None
    render: bool = False  # render all pages in a browser
    learns_render: bool = True  # whether crawls may learn that empty pages need rendering
    render_learned_at: datetime | None = None  # when a crawl learned it; empty pages are rendered since then
    render_learned_from: str | None = None  # URL of the page that showed its text only in a browser
    text_at: str | None = None  # CSS selector of the text, None: automatic extraction
    spider: str | None = None  # module:Class of a Scrapy spider of the user's own that crawls it
    header_profile: str = "default"  # name from crawler.site_access
    mirrors: tuple[str, ...] = ()  # hosts with the same pages as the first host
    ignore_robots_reason: str | None = None  # why an administrator overrode robots.txt, None: robots.txt is obeyed
    ignore_robots_by: str | None = None
    ignore_robots_at: datetime | None = None
    decipher_reason: str | None = None  # why an administrator allowed font deobfuscation, None: it is off
    decipher_by: str | None = None
    decipher_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A host with the same pages as another host."""

    id: str  # mirror host
    main: str  # main host
    known_since: datetime
    pages: int = 0  # number of equal pages, 0 if users declared the mirror


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """An RDAP response about a domain (RFC 9083).

    digest: sha256 of the raw response, the key of its blob.
    url: from where it was received.
    """

    id: str
    domain: str
    asked_at: datetime
    asked_by: str
    url: str
    digest: str
    registrar: str | None = None
    registrar_id: str | None = None  # number assigned by IANA
    registrant: str | None = None
    abuse: tuple[str, ...] = ()
    name_servers: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    changed_at: datetime | None = None


# Mirror groups: `mains` maps each mirror host to its main host, which is no mirror itself.


def mirror_group(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """Return a host and its mirrors. A mirror has no mirrors.

    mains: main host by mirror host.

    >>> mirror_group("a.test", {"m.a.test": "a.test"}), mirror_group("m.a.test", {"m.a.test": "a.test"})
    (('a.test', 'm.a.test'), ('m.a.test',))
    """
    return (host, *sorted(mirror for mirror, main in mains.items() if main == host))


def same_site_hosts(host: str, mains: Mapping[str, str]) -> tuple[str, ...]:
    """Return all hosts of the same site as `host`, main host first.

    >>> same_site_hosts("m.a.test", {"m.a.test": "a.test"})
    ('a.test', 'm.a.test')
    """
    return mirror_group(mains.get(host, host), mains)


def find_new_mirror(host: str, main: str, mains: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the new pair (mirror, main host) if `host` has the same pages as `main`.

    Each host is replaced by its main host. Returns None if both have the same main host already.

    >>> find_new_mirror("c.test", "m.a.test", {"m.a.test": "a.test"})
    ('c.test', 'a.test')
    """
    mirror, counted_as = mains.get(host, host), mains.get(main, main)
    return None if mirror == counted_as else (mirror, counted_as)


def join_mirrors(host: str, main: str, mains: Mapping[str, str]) -> dict[str, str]:
    """Return the main hosts after joining. Mirrors of the new mirror move to the same main host."""
    new = find_new_mirror(host, main, mains)
    if new is None:
        return dict(mains)
    mirror, counted_as = new
    return {host: counted_as if before == mirror else before for host, before in mains.items()} | {mirror: counted_as}


def settle_mirrors(mains: Mapping[str, str]) -> dict[str, str]:
    """Resolve chains and cycles that concurrent calls of `join_mirrors` may leave.

    Afterwards no main host is a mirror. In a cycle, the first host by name is the main host.

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
    path: list[str] = []
    while host in mains and host not in path:
        path.append(host)
        host = mains[host]
    return min(path[path.index(host) :]) if host in path else host


# Two hosts are mirrors if they serve the same bodies at the same paths.


MIN_EQUAL_PAGES = 5  # equal pages at equal paths; shorter sites may only share a template
MIN_EQUAL_SHARE = 0.8  # of pages at equal paths; the others may have changed between captures
MIRROR_SAMPLE_PAGES = 40  # pages of a host that are compared


def url_at_host_of(url: str, to: str) -> str:
    """Return the URL with the scheme, host and port of another URL.

    >>> url_at_host_of("http://www.a.test:8080/b?c=1", "https://m.a.test/")
    'https://m.a.test/b?c=1'
    """
    target = urlsplit(to)
    return urlunsplit(urlsplit(url)._replace(scheme=target.scheme, netloc=target.netloc))


def is_same_path(url: str, other: str) -> bool:
    """Return whether two URLs have the same path and query.

    >>> is_same_path("http://a.test/x?y=1", "https://b.test/x?y=1"), is_same_path("http://a.test/x", "http://b.test/")
    (True, False)
    """
    first, two = urlsplit(url), urlsplit(other)
    return (first.path or "/", first.query) == (two.path or "/", two.query)


def count_equal_pages(pairs: Iterable[tuple[str, str]]) -> int:
    """Return the number of equal pages, given as pairs of digests at equal paths.

    Returns 0 if they are too few for mirrors.
    """
    same = [first == other for first, other in pairs]
    return sum(same) if sum(same) >= max(MIN_EQUAL_PAGES, MIN_EQUAL_SHARE * len(same)) else 0
