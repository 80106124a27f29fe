"""Find the endpoints from which a page loads more, and the URL of the next response."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import chain, islice
from posixpath import splitext
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import canonical_url
from crawler.extraction.parsing import ParsedPage
from crawler.extraction.scrolling.json_responses import iter_json_objects, parse_json, plain_key

# The URL of the next response: stated by the response, or built from a cursor or the next page number.


MAX_URL_CHARACTERS = 2_000  # characters of an address
MAX_SEARCHED_OBJECTS = 1_000  # objects of a response that are searched
_NEXT_URL_KEYS = frozenset(
    (
        "next",
        "nexturl",
        "nextpageurl",
        "nextlink",
        "nexthref",
        "nextpage",
        "nextpagelink",
        "loadmoreurl",
        "moreurl",
        "nextapi",
    )
)
_ENDPOINT_KEYS = ("api", "apiurl", "endpoint", "loadurl", "ajaxurl", "dataurl", "url")
# The request parameter of a cursor, by the cursor's key.
_CURSOR_PARAMETERS = {
    "nextcursor": "cursor",
    "cursor": "cursor",
    "endcursor": "after",
    "after": "after",
    "nextpagetoken": "pageToken",
    "nexttoken": "token",
    "nextmaxid": "max_id",
    "nextoffset": "offset",
    "nextstart": "start",
    "nextpage": "page",
    "lastid": "last_id",
}
_CURSOR_NAMES = frozenset(
    (*(plain_key(name) for name in _CURSOR_PARAMETERS.values()), "nextcursor", "maxid", "lastid", "sinceid")
)
_PAGE_PARAMETERS = frozenset(("page", "p", "pn", "pageno", "pagenum", "pageindex", "currentpage"))
_OFFSET_PARAMETERS = frozenset(("offset", "start", "skip"))
_SIZE_PARAMETERS = frozenset(("limit", "size", "pagesize", "perpage", "count", "num", "rows"))
_MORE_KEYS = frozenset(("hasmore", "hasnext", "hasnextpage", "more", "ismore"))
_END_KEYS = frozenset(("isend", "islast", "islastpage", "end", "nomore", "isover"))
_TOTAL_KEYS = frozenset(("totalpages", "totalpage", "pagecount", "lastpage", "pages"))


def next_response_url(value: Any, own: str, *, gave: bool) -> str | None:
    """Return the canonical address of the response after the one from `own`, or None.

    gave: whether the response held anything. Without content no number is incremented.
    """
    fields = list(_iter_fields(value))
    if any(
        (name in _MORE_KEYS and content is False) or (name in _END_KEYS and content is True) for name, content in fields
    ):
        return None
    stated = _stated_next_url(fields, own) or _next_by_cursor(fields, own)
    return stated or (_next_by_number(fields, value, own) if gave else None)


def iter_next_urls(value: Any, page: str) -> Iterator[str]:
    """Yield the addresses in a page's data from which more can be loaded: a URL, or an endpoint with a cursor."""
    for json_object in iter_json_objects(value):
        fields = [(plain_key(key), content) for key, content in json_object.items()]
        if address := _stated_next_url(fields, page):
            yield address
        endpoint = next(
            (content for name in _ENDPOINT_KEYS for key, content in fields if key == name and _is_url_text(content)),
            None,
        )
        if endpoint is not None and (address := _next_by_cursor(fields, urljoin(page, endpoint))):
            yield address


def set_url_parameter(address: str, name: str, value: str) -> str:
    """Return the address with this parameter set. An existing one keeps its position.

    >>> set_url_parameter("http://a.test/api?page=1&size=20", "page", "2")
    'http://a.test/api?page=2&size=20'
    """
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if any(key == name for key, _ in pairs):
        pairs = [(key, value if key == name else old) for key, old in pairs]
    else:
        pairs.append((name, value))
    return canonical_url(parts._replace(query=urlencode(pairs)).geturl())


def _iter_fields(value: Any) -> Iterator[tuple[str, Any]]:
    for number, json_object in enumerate(iter_json_objects(value)):
        if number == MAX_SEARCHED_OBJECTS:
            return
        yield from ((plain_key(key), content) for key, content in json_object.items())


