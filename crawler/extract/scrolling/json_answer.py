"""What a server answers in JSON: its prose, the pages that it names, who wrote it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import canonical, linked
from crawler.extract.inline_data import prose_lines
from crawler.extract.language import HAN
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.metadata import one_line
from crawler.extract.posts.author_and_time import moment

LONGEST = 8_000_000  # characters that are read
MOST_OBJECTS = 50_000
MOST_LINKS = 2_000
HEAD = 64  # bytes in which it begins
LEAST = 200  # Han characters of an answer that is a page of its own
_LINKS = frozenset(
    ("url", "link", "href", "permalink", "path", "uri", "canonicalurl", "shareurl", "detailurl", "weburl")
)
_SUMMARIES = frozenset(("summary", "excerpt", "description", "abstract", "intro", "digest", "desc", "preview"))
_TITLES = ("title", "name", "subject", "headline")
_TIMES = ("publishedat", "publishtime", "pubtime", "createdat", "createtime", "date", "time", "pubdate")
Object = Mapping[str, Any]


def may_be_json(body: bytes) -> bool:
    """Whether a body begins as an object or a list does."""
    return body[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def json_of(text: str) -> Any:
    """The value of a body that is JSON, an object or a list; None of anything else."""
    text = text.strip().lstrip("\ufeff")
    if text[:1] not in ("{", "[") or len(text) > LONGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def plain(key: str) -> str:
    """A key as all of its spellings have it: nextPageUrl, next_page_url, next-page-url."""
    return key.replace("_", "").replace("-", "").lower()


def objects_in(value: Any) -> Iterator[Object]:
    """All objects of a value in the order of the text, bounded in number."""
    waiting, left = [value], MOST_OBJECTS
    while waiting and left:
        one = waiting.pop()
        if isinstance(one, dict):
            left -= 1
            yield one
            waiting.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            waiting.extend(reversed(one))


def prose_of(value: Any) -> list[str]:
    """The lines of prose, each once; none where they are fewer than a page has."""
    lines = dict.fromkeys(line for one in objects_in(value) for line in _prose(one))
    return list(lines) if sum(len(HAN.findall(line)) for line in lines) >= LEAST else []


def links_in(value: Any, base: str) -> tuple[tuple[str, str], ...]:
    """The canonical addresses that it names, each once, with the title that stands beside."""
    found: dict[str, str] = {}
    for one in objects_in(value):
        for address, words in _links(one, base):
            found.setdefault(address, words)
            if len(found) >= MOST_LINKS:
                return tuple(found.items())
    return tuple(found.items())


def stated_in(value: Any) -> dict[str, Any]:
    """Title, author and time of an answer that holds one text; empty for several."""
    texts = [one for one in objects_in(value) if any(_prose(one))]
    if len(texts) != 1:
        return {}
    keyed = {plain(key): inner for key, inner in texts[0].items()}
    times = (moment(str(keyed[name])) for name in _TIMES if isinstance(keyed.get(name), str | int))
    return {
        "title": _title(texts[0]) or None,
        "author": _name(keyed.get("author") or keyed.get("user")),
        "published_at": next((told[0] for told in times if told is not None), None),
    }


def _strings(one: Object) -> Iterator[tuple[str, str]]:
    for key, value in one.items():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, str):
                yield plain(key), inner


def _prose(one: Object) -> Iterator[str]:
    strings = list(_strings(one))
    longest = max((len(text) for _, text in strings), default=0)
    for key, text in strings:
        if key not in _SUMMARIES or len(text) == longest:
            yield from prose_lines(text)


def _links(one: Object, base: str) -> Iterator[tuple[str, str]]:
    for key, text in _strings(one):
        if key in _LINKS:
            yield from _joined(base, text, _title(one))
        elif "<a " in text:
            for node in LexborHTMLParser(bounded(text)).css("a[href]"):
                yield from _joined(base, node.attributes.get("href") or "", node.text(deep=True) or "")


def _joined(base: str, target: str, words: str) -> Iterator[tuple[str, str]]:
    target = target.strip()
    if not target or " " in target or target.startswith(("#", "javascript:")):
        return
    try:
        address = canonical(linked(base, target))
    except ValueError:
        return
    if address.startswith(("http://", "https://")):
        yield address, words


def _title(one: Object) -> str:
    return next((one_line(one[name]) for name in _TITLES if isinstance(one.get(name), str)), "")


def _name(said: Any) -> str | None:
    if isinstance(said, dict):
        return next(
            (one_line(said[name]) for name in ("name", "nickname", "username") if isinstance(said.get(name), str)), None
        )
    return (one_line(said) or None) if isinstance(said, str) else None
