"""Describe what one crawl of one site is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import re2

from crawler.addresses import host_of, is_host_among, parse_address_port
from crawler.site_access import Cookie
from wenhen.kit.errors import BadInput

MEBIBYTE = 1 << 20


class RenderMode(StrEnum):
    """Which pages are read after their scripts have run in a browser."""

    NEVER = "never"
    LEARN = "learn"  # a few that hold next to no text, to find out whether the site's pages have to be
    EMPTY = "empty"  # those that hold next to no text, but scripts
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """One crawl of one site.

    `hosts` are the host names that may be fetched, as `is_host_among` reads them; without any, those of the start
    addresses. `max_pages` bounds the captures, `max_depth` the links followed from a start address (0: only the start
    addresses; links to the next page of a text do not count). Without `follow` no link is followed. `delay`, `timeout`
    and `backoff` are seconds. Of the addresses that are found (not of the start addresses) those are fetched that fit a
    pattern of `include`, if there are any, and none of `exclude`: `*` stands for any characters, the pattern for a part
    of the address; behind `re:` stands a regular expression, as RE2 has them.

    `mirrors` are hosts that carry the same as the first of `hosts`; what is found there is fetched at that one.

    `seeds` are pages that are asked for whether or not a link leads to them, and not followed further than to the next
    page of a text.

    `host_map` sends connections for a name to "address:port" instead, without a change to the address that is stored or
    to the Host header that the server sees; private addresses stay refused unless the job is `internal`.

    `cookies` are those of a session that somebody began; `header_profile` names a set of
    `crawler.site_access`.
    With `proxies` (http://user:password@host:port) every request goes through one of them.

    `render` says which pages are read from a browser, `browser` which program that is (a Chromium on PATH otherwise),
    `browser_seconds` how long one page may take there.

    `pictures` bounds the pictures that are fetched to read the text in them; 0: none.
    With `fonts` those at addresses of their own are fetched that show other characters than a page holds.

    `warc_dir` is the folder for WARC files with every response, each file ended once it exceeds `warc_max_bytes`. A
    file begins with the state of the machine: its clock beside those of `time_servers` (NTP), its `public_address`.
    """

    start_urls: tuple[str, ...]
    user_agent: str
    contact: str = ""
    hosts: tuple[str, ...] = ()
    max_pages: int = 1000
    max_depth: int = 5
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    follow: bool = True
    internal: bool = False
    mirrors: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    host_map: Mapping[str, str] = field(default_factory=dict)
    delay: float = 1.0
    concurrency: int = 8
    timeout: float = 30.0
    retries: int = 2
    backoff: float = 2.0
    max_body_bytes: int = 24 * MEBIBYTE  # as sent, and again after decompression
    max_redirects: int = 5
    max_seconds: float = 0.0  # 0: no limit
    obey_robots: bool = True
    header_profile: str = "default"
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    proxies: tuple[str, ...] = field(default=(), repr=False)
    render: RenderMode = RenderMode.NEVER
    browser: str | None = None
    browser_seconds: float = 20.0
    pictures: int = 0
    fonts: bool = False
    warc_dir: Path | None = None
    warc_max_bytes: int = 1 << 30
    time_servers: tuple[str, ...] = ()
    public_address: str = ""

    def __post_init__(self) -> None:
        if not self.start_urls:
            raise BadInput("crawls.no_start")
        for url in self.start_urls:
            if host_of(url) is None:
                raise BadInput("crawls.not_in_full", url=url)
        for pattern in (*self.include, *self.exclude):
            is_url_match(pattern, "")
        for name, target in self.host_map.items():
            try:
                parse_address_port(target)
            except ValueError as error:
                raise BadInput("crawls.mapped", target=target, name=name) from error

    def wants(self, url: str) -> bool:
        """Whether an address that was found may be fetched."""
        wanted = not self.include or any(is_url_match(pattern, url) for pattern in self.include)
        return wanted and self.admits(url) and not any(is_url_match(pattern, url) for pattern in self.exclude)

    def home(self, url: str) -> str:
        """The address at the first host, where it is found at a mirror of it."""
        if not self.mirrors or host_of(url) not in self.mirrors or not self.hosts:
            return url
        return urlunsplit(urlsplit(url)._replace(netloc=self.hosts[0]))

    def admits(self, url: str) -> bool:
        """Whether the address belongs to a host that this job may fetch."""
        host = host_of(url)
        if host is None:
            return False
        return is_host_among(host, self.hosts or tuple(host_of(start) or "" for start in self.start_urls))


def is_url_match(pattern: str, url: str) -> bool:
    r"""Whether a pattern of `CrawlJob` fits an address. BadInput: it is no regular expression.

    >>> is_url_match("/book/*/list", "http://a.test/book/7/list.html"), is_url_match(r"re:/\d+$", "http://a.test/book/7")
    (True, True)
    """
    return bool(_compile_pattern(pattern).search(url))


@cache
def _compile_pattern(pattern: str) -> Any:
    """By RE2: whatever somebody writes takes time with the length of the address, and bounded memory."""
    options = re2.Options()
    options.log_errors = False
    written = pattern[3:] if pattern.startswith("re:") else ".*".join(map(re2.escape, pattern.split("*")))
    try:
        return re2.compile(written, options)
    except re2.error as error:
        raise BadInput("sites.bad_pattern", pattern=pattern, error=_regex_error_text(error)) from error


def _regex_error_text(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
