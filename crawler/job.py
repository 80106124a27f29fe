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
    """Which pages a browser renders before their text is extracted."""

    NEVER = "never"
    LEARN = "learn"  # a few nearly empty ones, to learn whether the site needs it
    EMPTY = "empty"  # those with scripts and nearly no text
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlJob:
    """One crawl of one site.

    `hosts` are the host names that may be fetched, as `is_host_among` reads them. Without any, the hosts of the start
    addresses are used. `max_pages` bounds the captures. `max_depth` bounds the links followed from a start address. At
    0 only start addresses are fetched, and links to the next page of a text do not count. Without `follow` no link is
    followed. `delay`, `timeout` and `backoff` are seconds.

    `include` and `exclude` select among found addresses, not among start addresses. An address must match a pattern of
    `include`, if there are any, and none of `exclude`. `*` stands for any characters, and a pattern matches a part of
    the address. After `re:` stands a regular expression of RE2.

    `mirrors` are hosts with the same content as the first of `hosts`. Addresses at a mirror are fetched from that host.
    `seeds` are pages that are fetched whether or not a link leads to them. Only links to the next page of a text are
    followed from them.

    `host_map` maps a name to "address:port" for connections. The stored address and the Host header stay the same.
    Private addresses stay refused unless the job is `internal`.

    `cookies` belong to a session that a person began. `header_profile` names a set of `crawler.site_access`. With
    `proxies` (http://user:password@host:port) every request uses one of them.

    `render` selects the pages that a browser renders. `browser` is its program, by default a Chromium on PATH.
    `browser_seconds` bounds one page. `pictures` bounds the pictures that are fetched for OCR. With `fonts`, web fonts
    are fetched that show other characters than a page holds.

    `spider` names a Scrapy spider of the user's own (module:Class) that finds and reads the pages instead of the links.
    Its module may stand in `spider_dir`.

    `warc_dir` is the folder of WARC files with every response. A file ends once it exceeds `warc_max_bytes`. It begins
    with the capture environment: the clock beside those of `time_servers` (NTP), and `public_address`.
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
    spider: str | None = None
    spider_dir: Path | None = None
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
        """Return whether a found address may be fetched."""
        wanted = not self.include or any(is_url_match(pattern, url) for pattern in self.include)
        return wanted and self.admits(url) and not any(is_url_match(pattern, url) for pattern in self.exclude)

    def home(self, url: str) -> str:
        """Return the address at the first host instead of its mirror."""
        if not self.mirrors or host_of(url) not in self.mirrors or not self.hosts:
            return url
        return urlunsplit(urlsplit(url)._replace(netloc=self.hosts[0]))

    def admits(self, url: str) -> bool:
        """Return whether the address belongs to a host of this job."""
        host = host_of(url)
        if host is None:
            return False
        return is_host_among(host, self.hosts or tuple(host_of(start) or "" for start in self.start_urls))


def is_url_match(pattern: str, url: str) -> bool:
    r"""Return whether a pattern of `CrawlJob` matches an address. Raise BadInput for an invalid regular expression.

    >>> is_url_match("/book/*/list", "http://a.test/book/7/list.html"), is_url_match(r"re:/\d+$", "http://a.test/book/7")
    (True, True)
    """
    return bool(_compile_pattern(pattern).search(url))


@cache
def _compile_pattern(pattern: str) -> Any:
    """Compile a pattern with RE2. Its time is linear in the address and its memory is bounded, whatever the pattern."""
    options = re2.Options()
    options.log_errors = False
    written = pattern[3:] if pattern.startswith("re:") else ".*".join(map(re2.escape, pattern.split("*")))
    try:
        return re2.compile(written, options)
    except re2.error as error:
        raise BadInput("sites.bad_pattern", pattern=pattern, error=_regex_error_text(error)) from error


def _regex_error_text(error: Exception) -> str:
    error_text = error.args[0] if error.args else ""
    return error_text.decode("utf-8", "replace") if isinstance(error_text, bytes) else str(error_text)
