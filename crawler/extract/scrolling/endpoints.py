"""The addresses from which a page says that it loads more: in attributes of its elements, in its scripts and data."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import chain, islice
from posixpath import splitext
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import canonical
from crawler.extract.parsed_page import ParsedPage
from crawler.extract.scrolling.json_answer import json_of
from crawler.extract.scrolling.next_answer import next_stated, with_parameter

MOST = 20  # of a page
_TAG = 4_000  # characters
# One of them stands in each address that is looked for; most pages are done with in a glance.
_WORDS = ("next", "Next", "NEXT", "hx-get", "oadMore", "oad-", "oad_", "more", "infinite")
_ADDRESS = r"(?P<address>(?:https?:)?\\?/[^\"'\s<>{}]{1,500}|\?[^\"'\s<>{}]{1,500})"
# A key, an attribute or a variable that is named so, with an address.
_NEXT = re.compile(
    r"(?:hx-get|next|Next|NEXT|[Ll]oad-?_?[Mm]ore|more[-_]?[Uu]rl|infinite[-_]?(?:scroll)?[-_]?[Uu]rl)"
    r"(?:[-_]?[Pp]age)?(?:[-_]?(?:[Uu]rl|URL|[Ll]ink|[Hh]ref|[Aa]pi|[Ss]rc))?[\"']?\s{0,5}[:=]\s{0,5}[\"']" + _ADDRESS
)
# The same without quotation marks, as minified markup has it; "?next=" leads back to a page behind a form.
_BARE = re.compile(rf"data-(?:next|load-?more|more|infinite)(?:-[\w-]{{1,30}})?={_ADDRESS}")
_COUNTED = re.compile(
    r"data-(?P<next>next-)?(?P<name>page|cursor|offset|after|max-id|last-id)=[\"']?(?P<value>[\w%=.:+/-]{1,500})"
)
_FROM = re.compile(r"data-(?:[\w-]{0,30}-)?(?:url|api|endpoint|src|href|action|source|ajax)")
_PLACE = re.compile(r"\{(?:page|p|n|cursor|offset)\}|%7Bpage%7D|__PAGE__|:page\b|\[page\]", re.IGNORECASE)
_STATE = re.compile(r"cursor|hasMore|has_more|nextPage|next_page|endpoint")
_STATIC = frozenset(
    (".js", ".css", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".woff", ".woff2", ".mp4")
)


def endpoints_of(page: ParsedPage) -> tuple[str, ...]:
    """The canonical addresses, each once."""
    found = dict.fromkeys((*_named(page), *_counted(page), *_in_data(page), *_typed(page)))
    found.pop(canonical(page.url), None)
    return tuple(islice((one for one in found if _may_be(one)), MOST))


def _named(page: ParsedPage) -> Iterator[str]:
    if not any(word in page.text for word in _WORDS):
        return
    text = page.text.replace("&quot;", '"') if "&quot;" in page.text else page.text
    for one in chain(_NEXT.finditer(text), _BARE.finditer(text)):
        yield from _joined(page, unescape(one["address"].replace("\\/", "/").replace("\\u0026", "&")))


def _counted(page: ParsedPage) -> Iterator[str]:
    """An address beside the number of the page, or the cursor, that is to be asked for."""
    for one in _COUNTED.finditer(page.text) if "data-" in page.text else ():
        begin = page.text.rfind("<", max(0, one.start() - _TAG), one.start())
        end = page.text.find(">", one.end(), one.end() + _TAG)
        if begin < 0 or end < 0:
            continue
        node = LexborHTMLParser(page.text[begin : end + 1]).css_first("body *")
        attributes = node.attributes if node is not None else {}
        value = _following(one["value"], is_next=one["next"] is not None or one["name"] != "page")
        for name, address in attributes.items():
            if address and _FROM.fullmatch(name):
                yield from _asked(page, address, one["name"].replace("-", "_"), value)


def _following(value: str, *, is_next: bool) -> str:
    return value if is_next or not value.isdecimal() else str(int(value) + 1)


def _asked(page: ParsedPage, address: str, name: str, value: str) -> Iterator[str]:
    if _PLACE.search(address):
        yield from _joined(page, _PLACE.sub(value, address))
    else:
        bare = re.search(r"[?&][\w-]{1,30}=$", address)  # an address to which the number is only added
        joined = _joined(page, address + value if bare else address)
        yield from joined if bare else (with_parameter(one, name, value) for one in joined)


def _in_data(page: ParsedPage) -> Iterator[str]:
    if "json" not in page.text or _STATE.search(page.text) is None:
        return
    for node in page.tree.css("script[type*=json]"):
        if (value := json_of(node.text(deep=True) or "")) is not None:
            yield from next_stated(value, page.base)


def _typed(page: ParsedPage) -> Iterator[str]:
    """A link of the head whose type says that JSON follows."""
    if "json" not in page.text:
        return
    for node in page.tree.css("link[rel~=next i][type*=json i][href]"):
        yield from _joined(page, node.attributes.get("href") or "")


def _joined(page: ParsedPage, address: str) -> Iterator[str]:
    try:
        full = canonical(urljoin(page.base, address))
    except ValueError:
        return
    if full.startswith(("http://", "https://")):
        yield full


def _may_be(address: str) -> bool:
    return splitext(urlsplit(address).path)[1].lower() not in _STATIC
