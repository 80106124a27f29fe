"""Names of hosts: as they are looked up, as people write them, and which belong together."""

import ipaddress
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

REMEMBERED = 4096  # names and addresses: those of a site come again with every link


@lru_cache(REMEMBERED)
def ascii_host(host: str) -> str:
    """A host name in lower case, as it is looked up (RFC 3490); one that has no such form as it is.

    >>> ascii_host("*.新闻.中国")
    '*.xn--efvy88h.xn--fiqs8s'
    """
    if host.isascii():
        return host.lower()
    wild, name = ("*.", host[2:]) if host.startswith("*.") else ("", host)
    try:
        return wild + name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host.lower()


def readable_host(host: str) -> str:
    """A host name as people write it.

    >>> readable_host("xn--efvy88h.xn--fiqs8s")
    '新闻.中国'
    """
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


def belongs(host: str, hosts: Iterable[str]) -> bool:
    """Whether a host is one of these; `*.example.com` stands for every name below example.com.

    A site's name with www. before it and without are one: sites send their visitors from one to the other.

    >>> belongs("www.a.test", ["a.test"]), belongs("m.a.test", ["*.a.test"]), belongs("m.a.test", ["a.test"])
    (True, True, False)
    """
    return any(
        host.endswith(pattern[1:]) if pattern.startswith("*.") else _bare(host) == _bare(pattern)
        for pattern in map(ascii_host, hosts)
    )


def registered_name(host: str) -> str | None:
    """The name below a public suffix that a host belongs to; None of an address, of a suffix itself, of an intranet.

    >>> registered_name("www.a.com.cn"), registered_name("com.cn"), registered_name("127.0.0.1")
    ('a.com.cn', None, None)
    """
    return _suffixes()(host).top_domain_under_public_suffix or None


@cache
def _suffixes() -> "TLDExtract":
    """By the list that comes with the library: nothing is fetched."""
    from tldextract import TLDExtract  # for the few that ask for it, since it takes a tenth of a second

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def _bare(host: str) -> str:
    return host.removeprefix("www.")


@lru_cache(REMEMBERED)
def host_of(url: str) -> str | None:
    """The host name of an http or https address, as it is looked up, or None; None as well for a port that is none.

    >>> host_of("HTTP://News.Example.com:8080/a"), host_of("http://example.com:99999/")
    ('news.example.com', None)
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return ascii_host(parts.hostname) if parts.hostname and parts.scheme in ("http", "https") else None


def place_of(url: str) -> tuple[str, int] | None:
    """The host and the port of an http or https address: one server.

    >>> place_of("https://a.test/x"), place_of("http://a.test:8080/"), place_of("a.test")
    (('a.test', 443), ('a.test', 8080), None)
    """
    host = host_of(url)
    parts = urlsplit(url) if host else None
    return (host, parts.port or (443 if parts.scheme == "https" else 80)) if host and parts else None


def parse_target(target: str) -> tuple[str, int]:
    """Split "127.0.0.1:8123" or "[::1]:8123" into address and port; ValueError for anything else."""
    address, _, port = target.rpartition(":")
    address = address.strip("[]")
    ipaddress.ip_address(address)
    if not 0 < int(port) < 65536:  # ports are 16 bits
        raise ValueError(target)
    return address, int(port)
