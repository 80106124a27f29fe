"""Normalize URLs and host names. `crawler.private_addresses` tells private IP addresses."""

import ipaddress
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser
    from tldextract import TLDExtract


# Addresses in canonical form: one spelling for one page.


CANONICAL_CACHE_SIZE = (
    4096  # addresses: menu links stand on every page of a site, and a page's own address is needed many times
)
DEFAULT_PORTS = {"http": 80, "https": 443}

# A path from the root that needs no resolution. Most links are such, and joining them is the costliest part.
PLAIN_PATH = re.compile(r"/[\w%~/.-]*(?:\?[\w%.~=&+,:-]+)?", re.ASCII)
URL_ORIGIN = re.compile(r"https?://[^/?#\s]+")

# Parameters that identify the visitor or the referrer, never the page.
TRACKING_PARAMETER = re.compile(
    r"utm_\w+|spm|scm|gclid|fbclid|msclkid|yclid|dclid|mc_[ce]id|igshid|_ga|hmsr|hmpl|hmcu|hmkw|hmci|bd_vid|weibo_id|"
    r"share_token|share_from|from_spmid|vd_source|jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|zenid|cftoken|cfid",
    re.IGNORECASE,
)
ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
PATH_SESSION = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


@lru_cache(CANONICAL_CACHE_SIZE)
def canonical_url(url: str) -> str:
    """Return the canonical form of an address. It has no fragment, default port, tracking parameters or session id.

    Scheme and host are in lower case, and other characters than ASCII are escaped (RFC 3987, 3.1; host names by RFC
    3490). The order of the parameters stays, because a few servers read it. An address that cannot be parsed comes back
    as it is.

    >>> canonical_url("HTTP://News.Example.com:80/a;jsessionid=1F?id=7&utm_source=x#top")
    'http://news.example.com/a?id=7'
    >>> canonical_url("http://新闻.中国/江")
    'http://xn--efvy88h.xn--fiqs8s/%E6%B1%9F'
    >>> canonical_url("http://a.test/%e6%b1%9f")
    'http://a.test/%E6%B1%9F'
    """
    try:
        if not url.isascii():
            url = safe_url_string(url)
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    if not parts.hostname:
        return url
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    netloc = host if port in (None, DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"
    kept = [item for item in parts.query.split("&") if not TRACKING_PARAMETER.fullmatch(item.partition("=")[0])]
    path = PATH_SESSION.sub("", parts.path) or "/"
    return _upper_escapes(urlunsplit((parts.scheme, netloc, path, "&".join(kept), "")))


def _upper_escapes(url: str) -> str:
    """Return the address with upper-case letters in its escapes (RFC 3986, 6.2.2.1)."""
    return ESCAPE.sub(lambda escape: escape[0].upper(), url) if "%" in url else url


def other_scheme_url(url: str) -> str | None:
    """Return a canonical address with http for https, or the reverse. Return None if it names a port.

    >>> other_scheme_url("http://a.test/x"), other_scheme_url("http://a.test:8080/x")
    ('https://a.test/x', None)
    """
    scheme, _, rest = url.partition("://")
    if scheme not in DEFAULT_PORTS or ":" in rest.partition("/")[0].rpartition("]")[2]:
        return None
    return f"{'http' if scheme == 'https' else 'https'}://{rest}"


def scheme_neutral_url(url: str) -> str:
    """Return the form that the http and https addresses of one page share.

    >>> scheme_neutral_url("http://a.test/x") == scheme_neutral_url("https://a.test/x")
    True
    """
    return url if url.startswith("https://") else other_scheme_url(url) or url


def resolve_link(base: str, target: str) -> str:
    r"""Return the full address of a link. Raise ValueError for an invalid address.

    Backslashes count as slashes, as in browsers (URL Standard, 4.4). Pages of Windows servers are full of them.

    >>> resolve_link("http://a.test/book/1.html", r"..\book\2.html?from=\x")
    'http://a.test/book/2.html?from=\\x'
    """
    resolved = "//" not in target and "/." not in target and PLAIN_PATH.fullmatch(target) is not None
    if resolved and (origin := URL_ORIGIN.match(base)):
        return origin[0] + target
    if "\\" in target:
        end = next((offset for offset, sign in enumerate(target) if sign in "?#"), len(target))
        target = target[:end].replace("\\", "/") + target[end:]
    return urljoin(base, target)


def find_base_url(tree: "LexborHTMLParser", url: str) -> str:
    """Return the base address of the page at this address."""
    stated = tree.css_first("base[href]")
    try:
        return urljoin(url, (stated.attributes.get("href") or "").strip()) if stated else url
    except ValueError:
        return url


NEXT_LINK_TEXT = re.compile(
    r"[\[【（(<《«\s]*(?:下一?[页頁章节節回篇]|[后後]一?[页頁]|next(?:\s+page)?)[\]】）)>》»→\s]*", re.IGNORECASE
)


def is_next_link(link_text: str) -> bool:
    """Return whether the wording of a link leads to the next page of the same text or list.

    >>> is_next_link("下一页 »"), is_next_link("下一页的故事很长")
    (True, False)
    """
    return NEXT_LINK_TEXT.fullmatch(link_text.strip()) is not None


# Host names: for resolution, for readers, and by site.


HOST_CACHE_SIZE = 4096  # names and addresses: those of a site recur with every link


@lru_cache(HOST_CACHE_SIZE)
def ascii_host(host: str) -> str:
    """Return a host name in lower case and ASCII (RFC 3490). Return a name without such a form unchanged.

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
    """Return a host name in the characters that people write.

    >>> readable_host("xn--efvy88h.xn--fiqs8s")
    '新闻.中国'
    """
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


def host_in_both_forms(host: str) -> str:
    """Return a host name as people write it, with its ASCII form where that differs.

    >>> host_in_both_forms("xn--efvy88h.xn--fiqs8s"), host_in_both_forms("a.test")
    ('新闻.中国 (xn--efvy88h.xn--fiqs8s)', 'a.test')
    """
    readable = readable_host(host)
    return host if readable == host else f"{readable} ({host})"


def is_host_among(host: str, hosts: Iterable[str]) -> bool:
    """Return whether a host is one of these. `*.example.com` stands for every name below example.com.

    The names of a site with and without www. are one, because sites redirect visitors between them.

    >>> is_host_among("www.a.test", ["a.test"]), is_host_among("m.a.test", ["*.a.test"])
    (True, True)
    >>> is_host_among("m.a.test", ["a.test"])
    False
    """
    return any(
        host.endswith(pattern[1:]) if pattern.startswith("*.") else _without_www(host) == _without_www(pattern)
        for pattern in map(ascii_host, hosts)
    )


def registered_domain(host: str) -> str | None:
    """Return the name below a public suffix that a host belongs to. Return None for an IP address, a suffix or an
    intranet host.

    >>> registered_domain("www.a.com.cn"), registered_domain("com.cn"), registered_domain("127.0.0.1")
    ('a.com.cn', None, None)
    """
    return _suffix_list()(host).top_domain_under_public_suffix or None


@cache
def _suffix_list() -> "TLDExtract":
    """Return the suffix list that ships with the library, without any download."""
    from tldextract import TLDExtract  # imported late: it takes a tenth of a second, and few processes need it

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def _without_www(host: str) -> str:
    return host.removeprefix("www.")


@lru_cache(HOST_CACHE_SIZE)
def host_of(url: str) -> str | None:
    """Return the host name of an http or https address in its resolved form. Return None for other addresses and
    invalid ports.

    >>> host_of("HTTP://News.Example.com:8080/a"), host_of("http://example.com:99999/")
    ('news.example.com', None)
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return ascii_host(parts.hostname) if parts.hostname and parts.scheme in ("http", "https") else None


MAX_ADDRESS_CHARACTERS: Final = 2_000
SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
OTHER_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")  # a host with a port is no scheme


def complete_address(word: str) -> str | None:
    """Return a web address in full, or None if the word is none.

    >>> complete_address("书库.test/1"), complete_address("a.test:8080"), complete_address("mailto:a@b.test")
    ('https://书库.test/1', 'https://a.test:8080', None)
    """
    if len(word) > MAX_ADDRESS_CHARACTERS:
        return None
    if not SCHEME.match(word):
        if OTHER_SCHEME.match(word) or "." not in word.partition("/")[0]:
            return None
        word = f"https://{word}"
    try:
        parts = urlsplit(word)
    except ValueError:
        return None
    return word if host_of(word) and parts.username is None else None


def host_and_port(url: str) -> tuple[str, int] | None:
    """Return the host and port of the server behind an http or https address.

    >>> host_and_port("https://a.test/x"), host_and_port("http://a.test:8080/"), host_and_port("a.test")
    (('a.test', 443), ('a.test', 8080), None)
    """
    host = host_of(url)
    parts = urlsplit(url) if host else None
    return (host, parts.port or (443 if parts.scheme == "https" else 80)) if host and parts else None


def parse_address_port(target: str) -> tuple[str, int]:
    """Split "127.0.0.1:8123" or "[::1]:8123" into address and port. Raise ValueError for anything else."""
    address, _, port = target.rpartition(":")
    address = address.strip("[]")
    ipaddress.ip_address(address)
    if not 0 < int(port) < 65536:  # ports are 16 bits
        raise ValueError(target)
    return address, int(port)
