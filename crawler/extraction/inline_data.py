"""Read the data inside a page: prose in inline scripts and data attributes, and JSON-LD.

No script is run. String literals are parsed by the rules of JSON and JavaScript, and the output of
`encodeURIComponent`, `escape` and `btoa` is decoded.
"""

import json
import re
from base64 import b64decode
from binascii import Error as BadBase64
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.boilerplate.line_classification import SENTENCE_END
from crawler.extraction.charset import decode_bytes
from crawler.extraction.page_lines import HAN_CHARACTER, extract_blocks
from crawler.extraction.parsing import bound_markup
from wenhen.kit.text import to_storable

MIN_INLINE_HAN = 200  # Han characters of all together
_MAX_SCRIPT_CHARACTERS = 2_000_000  # characters of scripts that are searched
_MAX_DATA_ELEMENTS = 20_000  # elements whose attributes are examined
_MIN_ATTRIBUTE_CHARACTERS = 100  # characters of an attribute that may hold prose
_STRING_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', re.DOTALL)
_ESCAPE_SEQUENCE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_MAX_ENCODED_DEPTH = 4  # nested encodings
_MIN_ENCODED_CHARACTERS = 200  # characters; three percent escapes write one Chinese character
_PERCENTS_APART = 10  # characters for each percent sign in encoded data, markup and names included
_ENCODED_TEXT = re.compile(
    r"%(?:[\w.!~*'()+/=;,?:@&$#-]|%(?:[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))++|[A-Za-z0-9+/_\s-]++={0,2}", re.ASCII
)
_ESCAPED_CHARACTER = re.compile(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})")
_BASE64_TEXT = re.compile(r"[A-Za-z0-9+/_\s-]++={0,2}\s*")
_ENTITY = re.compile(r"&(?:lt|quot|amp|#\d{2,7}|#x[0-9a-fA-F]{2,6});")
_NAMED_ESCAPES = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "", "v": " ", "0": "", "\n": ""}
_TEXT_SCRIPT_TYPES = frozenset(
    ("text/markdown", "text/x-markdown", "text/plain", "text/template", "text/html", "text/x-template")
)
_CSS_SHOWN_ATTRIBUTE = re.compile(r"content\s{0,5}:\s{0,5}attr\(\s{0,5}([\w-]{1,50})")
# The variable to which Next.js appends a server-rendered page, piece by piece, as rows: `id:value`. A value is JSON in
# one line, or T, the length of a text in bytes of UTF-8 in hexadecimal, a comma, and that text. Source: the parser of
# React's own client (`ReactFlightClient`).
_NEXT_STREAM = "__next_f"
_STREAM_ROW = re.compile(rb"[0-9a-f]{0,8}:(?:[A-Z](?:(?P<length>[0-9a-f]{1,8}),)?)?")
_MIN_LINE_HAN = 2  # Han characters of a line of speech


def extract_inline_prose(tree: LexborHTMLParser) -> list[str]:
    """Return the lines of prose in a page's scripts and data attributes, in order, each once. Return [] if there are
    few.
    """
    lines: dict[str, None] = {}
    for string in _inline_strings(tree):
        lines.update(dict.fromkeys(prose_lines(string)))
    return list(lines) if sum(len(HAN_CHARACTER.findall(line)) for line in lines) >= MIN_INLINE_HAN else []


def _inline_strings(tree: LexborHTMLParser) -> Iterator[str]:
    left, streamed = _MAX_SCRIPT_CHARACTERS, ""
    for node in tree.css("script"):
        script = (node.text(deep=True) or "")[:left]
        left -= len(script)
        kind = node.attributes.get("type") or ""
        if kind in _TEXT_SCRIPT_TYPES:
            yield script
        elif _NEXT_STREAM in script:
            streamed += "".join(_scan_literals(script))
        elif kind != "application/ld+json":
            yield from _encoded_strings(script) if is_encoded(script) else string_literals(script)
    for row in stream_rows(streamed):
        yield from json_strings(row)
    yield from _attribute_strings(tree)
    yield "".join(node.attributes.get("alt") or "" for node in tree.css("img[alt]"))  # shown if pictures are missing
    for node in tree.css("template"):
        inside = LexborHTMLParser(bound_markup((node.html or "").partition(">")[2]))
        yield "\n".join(line.text for line in extract_blocks(inside).lines)