def _stated_next_url(fields: list[tuple[str, Any]], own: str) -> str | None:
    for name, content in fields:
        if name in _NEXT_URL_KEYS:
            address: Any = (content.get("href") or content.get("url")) if isinstance(content, dict) else content
            if _is_url_text(address) and (full := _join_url(own, address)) not in (None, canonical_url(own)):
                return full
    return None


def _next_by_cursor(fields: list[tuple[str, Any]], own: str) -> str | None:
    for name, content in fields:
        if (
            name in _CURSOR_PARAMETERS
            and isinstance(content, str | int)
            and not isinstance(content, bool)
            and str(content)
        ):
            taken = [key for key, _ in parse_qsl(urlsplit(own).query) if plain_key(key) in _CURSOR_NAMES]
            address = set_url_parameter(
                own, taken[0] if taken else _CURSOR_PARAMETERS[name], str(content)[:MAX_URL_CHARACTERS]
            )
            if address != canonical_url(own):
                return address
    return None


def _next_by_number(fields: list[tuple[str, Any]], value: Any, own: str) -> str | None:
    query = parse_qsl(urlsplit(own).query)
    numbers = {
        key: int(content) for key, content in query if content.isascii() and content.isdecimal() and len(content) < 9
    }
    for key, number in numbers.items():
        if plain_key(key) in _PAGE_PARAMETERS:
            totals = [content for name, content in fields if name in _TOTAL_KEYS and isinstance(content, int)]
            return None if totals and number >= max(totals) else set_url_parameter(own, key, str(number + 1))
        if plain_key(key) in _OFFSET_PARAMETERS:
            return set_url_parameter(own, key, str(number + _offset_step(numbers, value)))
    return None


def _offset_step(numbers: Mapping[str, int], value: Any) -> int:
    """Return the step of the offset to the next response, in items."""
    stated = [number for key, number in numbers.items() if plain_key(key) in _SIZE_PARAMETERS and number]
    lists = [
        len(content)
        for json_object in iter_json_objects(value)
        for content in json_object.values()
        if isinstance(content, list)
    ]
    return stated[0] if stated else max([*lists, len(value) if isinstance(value, list) else 0, 1])


def _is_url_text(content: Any) -> bool:
    return (
        isinstance(content, str)
        and 0 < len(content) <= MAX_URL_CHARACTERS
        and content.startswith(("/", "?", "http://", "https://"))
        and not any(map(str.isspace, content))
    )


def _join_url(base: str, address: str) -> str | None:
    try:
        return canonical_url(urljoin(base, address))
    except ValueError:
        return None


# The addresses from which a page loads more: in attributes of its elements, in its scripts and data.


MAX_ENDPOINTS = 20  # of a page
_MAX_TAG_CHARACTERS = 4_000  # characters of a tag on either side of such an attribute
# Each such address contains one of these. This test rejects most pages at once.
_ENDPOINT_WORDS = ("next", "Next", "NEXT", "hx-get", "oadMore", "oad-", "oad_", "more", "infinite")
_URL_GROUP = r"(?P<address>(?:https?:)?\\?/[^\"'\s<>{}]{1,500}|\?[^\"'\s<>{}]{1,500})"
# A key, an attribute or a variable with such a name, and an address.
_NEXT_ASSIGNMENT = re.compile(
    r"(?:hx-get|next|Next|NEXT|[Ll]oad-?_?[Mm]ore|more[-_]?[Uu]rl|infinite[-_]?(?:scroll)?[-_]?[Uu]rl)"
    r"(?:[-_]?[Pp]age)?(?:[-_]?(?:[Uu]rl|URL|[Ll]ink|[Hh]ref|[Aa]pi|[Ss]rc))?[\"']?\s{0,5}[:=]\s{0,5}[\"']" + _URL_GROUP
)
# The same without quotation marks, as in minified markup. "?next=" leads back to a page after a form.
_BARE_ATTRIBUTE = re.compile(rf"data-(?:next|load-?more|more|infinite)(?:-[\w-]{{1,30}})?={_URL_GROUP}")
_COUNTED_ATTRIBUTE = re.compile(
    r"data-(?P<next>next-)?(?P<name>page|cursor|offset|after|max-id|last-id)=[\"']?(?P<value>[\w%=.:+/-]{1,500})"
)
_URL_ATTRIBUTE = re.compile(r"data-(?:[\w-]{0,30}-)?(?:url|api|endpoint|src|href|action|source|ajax)")
_URL_PLACEHOLDER = re.compile(r"\{(?:page|p|n|cursor|offset)\}|%7Bpage%7D|__PAGE__|:page\b|\[page\]", re.IGNORECASE)
_STATE_WORD = re.compile(r"cursor|hasMore|has_more|nextPage|next_page|endpoint")
_STATIC_ENDINGS = frozenset(
    (".js", ".css", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".woff", ".woff2", ".mp4")
)


