"""Extract prose, links and metadata from a JSON response."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import canonical_url, resolve_link
from crawler.extraction.inline_data import prose_lines
from crawler.extraction.metadata import to_single_line
from crawler.extraction.page_lines import HAN_CHARACTER
from crawler.extraction.parsing import bound_markup
from crawler.extraction.posts.author_and_time import parse_post_time

MAX_JSON_CHARACTERS = 8_000_000  # characters that are read
MAX_JSON_OBJECTS = 50_000
MAX_JSON_LINKS = 2_000
JSON_PROBE_BYTES = 64  # bytes that hold its beginning
MIN_RESPONSE_HAN = 200  # Han characters of a response that is a page of its own
_LINK_KEYS = frozenset(
    ("url", "link", "href", "permalink", "path", "uri", "canonicalurl", "shareurl", "detailurl", "weburl")
)
_SUMMARY_KEYS = frozenset(("summary", "excerpt", "description", "abstract", "intro", "digest", "desc", "preview"))
_TITLE_KEYS = ("title", "name", "subject", "headline")
_TIME_KEYS = ("publishedat", "publishtime", "pubtime", "createdat", "createtime", "date", "time", "pubdate")
JsonObject = Mapping[str, Any]


def may_be_json(body: bytes) -> bool:
    """Tell whether a body begins like an object or a list."""
    return body[:JSON_PROBE_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def parse_json(text: str) -> Any:
    """Return the object or list of a JSON body, or None for anything else."""
    text = text.strip().lstrip("\ufeff")
    if text[:1] not in ("{", "[") or len(text) > MAX_JSON_CHARACTERS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def plain_key(key: str) -> str:
    """Return the common form of a key's spellings: nextPageUrl, next_page_url, next-page-url."""
    return key.replace("_", "").replace("-", "").lower()


def iter_json_objects(value: Any) -> Iterator[JsonObject]:
    """Yield all objects of a value in text order, up to a limit."""
    waiting, left = [value], MAX_JSON_OBJECTS
    while waiting and left:
        item = waiting.pop()
        if isinstance(item, dict):
            left -= 1
            yield item
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def extract_json_prose(value: Any) -> list[str]:
    """Return the lines of prose, each once, or [] if they are fewer than a page has."""
    lines = dict.fromkeys(line for json_object in iter_json_objects(value) for line in _object_prose(json_object))
    return list(lines) if sum(len(HAN_CHARACTER.findall(line)) for line in lines) >= MIN_RESPONSE_HAN else []


def extract_json_links(value: Any, base: str) -> tuple[tuple[str, str], ...]:
    """Return the canonical addresses in it, each once, with the title beside it."""
    links: dict[str, str] = {}
    for json_object in iter_json_objects(value):
        for address, words in _object_links(json_object, base):
            links.setdefault(address, words)
            if len(links) >= MAX_JSON_LINKS:
                return tuple(links.items())
    return tuple(links.items())


def extract_json_metadata(value: Any) -> dict[str, Any]:
    """Return title, author and time of a response with one text, or {} for several."""
    texts = [json_object for json_object in iter_json_objects(value) if any(_object_prose(json_object))]
    if len(texts) != 1:
        return {}
    keyed = {plain_key(key): inner for key, inner in texts[0].items()}
    times = (parse_post_time(str(keyed[name])) for name in _TIME_KEYS if isinstance(keyed.get(name), str | int))
    return {
        "title": _object_title(texts[0]) or None,
        "author": _author_name(keyed.get("author") or keyed.get("user")),
        "published_at": next((moment[0] for moment in times if moment is not None), None),
    }


def _object_strings(json_object: JsonObject) -> Iterator[tuple[str, str]]:
    for key, value in json_object.items():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, str):
                yield plain_key(key), inner


def _object_prose(json_object: JsonObject) -> Iterator[str]:
    strings = list(_object_strings(json_object))
    longest = max((len(text) for _, text in strings), default=0)
    for key, text in strings:
        if key not in _SUMMARY_KEYS or len(text) == longest:
            yield from prose_lines(text)


def _object_links(json_object: JsonObject, base: str) -> Iterator[tuple[str, str]]:
    for key, text in _object_strings(json_object):
        if key in _LINK_KEYS:
            yield from _resolve_url(base, text, _object_title(json_object))
        elif "<a " in text:
            for node in LexborHTMLParser(bound_markup(text)).css("a[href]"):
                yield from _resolve_url(base, node.attributes.get("href") or "", node.text(deep=True) or "")


def _resolve_url(base: str, target: str, words: str) -> Iterator[tuple[str, str]]:
    target = target.strip()
    if not target or " " in target or target.startswith(("#", "javascript:")):
        return
    try:
        address = canonical_url(resolve_link(base, target))
    except ValueError:
        return
    if address.startswith(("http://", "https://")):
        yield address, words


def _object_title(json_object: JsonObject) -> str:
    return next(
        (to_single_line(json_object[name]) for name in _TITLE_KEYS if isinstance(json_object.get(name), str)), ""
    )


def _author_name(author: Any) -> str | None:
    if isinstance(author, dict):
        return next(
            (
                to_single_line(author[name])
                for name in ("name", "nickname", "username")
                if isinstance(author.get(name), str)
            ),
            None,
        )
    return (to_single_line(author) or None) if isinstance(author, str) else None