def _attribute_strings(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield long data attributes, and attributes that a style displays before their elements."""
    styles = "".join(node.text(deep=True) or "" for node in tree.css("style"))[:_MAX_SCRIPT_CHARACTERS]
    shown = frozenset(match[1] for match in _CSS_SHOWN_ATTRIBUTE.finditer(styles))
    if not shown and b"data-" not in tree.raw_html.lower():
        return
    for node in tree.css("*")[:_MAX_DATA_ELEMENTS]:
        for name, value in node.attributes.items():
            if value and (name in shown or (name.startswith("data-") and len(value) >= _MIN_ATTRIBUTE_CHARACTERS)):
                yield from _encoded_strings(value)


def string_literals(script: str) -> Iterator[str]:
    r"""Yield the string literals of a script, unescaped. For a string of JSON, yield the strings inside.

    >>> list(string_literals(r'a = {"b": "\u6cb3\n岸", c: \'<p>x</p>\'}'.replace("\\'", "'")))
    ['b', '河\n岸', '<p>x</p>']
    """
    for text in _scan_literals(script):
        yield from _encoded_strings(text)


def _encoded_strings(text: str, depth: int = 0) -> Iterator[str]:
    """Yield the strings inside a string: those of JSON, and decoded data. Yield the string itself if it has none."""
    plain = decode_written(text)
    if depth < _MAX_ENCODED_DEPTH and plain[:1] in ("{", "["):
        for string in json_strings(plain):
            yield from _encoded_strings(string, depth + 1) if string != text else (string,)
    elif depth < _MAX_ENCODED_DEPTH and plain != text:
        yield from _encoded_strings(plain, depth + 1)
    else:
        yield plain


def is_encoded(text: str) -> bool:
    """Tell whether a script or a string is only encoded data.

    >>> is_encoded("%7B%22a%22%3A%22" + "%E6%B2%B3" * 20 + "%22%7D"), is_encoded("a = '%E6%B2%B3'")
    (True, False)
    """
    return len(text) >= _MIN_ENCODED_CHARACTERS and _ENCODED_TEXT.fullmatch(text.strip()) is not None


def decode_written(text: str) -> str:
    """Decode percent escapes, Base64 or entities. Return the text itself if it has none.

    >>> decode_written("%u6CB3%u5CB8%20" * 20)[:3], decode_written("&lt;p&gt;河&lt;/p&gt;")
    ('河岸 ', '<p>河</p>')
    """
    if "&" in text and not ("<" in text and ">" in text) and _ENTITY.search(text):
        return _unescape(unescape(text).strip('"'))
    if len(text) < _MIN_ENCODED_CHARACTERS or not text.isascii():
        return text
    if "%u" in text:
        return _join_surrogates(_ESCAPED_CHARACTER.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), text))
    if text.count("%") * _PERCENTS_APART > len(text):
        return decode_bytes(unquote_to_bytes(text)).text
    if _BASE64_TEXT.fullmatch(text.strip()):
        return _decode_base64(text) or text
    return text


def _decode_base64(text: str) -> str | None:
    plain = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (BadBase64, UnicodeDecodeError):
        return None


def _scan_literals(script: str) -> Iterator[str]:
    return (_unescape(literal[1] or literal[2] or literal[3] or "") for literal in _STRING_LITERAL.finditer(script))


def json_strings(text: str) -> Iterator[str]:
    """Yield the strings of a JSON text in order, or the text itself if it is not JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield text
        return
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _join_surrogates(_ESCAPE_SEQUENCE.sub(_unescape_character, text))


def _join_surrogates(text: str) -> str:
    """Join surrogate halves that were written as two escapes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape_character(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2] or escape[3]
    if number:
        return chr(min(int(number, 16), 0x10FFFF))
    return _NAMED_ESCAPES.get(escape[4], escape[4])


def stream_rows(stream: str) -> Iterator[str]:
    r"""Yield the values of a streamed page's rows, texts unchanged and JSON as written. Skip other rows.

    >>> list(stream_rows('1:["河"]\n2:T6,两岸3:{"a":"舟"}\n'))
    ['["河"]', '两岸', '{"a":"舟"}']
    """
    body, offset = stream.encode("utf-8", "replace"), 0
    while offset < len(body):
        row = _STREAM_ROW.match(body, offset)
        if row is not None and row["length"]:
            end = row.end() + int(row["length"], 16)
            yield body[row.end() : end].decode("utf-8", "replace")
            offset = end
            continue
        end = body.find(b"\n", offset)
        end = len(body) if end < 0 else end
        value = body[row.end() if row else offset : end].decode("utf-8", "replace")
        if row is not None and value[:1] in ("{", "["):
            yield value
        offset = end + 1


def prose_lines(string: str) -> Iterator[str]:
    """Yield the lines of a string of prose, in text or markup. Yield nothing for any other string."""
    if SENTENCE_END.search(string) is None or HAN_CHARACTER.search(string) is None:
        return
    if "</" in string or "<br" in string or "<p" in string:
        lines = [line.text for line in extract_blocks(LexborHTMLParser(bound_markup(string))).lines]
    else:
        lines = [" ".join(line.split()) for line in string.splitlines()]
    yield from (line for line in lines if len(HAN_CHARACTER.findall(line)) >= _MIN_LINE_HAN)


# Structured data: JSON-LD as sites write it, with comments, CDATA and trailing commas.


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