def find_endpoints(page: ParsedPage) -> tuple[str, ...]:
    """Return the canonical addresses, each once."""
    endpoints = dict.fromkeys(
        (*_named_endpoints(page), *_counted_endpoints(page), *_endpoints_in_data(page), *_typed_endpoints(page))
    )
    endpoints.pop(canonical_url(page.url), None)
    return tuple(islice((endpoint for endpoint in endpoints if _may_be_endpoint(endpoint)), MAX_ENDPOINTS))


def _named_endpoints(page: ParsedPage) -> Iterator[str]:
    if not any(word in page.text for word in _ENDPOINT_WORDS):
        return
    text = page.text.replace("&quot;", '"') if "&quot;" in page.text else page.text
    for match in chain(_NEXT_ASSIGNMENT.finditer(text), _BARE_ATTRIBUTE.finditer(text)):
        yield from _resolve_endpoint(page, unescape(match["address"].replace("\\/", "/").replace("\\u0026", "&")))


def _counted_endpoints(page: ParsedPage) -> Iterator[str]:
    """Yield the addresses with a page number or a cursor beside them."""
    for match in _COUNTED_ATTRIBUTE.finditer(page.text) if "data-" in page.text else ():
        begin = page.text.rfind("<", max(0, match.start() - _MAX_TAG_CHARACTERS), match.start())
        end = page.text.find(">", match.end(), match.end() + _MAX_TAG_CHARACTERS)
        if begin < 0 or end < 0:
            continue
        node = LexborHTMLParser(page.text[begin : end + 1]).css_first("body *")
        attributes = node.attributes if node is not None else {}
        value = _following_value(match["value"], is_next=match["next"] is not None or match["name"] != "page")
        for name, address in attributes.items():
            if address and _URL_ATTRIBUTE.fullmatch(name):
                yield from _fill_endpoint(page, address, match["name"].replace("-", "_"), value)


def _following_value(value: str, *, is_next: bool) -> str:
    return value if is_next or not value.isdecimal() else str(int(value) + 1)


def _fill_endpoint(page: ParsedPage, address: str, name: str, value: str) -> Iterator[str]:
    if _URL_PLACEHOLDER.search(address):
        yield from _resolve_endpoint(page, _URL_PLACEHOLDER.sub(value, address))
    else:
        bare = re.search(r"[?&][\w-]{1,30}=$", address)  # an address that only lacks the number at its end
        joined = _resolve_endpoint(page, address + value if bare else address)
        yield from joined if bare else (set_url_parameter(url, name, value) for url in joined)


def _endpoints_in_data(page: ParsedPage) -> Iterator[str]:
    if "json" not in page.text or _STATE_WORD.search(page.text) is None:
        return
    for node in page.tree.css("script[type*=json]"):
        if (value := parse_json(node.text(deep=True) or "")) is not None:
            yield from iter_next_urls(value, page.base)


def _typed_endpoints(page: ParsedPage) -> Iterator[str]:
    """Yield the links of the head whose type announces more JSON."""
    if "json" not in page.text:
        return
    for node in page.tree.css("link[rel~=next i][type*=json i][href]"):
        yield from _resolve_endpoint(page, node.attributes.get("href") or "")


def _resolve_endpoint(page: ParsedPage, address: str) -> Iterator[str]:
    try:
        full = canonical_url(urljoin(page.base, address))
    except ValueError:
        return
    if full.startswith(("http://", "https://")):
        yield full


def _may_be_endpoint(address: str) -> bool:
    return splitext(urlsplit(address).path)[1].lower() not in _STATIC_ENDINGS
