"""Read the structured data of a page: real-world JSON-LD with comments, CDATA and trailing commas."""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from wenhen.kit.text import to_storable

ARTICLE_TYPES = ("article", "posting", "report", "chapter", "story", "creativework", "qapage", "webpage")
MAX_JSON_LD_CHARACTERS = 1_000_000  # characters of one block that are read
MAX_JSON_LD_VALUES = 100  # values of one block
MAX_MENDED_CHARACTERS = 200_000  # characters of one block that is repaired
LINKED_DATA_SELECTOR = "script[type^='application/ld+json' i]"
LinkedData = Mapping[str, Any]

_JSON_VALUE = re.compile(r"[\[{]")
# Text between the strings of JSON that browsers and search engines skip: comments, the marks of CDATA and of markup
# comments, a trailing comma. The repetitions are possessive, so that nothing backtracks.
_JSON_FILLER = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+"?)|(?:/[/*]\s*)?(?:<!\[CDATA\[|\]\]>)(?:\s*\*/)?|<!--|-->|'
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?|//[^\n]*|(?P<comma>,)[\s,]*+(?P<end>[\]}])?",
    re.DOTALL,
)
# A string with unescaped quotation marks. Its end is the one before a structural character of JSON.
_LOOSE_STRING = re.compile(r'"(?P<text>(?:[^"\\]|\\.|"(?!\s*[,:}\]]))*+)"?', re.DOTALL)
_LOOSE_QUOTE = re.compile(r'\\.|(?P<quote>")', re.DOTALL)
_ESCAPE = re.compile(r'\\(?P<known>["\\/bfnrt]|u[0-9a-fA-F]{4})?')


def find_article(tree: LexborHTMLParser) -> LinkedData:
    """Return the first object that represents an article, or else a page. Return {} if there is none."""
    articles = [data for data in iter_linked_data(tree) if _article_type(data)]
    return min(articles, key=lambda data: ARTICLE_TYPES.index(_article_type(data)), default={})


def linked_data_text(stated: LinkedData, *path: str) -> str | None:
    """Return the text under these keys, the first if there are several.

    >>> linked_data_text({"author": [{"name": "林溪"}]}, "author", "name")
    '林溪'
    """
    value: object = stated
    for key in path:
        value = _first_item(value)
        if isinstance(value, str):
            break  # {"author": "林溪"} in place of {"author": {"name": "林溪"}}
        value = value.get(key) if isinstance(value, dict) else None
    value = _first_item(value)
    # JSON can write half a surrogate pair, which no store accepts.
    return (to_storable(value).strip() or None) if isinstance(value, str) else None


def _first_item(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _article_type(data: LinkedData) -> str:
    kinds = data.get("@type")
    names = [str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return next((kind for kind in ARTICLE_TYPES if any(name.endswith(kind) for name in names)), "")


def iter_linked_data(tree: LexborHTMLParser) -> Iterator[LinkedData]:
    """Yield the objects of all blocks in order, each followed by those of its graph."""
    for node in tree.css(LINKED_DATA_SELECTOR):
        for value in parse_written_json((node.text(deep=True) or "")[:MAX_JSON_LD_CHARACTERS]):
            for data in value if isinstance(value, list) else [value]:
                if isinstance(data, dict):
                    yield data
                    graph = data.get("@graph")
                    inside = [*(graph if isinstance(graph, list) else []), data.get("mainEntity")]
                    yield from (inner for inner in inside if isinstance(inner, dict))


def parse_written_json(text: str) -> list[Any]:
    """Return the objects and lists of a text that is meant to be JSON, or [] without any.

    Tolerated are comments, CDATA, trailing commas, line feeds in strings, unescaped quotation marks and backslashes,
    and entities for quotation marks.
    """
    for written in (text, *([unescape(text)] if "&quot;" in text or "&#34;" in text else [])):
        values = _decode_values(written)
        if not values and len(written) <= MAX_MENDED_CHARACTERS:
            values = _decode_values(_strip_fillers(written)) or _decode_values(_escape_quotes(written))
        if values:
            return values
    return []


def _decode_values(text: str) -> list[Any]:
    values: list[Any] = []
    begin = _JSON_VALUE.search(text)
    while begin is not None and len(values) < MAX_JSON_LD_VALUES:
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            break
        values.append(value)
        begin = _JSON_VALUE.search(text, end)
    return values


def _escape_quotes(text: str) -> str:
    return _strip_fillers(_LOOSE_STRING.sub(lambda match: f'"{_LOOSE_QUOTE.sub(_escape_quote, match["text"])}"', text))


def _escape_quote(sign: re.Match[str]) -> str:
    return r"\"" if sign["quote"] else sign[0]


def _strip_fillers(text: str) -> str:
    """Remove the fillers between strings. A comma may precede a comment and the end."""
    return _JSON_FILLER.sub(_filler_rest, _JSON_FILLER.sub(_filler_rest, text))


def _filler_rest(filler: re.Match[str]) -> str:
    if filler["comma"]:
        return filler["end"] or ","
    return _ESCAPE.sub(_known_escape, filler["string"] or "")


def _known_escape(escape: re.Match[str]) -> str:
    return escape[0] if escape["known"] else ""
