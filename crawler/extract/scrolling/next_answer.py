"""Where what follows an answer is to be asked for: its own word for it, a cursor, or the next number of a page."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from crawler.crawl.canonical_addresses import canonical
from crawler.extract.scrolling.json_answer import objects_in, plain

LONGEST = 2_000  # characters of an address
MOST = 1_000  # objects of an answer in which it is looked for
_ADDRESSES = frozenset(
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
_ENDPOINTS = ("api", "apiurl", "endpoint", "loadurl", "ajaxurl", "dataurl", "url")
# By what a cursor is called, the parameter that takes it.
_CURSORS = {
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
_TAKES_CURSOR = frozenset((*(plain(name) for name in _CURSORS.values()), "nextcursor", "maxid", "lastid", "sinceid"))
_PAGES = frozenset(("page", "p", "pn", "pageno", "pagenum", "pageindex", "currentpage"))
_OFFSETS = frozenset(("offset", "start", "skip"))
_SIZES = frozenset(("limit", "size", "pagesize", "perpage", "count", "num", "rows"))
_MORE = frozenset(("hasmore", "hasnext", "hasnextpage", "more", "ismore"))
_ENDS = frozenset(("isend", "islast", "islastpage", "end", "nomore", "isover"))
_TOTALS = frozenset(("totalpages", "totalpage", "pagecount", "lastpage", "pages"))


def next_answer(value: Any, own: str, *, gave: bool) -> str | None:
    """The address of what follows the answer that came from `own`, canonical; None where nothing does.

    gave: whether the answer held anything, without which no number is counted up.
    """
    found = list(_fields(value))
    if any((name in _MORE and said is False) or (name in _ENDS and said is True) for name, said in found):
        return None
    stated = _stated(found, own) or _by_cursor(found, own)
    return stated or (_by_number(found, value, own) if gave else None)


def next_stated(value: Any, page: str) -> Iterator[str]:
    """Where a page says in its data that more is to be had: an address, or an endpoint with a cursor."""
    for one in objects_in(value):
        fields = [(plain(key), said) for key, said in one.items()]
        if address := _stated(fields, page):
            yield address
        endpoint = next(
            (said for name in _ENDPOINTS for key, said in fields if key == name and _is_address(said)), None
        )
        if endpoint is not None and (address := _by_cursor(fields, urljoin(page, endpoint))):
            yield address


def with_parameter(address: str, name: str, value: str) -> str:
    """The address with this parameter set, in its place where there is one.

    >>> with_parameter("http://a.test/api?page=1&size=20", "page", "2")
    'http://a.test/api?page=2&size=20'
    """
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if any(key == name for key, _ in pairs):
        pairs = [(key, value if key == name else old) for key, old in pairs]
    else:
        pairs.append((name, value))
    return canonical(parts._replace(query=urlencode(pairs)).geturl())


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    for number, one in enumerate(objects_in(value)):
        if number == MOST:
            return
        yield from ((plain(key), said) for key, said in one.items())


def _stated(fields: list[tuple[str, Any]], own: str) -> str | None:
    for name, said in fields:
        if name in _ADDRESSES:
            address: Any = (said.get("href") or said.get("url")) if isinstance(said, dict) else said
            if _is_address(address) and (full := _joined(own, address)) not in (None, canonical(own)):
                return full
    return None


def _by_cursor(fields: list[tuple[str, Any]], own: str) -> str | None:
    for name, said in fields:
        if name in _CURSORS and isinstance(said, str | int) and not isinstance(said, bool) and str(said):
            taken = [key for key, _ in parse_qsl(urlsplit(own).query) if plain(key) in _TAKES_CURSOR]
            address = with_parameter(own, taken[0] if taken else _CURSORS[name], str(said)[:LONGEST])
            if address != canonical(own):
                return address
    return None


def _by_number(fields: list[tuple[str, Any]], value: Any, own: str) -> str | None:
    query = parse_qsl(urlsplit(own).query)
    numbers = {key: int(said) for key, said in query if said.isascii() and said.isdecimal() and len(said) < 9}
    for key, number in numbers.items():
        if plain(key) in _PAGES:
            totals = [said for name, said in fields if name in _TOTALS and isinstance(said, int)]
            return None if totals and number >= max(totals) else with_parameter(own, key, str(number + 1))
        if plain(key) in _OFFSETS:
            return with_parameter(own, key, str(number + _step(numbers, value)))
    return None


def _step(numbers: Mapping[str, int], value: Any) -> int:
    """By how many items the offset of the next answer is further."""
    stated = [number for key, number in numbers.items() if plain(key) in _SIZES and number]
    lists = [len(said) for one in objects_in(value) for said in one.values() if isinstance(said, list)]
    return stated[0] if stated else max([*lists, len(value) if isinstance(value, list) else 0, 1])


def _is_address(said: Any) -> bool:
    return (
        isinstance(said, str)
        and 0 < len(said) <= LONGEST
        and said.startswith(("/", "?", "http://", "https://"))
        and not any(map(str.isspace, said))
    )


def _joined(base: str, address: str) -> str | None:
    try:
        return canonical(urljoin(base, address))
    except ValueError:
        return None
