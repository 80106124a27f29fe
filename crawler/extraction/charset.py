"""Detect the charset of a page and decode its bytes.

Order of belief: a byte order mark; UTF-8 where the bytes are that without a fault; the HTTP header; the page's own
declaration; detection. A declaration that makes little sense of the bytes is overruled, and that is noted. Labels are
read as the WHATWG Encoding standard does, but for GB2312 and GBK, which are read as their superset GB18030, and Big5,
read with the Hong Kong and ETEN extensions.
"""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from email.message import Message as Headers
from functools import cache, lru_cache
from itertools import islice

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from wenhen.kit.errors import Message, message

BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
MARKUP_PROBE_BYTES = 64  # bytes that nothing but markup stands in
UTF16_ZERO_SHARE = 0.8  # share of zeros among every other of them, from which they are UTF-16
CHARSET_PRESCAN_BYTES = (
    8192  # bytes in which a page may declare its charset; the standard's 1024 are too few for pages in the wild
)
META_CHARSET = re.compile(rb"<meta[^>]{0,400}?charset\s*=[\s\"']*([\w.:-]{2,40})", re.IGNORECASE)
XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
CHARSET_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs"}
CHINESE_CODECS = frozenset(("utf-8", "gb18030", "big5hkscs", "utf-16-le", "utf-16-be"))
# How their runs of signs begin: RFC 1468 and its extensions, RFC 1843.
SEVEN_BIT_CHARSETS = {
    "iso2022_kr": re.compile(rb"\x1b\$\)C"),
    "iso2022_jp_2": re.compile(rb"\x1b\$"),
    "hz": re.compile(rb"~\{(?:[!-}][!-~]){2}"),
}
UNRELIABLE_CHARSET = "cp1252"  # what servers declare that no charset was set for: believed only when nothing else fits
ASCII_BYTES = bytes(range(128))
UTF8_LEAD_BYTE = re.compile(rb"[\xc0-\xff]")  # bytes with which a character beyond ASCII begins in UTF-8
# Punctuation and full-width forms tell no charsets apart.
NON_LETTERS = re.compile(r"[^\u3400-\ufeff\ufff0-\U0010ffff]+")
MIN_EVIDENCE_CHARACTERS = 3  # so few characters beyond ASCII prove nothing against a declaration
MAX_UNDECODABLE_SHARE = 0.02  # share of undecodable characters from which a declaration is doubted
MIN_COMMON_SHARE = (
    0.6  # below this share of common characters Chinese text is doubted; the right charset gives .9 and more
)
SAMPLE_CHARACTERS = 5_000  # characters looked at for that
SAMPLE_STEP_CHARACTERS = 20_000  # characters in which they are looked for at a time


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, the Python codec that gave it, and what was wrong on the way."""

    text: str
    charset: str
    problems: tuple[Message, ...] = ()
    utf8: bytes | None = field(default=None, compare=False, repr=False)  # the text as it came, where that is UTF-8

    @property
    def markup(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode("utf-8", "replace") if self.utf8 is None else self.utf8


def decode_bytes(body: bytes, stated: str | None = None) -> DecodedText:
    """Text of a page; any bytes give some text, undecodable ones become U+FFFD. `stated` is what the
    HTTP header says.
    """
    for bom, charset in BOMS:
        if body.startswith(bom):
            return DecodedText(body[len(bom) :].decode(charset, "replace"), charset)
    if wide := _detect_utf16(body):
        return DecodedText(body.decode(wide, "replace"), wide)
    declared = [name for name in (find_codec(stated), find_codec(declared_charset(body))) if name]
    if body.isascii():
        if seven := _detect_seven_bit(body):
            return _make_decoded(body, seven, declared)
        return DecodedText(body.decode("ascii"), declared[0] if declared else "utf-8", utf8=body)
    text, whole = _try_utf8(body)
    if text is not None and (
        not declared or "utf-8" in declared or _count_beyond_ascii(body) > MIN_EVIDENCE_CHARACTERS
    ):
        decoded = _make_decoded(body, "utf-8", declared, text)
        return replace(decoded, utf8=body) if whole else decoded
    return _choose_charset(body, declared)


def _detect_utf16(body: bytes) -> str | None:
    """UTF-16 whose mark is missing: of what markup begins with, every other byte is zero."""
    head = body[:MARKUP_PROBE_BYTES]
    first, second = head[::2].count(0), head[1::2].count(0)
    if not head or max(first, second) < len(head) // 2 * UTF16_ZERO_SHARE or min(first, second) > 0 or len(body) % 2:
        return None
    return "utf-16-be" if first else "utf-16-le"


def _detect_seven_bit(body: bytes) -> str | None:
    """The charset that writes signs beyond ASCII with ASCII bytes, if it is one."""
    for charset, sign in SEVEN_BIT_CHARSETS.items():
        if sign.search(body):
            try:
                body.decode(charset)
            except UnicodeDecodeError:
                continue
            return charset
    return None


def header_charset(headers: Sequence[tuple[str, str]]) -> str | None:
    """The charset that the first Content-Type header names."""
    return next((_parse_charset(value) for name, value in headers if name.lower() == "content-type"), None)


@lru_cache(maxsize=256)  # servers say the same with every page
def _parse_charset(content_type: str) -> str | None:
    parsed = Headers()
    parsed["Content-Type"] = content_type
    charset = parsed.get_param("charset")
    return charset if isinstance(charset, str) and charset else None


def declared_charset(body: bytes) -> str | None:
    """The charset that a page's own meta element or XML declaration names."""
    head = body[:CHARSET_PRESCAN_BYTES]
    found = META_CHARSET.search(head) or XML_ENCODING.search(head)
    return found[1].decode("ascii") if found else None


