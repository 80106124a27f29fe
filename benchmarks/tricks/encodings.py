"""Tricks that write characters in a notation of programs, or in the wrong charset."""

import base64
import binascii
import html
import json
import quopri
import re
from collections.abc import Callable
from urllib.parse import quote

from benchmarks.tricks.catalogue import Draw, change_every, is_han, trick

FAMILY = "encodings"
_RUN = re.compile(r"[\u3400-\u9fff]+")


def _runs(text: str, level: int, encode: Callable[[str], str]) -> str:
    """Encode every fourth run of Han characters, every second one, or all."""
    period = (4, 2, 1)[level]
    number = 0

    def change(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return encode(match[0]) if number % period == 0 else match[0]

    return _RUN.sub(change, text)


def _each(text: str, level: int, encode: Callable[[str], str]) -> str:
    return change_every(text, (4, 2, 1)[level], encode)


@trick(FAMILY)
def percent_encoding(text: str, level: int, draw: Draw) -> str:
    """Write bytes of UTF-8 after percent signs. Source: RFC 3986."""
    return _runs(text, level, quote)


@trick(FAMILY)
def percent_encoding_of_gbk(text: str, level: int, draw: Draw) -> str:
    """Write bytes of GBK after percent signs. Source: forms of pages in GBK."""
    return _runs(text, level, lambda run: quote(run.encode("gb18030")))


@trick(FAMILY)
def percent_u_escapes(text: str, level: int, draw: Draw) -> str:
    """Write %uXXXX. Source: ECMA-262, escape()."""
    return _each(text, level, lambda x: f"%u{ord(x):04X}")


@trick(FAMILY)
def decimal_references(text: str, level: int, draw: Draw) -> str:
    """Write decimal character references. Source: HTML Living Standard."""
    return _each(text, level, lambda x: f"&#{ord(x)};")


@trick(FAMILY)
def hexadecimal_references(text: str, level: int, draw: Draw) -> str:
    """Write hexadecimal character references. Source: HTML Living Standard."""
    return _each(text, level, lambda x: f"&#x{ord(x):x};")


@trick(FAMILY)
def references_of_references(text: str, level: int, draw: Draw) -> str:
    """Escape references once more. Source: HTML Living Standard."""
    return html.escape(_each(text, level, lambda x: f"&#x{ord(x):x};"))


@trick(FAMILY)
def javascript_escapes(text: str, level: int, draw: Draw) -> str:
    """Write backslash u. Source: ECMA-262."""
    return _each(text, level, lambda x: f"\\u{ord(x):04x}")


@trick(FAMILY)
def doubled_javascript_escapes(text: str, level: int, draw: Draw) -> str:
    """Write two backslashes and u. Source: JSON in JSON, RFC 8259."""
    return _each(text, level, lambda x: f"\\\\u{ord(x):04x}")


@trick(FAMILY)
def escapes_in_braces(text: str, level: int, draw: Draw) -> str:
    """Write backslash u and braces. Source: ECMA-262, code point escapes."""
    return _each(text, level, lambda x: f"\\u{{{ord(x):x}}}")


@trick(FAMILY)
def perl_escapes(text: str, level: int, draw: Draw) -> str:
    """Write backslash x and braces. Source: perlop."""
    return _each(text, level, lambda x: f"\\x{{{ord(x):x}}}")


@trick(FAMILY)
def long_escapes(text: str, level: int, draw: Draw) -> str:
    """Write backslash U with eight digits. Source: ISO C, universal character names."""
    return _each(text, level, lambda x: f"\\U{ord(x):08x}")


@trick(FAMILY)
def css_escapes(text: str, level: int, draw: Draw) -> str:
    """Write a backslash and digits. Source: CSS Syntax Module Level 3."""
    return _each(text, level, lambda x: f"\\{ord(x):x} ")


@trick(FAMILY)
def byte_escapes(text: str, level: int, draw: Draw) -> str:
    """Write bytes of UTF-8 after backslash x. Source: Python, bytes literals."""
    return _runs(text, level, lambda run: "".join(f"\\x{byte:02x}" for byte in run.encode()))


@trick(FAMILY)
def octal_escapes(text: str, level: int, draw: Draw) -> str:
    """Write bytes of UTF-8 as octal escapes. Source: git, core.quotePath."""
    return _runs(text, level, lambda run: "".join(f"\\{byte:03o}" for byte in run.encode()))


@trick(FAMILY)
def code_point_names(text: str, level: int, draw: Draw) -> str:
    """Write U+XXXX. Source: Unicode Standard, Appendix A."""
    return _each(text, level, lambda x: f"U+{ord(x):04X} ")


@trick(FAMILY)
def list_of_code_points(text: str, level: int, draw: Draw) -> str:
    """Write the numbers of characters as a list. Source: String.fromCharCode, ECMA-262."""
    return _runs(text, level, lambda run: ",".join(str(ord(x)) for x in run) + ",")


@trick(FAMILY)
def base64_of_runs(text: str, level: int, draw: Draw) -> str:
    """Write base64. Source: RFC 4648."""
    if level == 2:
        return base64.b64encode(text.encode()).decode()
    return "\n".join(
        base64.b64encode(line.encode()).decode() if number % (2 - level) == 0 else line
        for number, line in enumerate(re.findall(r"[^。]+。?", text))
    )


@trick(FAMILY)
def hexadecimal_bytes(text: str, level: int, draw: Draw) -> str:
    """Write bytes of UTF-8 as digits. Source: RFC 4648, base 16."""
    return _runs(text, level, lambda run: binascii.hexlify(run.encode(), " ").decode() + " ")


@trick(FAMILY)
def quoted_printable(text: str, level: int, draw: Draw) -> str:
    """Write quoted-printable. Source: RFC 2045."""
    return _runs(text, level, lambda run: quopri.encodestring(run.encode()).decode())


@trick(FAMILY)
def json_string(text: str, level: int, draw: Draw) -> str:
    """Write a string of JSON, in itself as often as it is strong. Source: RFC 8259."""
    for _ in range(level + 1):
        text = json.dumps(text)
    return text


@trick(FAMILY)
def places_in_gb2312(text: str, level: int, draw: Draw) -> str:
    """Write the row and the cell of GB 2312 (区位码). Source: GB/T 2312."""

    def encode(character: str) -> str:
        code = character.encode("gb2312", "ignore")
        return f"{code[0] - 160:02}{code[1] - 160:02} " if len(code) == 2 else character

    return _each(text, level, encode)


@trick(FAMILY)
def utf8_read_as_latin(text: str, level: int, draw: Draw) -> str:
    """Read UTF-8 as Windows-1252, once, twice or three times. Source: ftfy, Speer 2019."""
    for _ in range(level + 1):
        text = text.encode().decode("latin-1")
    return text


@trick(FAMILY)
def gbk_read_as_latin(text: str, level: int, draw: Draw) -> str:
    """Read GBK as Latin-1, and that as UTF-8 again. Source: ftfy, Speer 2019."""
    text = "".join(x for x in text if is_han(x) or x in "，。")
    for _ in range(level + 1):
        text = text.encode("gb18030" if text.isprintable() and is_han(text[0]) else "utf-8").decode("latin-1")
    return text


@trick(FAMILY)
def utf8_read_as_gbk(text: str, level: int, draw: Draw) -> str:
    """Read UTF-8 as GB 18030 (锟斤拷). Source: broken imports of databases."""
    pieces = re.findall("[^，。！？]*[，。！？]?", text)
    return "".join(
        piece.encode().decode("gb18030", "replace") if number % (3 - level) == 0 else piece
        for number, piece in enumerate(pieces)
    )


@trick(FAMILY)
def big5_read_as_gbk(text: str, level: int, draw: Draw) -> str:
    """Read Big5 as GB 18030. Source: mail between Taiwan and the mainland."""
    from wenhen.demo.articles import to_traditional

    pieces = re.findall("[^，。！？]*[，。！？]?", to_traditional(text))
    return "".join(
        piece.encode("big5", "ignore").decode("gb18030", "replace") if number % (3 - level) == 0 else piece
        for number, piece in enumerate(pieces)
    )
