"""Addresses as they are stored: one spelling for one page."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:  # light users of addresses parse no markup
    from selectolax.lexbor import LexborHTMLParser

REMEMBERED = 4096  # addresses: those of a site's menu stand on all its pages, and a page's own is asked for many times
DEFAULT_PORTS = {"http": 80, "https": 443}

# A path from the root in which nothing has to be resolved: most links are such, and joining takes longer than all else.
PLAIN_PATH = re.compile(r"/[\w%~/.-]*(?:\?[\w%.~=&+,:-]+)?", re.ASCII)
ORIGIN = re.compile(r"https?://[^/?#\s]+")

# Parameters that say where a visitor came from or who he is, never which page he sees.
TRACKING = re.compile(
    r"utm_\w+|spm|scm|gclid|fbclid|msclkid|yclid|dclid|mc_[ce]id|igshid|_ga|hmsr|hmpl|hmcu|hmkw|hmci|bd_vid|weibo_id|"
    r"share_token|share_from|from_spmid|vd_source|jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|zenid|cftoken|cfid",
    re.IGNORECASE,
)
PATH_SESSION = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


@lru_cache(REMEMBERED)
def canonical(url: str) -> str:
    """The address without fragment, default port, tracking parameters and session ids; scheme and host in lower case;
    what is not ASCII as it is asked for (RFC 3987, 3.1; host names by RFC 3490).

    The order of the other parameters stays: a few servers read it. What cannot be parsed comes back as it is.

    >>> canonical("HTTP://News.Example.com:80/a;jsessionid=1F?id=7&utm_source=x#top")
    'http://news.example.com/a?id=7'
    >>> canonical("http://新闻.中国/江")
    'http://xn--efvy88h.xn--fiqs8s/%E6%B1%9F'
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
    kept = [item for item in parts.query.split("&") if not TRACKING.fullmatch(item.partition("=")[0])]
    path = PATH_SESSION.sub("", parts.path) or "/"
    return urlunsplit((parts.scheme, netloc, path, "&".join(kept), ""))


def at_other_scheme(url: str) -> str | None:
    """The same canonical address by http instead of https, or the reverse; None where it names a port.

    >>> at_other_scheme("http://a.test/x"), at_other_scheme("http://a.test:8080/x")
    ('https://a.test/x', None)
    """
    scheme, _, rest = url.partition("://")
    if scheme not in DEFAULT_PORTS or ":" in rest.partition("/")[0].rpartition("]")[2]:
        return None
    return f"{'http' if scheme == 'https' else 'https'}://{rest}"


def any_scheme(url: str) -> str:
    """What http and https of one canonical address have in common: they are one page.

    >>> any_scheme("http://a.test/x") == any_scheme("https://a.test/x")
    True
    """
    return url if url.startswith("https://") else at_other_scheme(url) or url


def linked(base: str, target: str) -> str:
    r"""The address that a link leads to, in full. ValueError for what is none.

    A backslash is read as browsers do (URL Standard, 4.4): pages written for Windows servers are full of them.

    >>> linked("http://a.test/book/1.html", r"..\book\2.html?from=\x")
    'http://a.test/book/2.html?from=\\x'
    """
    resolved = "//" not in target and "/." not in target and PLAIN_PATH.fullmatch(target) is not None
    if resolved and (origin := ORIGIN.match(base)):
        return origin[0] + target
    if "\\" in target:
        end = next((at for at, sign in enumerate(target) if sign in "?#"), len(target))
        target = target[:end].replace("\\", "/") + target[end:]
    return urljoin(base, target)


def base_of(tree: "LexborHTMLParser", url: str) -> str:
    """What addresses in the page at this address are relative to."""
    stated = tree.css_first("base[href]")
    try:
        return urljoin(url, (stated.attributes.get("href") or "").strip()) if stated else url
    except ValueError:
        return url


NEXT_TEXT = re.compile(
    r"[\[【（(<《«\s]*(?:下一?[页頁章节節回篇]|[后後]一?[页頁]|next(?:\s+page)?)[\]】）)>》»→\s]*", re.IGNORECASE
)


def leads_on(link_text: str) -> bool:
    """Whether a link goes to the next page of the same text or list, by its wording.

    >>> leads_on("下一页 »"), leads_on("下一页的故事很长")
    (True, False)
    """
    return NEXT_TEXT.fullmatch(link_text.strip()) is not None