def find_codec(label: str | None) -> str | None:
    """The Python codec for a charset label, or None for one that means nothing."""
    if not label:
        return None
    name = map_encoding_to_html5(label.strip().strip("\"'"), fallback_utf8=False)
    if not name:
        return None
    name = CHARSET_SUPERSETS.get(name, name)
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"  # the standard: a page whose declaration can be read as ASCII is not UTF-16
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name


def _try_utf8(body: bytes) -> tuple[str | None, bool]:
    """The text of bytes that are UTF-8 but for a character cut at the end, and whether none is; None of any others."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return None, False
    cut, _ = decoder.getstate()
    return text + "\ufffd" if cut else text, not cut


def _count_beyond_ascii(body: bytes) -> int:
    """How many characters beyond ASCII it begins with; counted as far as is asked for."""
    return sum(1 for _ in islice(UTF8_LEAD_BYTE.finditer(body[:CHARSET_PRESCAN_BYTES]), MIN_EVIDENCE_CHARACTERS + 1))


def _choose_charset(body: bytes, declared: list[str]) -> DecodedText:
    candidates = [(charset, _decode_with(body, charset)) for charset in dict.fromkeys(declared)]
    for charset, text in candidates:
        if _implausibility(text, charset) < MAX_UNDECODABLE_SHARE:
            return _make_decoded(body, charset, declared, text)
    detected = find_codec(detect_encoding(body))
    wide = ["utf-16-le", "utf-16-be"] if b"\0" in body[:CHARSET_PRESCAN_BYTES] and len(body) % 2 == 0 else []
    guesses = ([detected] if detected else []) + ["gb18030", "big5hkscs", "utf-8", *wide]
    candidates += [(guess, _decode_with(body, guess)) for guess in dict.fromkeys(guesses) if guess not in declared]
    # min() takes the first of equals: what is declared before what is detected before the rest.
    charset, text = min(candidates, key=lambda one: _implausibility(one[1], one[0]))
    return _make_decoded(body, charset, declared, text)


def _implausibility(text: str, charset: str) -> float:
    """How little sense a text makes: the share of undecodable characters, for Chinese charsets also of rare ones."""
    beyond = _sample_beyond_ascii(text)
    if not beyond:
        return 0.0
    undecodable = beyond.count("\ufffd") / len(beyond)
    if charset == UNRELIABLE_CHARSET:
        return max(undecodable, MAX_UNDECODABLE_SHARE)
    if charset not in CHINESE_CODECS or len(beyond) <= MIN_EVIDENCE_CHARACTERS:
        return undecodable
    others = _common_run_pattern().sub("", beyond)
    common = len(beyond) - len(others)
    rare = 1 - common / (common + len(NON_LETTERS.sub("", others)) or 1)
    return max(undecodable, rare if rare > 1 - MIN_COMMON_SHARE else 0.0)


def _sample_beyond_ascii(text: str) -> str:
    """The first SAMPLE characters beyond ASCII, looked for a stretch at a time: they stand near the beginning."""
    found = ""
    for begin in range(0, len(text), SAMPLE_STEP_CHARACTERS):
        stretch = text[begin : begin + SAMPLE_STEP_CHARACTERS]
        found += stretch.encode("utf-8", "replace").translate(None, ASCII_BYTES).decode()
        if len(found) >= SAMPLE_CHARACTERS:
            break
    return found[:SAMPLE_CHARACTERS]


def _decode_with(body: bytes, charset: str) -> str:
    return body.decode(charset, "big5_rest" if charset == "big5hkscs" else "replace")


def _make_decoded(body: bytes, charset: str, declared: list[str], text: str | None = None) -> DecodedText:
    text = _decode_with(body, charset) if text is None else text
    problems = []
    if declared and declared[0] != charset:
        problems.append(message("page.declared", declared=declared[0], read=charset))
    if (lost := text.count("\ufffd")) > 0:
        problems.append(message("page.undecoded", count=lost))
    return DecodedText(text, charset, tuple(problems))


def _decode_big5_rest(error: UnicodeError) -> tuple[str, int]:
    """Read with Microsoft's code page what the Hong Kong set leaves out; a lone byte costs one character, not two."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    try:
        return pair.decode("cp950"), error.start + 2
    except UnicodeDecodeError:
        return "\ufffd", error.start + 1


@cache
def common_characters() -> frozenset[str]:
    """The first levels of GB 2312 (3,755 characters) and Big5 (5,401), which hold nearly all running text, and kana."""
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    simplified = bytes(byte for lead in range(0xB0, 0xD8) for trail in range(0xA1, 0xFF) for byte in (lead, trail))
    traditional = bytes(byte for lead in range(0xA4, 0xC7) for trail in trails for byte in (lead, trail))
    kana = "".join(map(chr, range(0x3040, 0x3100)))
    return frozenset(simplified.decode("gb2312", "ignore") + traditional.decode("big5", "ignore") + kana)


@cache
def _common_run_pattern() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(NON_LETTERS.sub('', ''.join(common_characters())))}]+")


codecs.register_error("big5_rest", _decode_big5_rest)
