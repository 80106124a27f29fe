"""Prose that a page carries as data and a script would have to show: strings of scripts, attributes of elements.

Nothing is run: string literals are read as JSON and JavaScript write them.
"""

import json
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.choosing.prose import SENTENCE
from crawler.extract.language import HAN
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page_lines import blocks_of

LEAST = 200  # Han characters of all together
_LONGEST = 2_000_000  # characters of scripts that are looked through
_MOST_NODES = 20_000  # elements whose attributes are looked at
_ATTRIBUTE = 100  # characters
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "", "v": " ", "0": "", "\n": ""}
_TEXTS = frozenset(("text/markdown", "text/x-markdown", "text/plain", "text/template", "text/html", "text/x-template"))
_SHOWN = re.compile(r"content\s{0,5}:\s{0,5}attr\(\s{0,5}([\w-]{1,50})")
# The variable to which Next.js pushes a page that its server rendered, piece by piece, as rows: `id:value`. A value is
# JSON in one line, or T, the length of a text in bytes of UTF-8 in hexadecimal, a comma, and that text. Source: the
# parser of React's own client (`ReactFlightClient`).
_STREAM = "__next_f"
_ROW = re.compile(rb"[0-9a-f]{0,8}:(?:[A-Z](?:(?P<length>[0-9a-f]{1,8}),)?)?")
_SAID = 2  # Han characters of a line that somebody says


def prose_in_data(tree: LexborHTMLParser) -> list[str]:
    """The lines of prose in a page's scripts and data attributes, in order, each once; none where there are few."""
    lines: dict[str, None] = {}
    for string in _strings(tree):
        lines.update(dict.fromkeys(prose_lines(string)))
    return list(lines) if sum(len(HAN.findall(line)) for line in lines) >= LEAST else []


def _strings(tree: LexborHTMLParser) -> Iterator[str]:
    left, streamed = _LONGEST, ""
    for node in tree.css("script"):
        script = (node.text(deep=True) or "")[:left]
        left -= len(script)
        kind = node.attributes.get("type") or ""
        if kind in _TEXTS:
            yield script
        elif _STREAM in script:
            streamed += "".join(_written(script))
        elif kind != "application/ld+json":
            yield from literals(script)
    for row in rows_of(streamed):
        yield from strings_inside(row)
    yield from _of_attributes(tree)


def _of_attributes(tree: LexborHTMLParser) -> Iterator[str]:
    """What stands in data attributes at length, and in those that a style shows in front of their elements."""
    styles = "".join(node.text(deep=True) or "" for node in tree.css("style"))[:_LONGEST]
    shown = frozenset(found[1] for found in _SHOWN.finditer(styles))
    if not shown and b"data-" not in tree.raw_html.lower():
        return
    for node in tree.css("*")[:_MOST_NODES]:
        for name, value in node.attributes.items():
            if value and (name in shown or (name.startswith("data-") and len(value) >= _ATTRIBUTE)):
                yield value


def literals(script: str) -> Iterator[str]:
    r"""The strings that a script writes out, without their escapes; of strings that are JSON, those inside.

    >>> list(literals(r'a = {"b": "\u6cb3\n岸", c: \'<p>x</p>\'}'.replace("\\'", "'")))
    ['b', '河\n岸', '<p>x</p>']
    """
    for text in _written(script):
        if text[:1] in ("{", "["):
            yield from strings_inside(text)
        else:
            yield text


def _written(script: str) -> Iterator[str]:
    return (_unescaped(found[1] or found[2] or found[3] or "") for found in _STRING.finditer(script))


def strings_inside(text: str) -> Iterator[str]:
    """The strings of a text in JSON, in their order; the text itself where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield text
        return
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(reversed(one.values()))
        elif isinstance(one, list):
            waiting.extend(reversed(one))


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    # Two escapes may be one character.
    return _ESCAPE.sub(_character, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2] or escape[3]
    if number:
        return chr(min(int(number, 16), 0x10FFFF))
    return _NAMED.get(escape[4], escape[4])


def rows_of(stream: str) -> Iterator[str]:
    r"""The values of a streamed page's rows, texts as they are and JSON as it is written; other rows are passed over.

    >>> list(rows_of('1:["河"]\n2:T6,两岸3:{"a":"舟"}\n'))
    ['["河"]', '两岸', '{"a":"舟"}']
    """
    body, at = stream.encode("utf-8", "replace"), 0
    while at < len(body):
        row = _ROW.match(body, at)
        if row is not None and row["length"]:
            end = row.end() + int(row["length"], 16)
            yield body[row.end() : end].decode("utf-8", "replace")
            at = end
            continue
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        value = body[row.end() if row else at : end].decode("utf-8", "replace")
        if row is not None and value[:1] in ("{", "["):
            yield value
        at = end + 1


def prose_lines(string: str) -> Iterator[str]:
    """The lines of a string of prose, be it text or markup; none of any other string."""
    if SENTENCE.search(string) is None or HAN.search(string) is None:
        return
    if "</" in string or "<br" in string or "<p" in string:
        lines = [line.text for line in blocks_of(LexborHTMLParser(bounded(string))).lines]
    else:
        lines = [" ".join(line.split()) for line in string.splitlines()]
    yield from (line for line in lines if len(HAN.findall(line)) >= _SAID)
