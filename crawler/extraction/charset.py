"""Detect the charset of a page and decode its bytes.

Order of precedence: a byte order mark, valid UTF-8, the HTTP header, the page's own declaration, detection. A mark or a
declaration that decodes implausibly is overruled, and that is noted. Labels follow the WHATWG Encoding standard with
four exceptions. GB2312 and GBK are read as their superset GB18030. Big5 is read with the Hong Kong and ETEN extensions.
EUC-TW, which that standard lacks, is supported. Parts of a page in another charset, such as an advert, are decoded in
theirs.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from email.message import Message as Headers
from functools import cache, lru_cache
from itertools import islice

import re2
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from crawler.extraction.euc_tw import EUC_TW_CODEC, EUC_TW_LABELS
from wenhen.kit.errors import Message, message

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before the mark of UTF-16, which is its prefix
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MARKUP_PROBE_BYTES = 64  # bytes that hold only markup
MAX_UTF32_PLANE = 2  # the highest plane of a text's first characters; tabs and line feeds read as higher ones
UTF16_ZERO_SHARE = 0.8  # share of zeros among every other byte from which they are UTF-16
CHARSET_PRESCAN_BYTES = (
    8192  # bytes in which a page may declare its charset; the standard's 1024 are too few for real pages
)
META_CHARSET = re.compile(rb"<meta[^>]{0,400}?charset\s*=[\s\"']*([\w.:-]{2,40})", re.IGNORECASE)
XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
CHARSET_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs"}
# Nearly any bytes decode in these, so the text must be plausible. UTF-8 proves itself by its form.
CHINESE_CODECS = frozenset(("gb18030", "big5hkscs", EUC_TW_CODEC, "utf-16-le", "utf-16-be"))
# The escape sequences that start their runs: RFC 1468 and its extensions, RFC 1843.
SEVEN_BIT_CHARSETS = {
    "iso2022_kr": re.compile(rb"\x1b\$\)C"),
    "iso2022_jp_2": re.compile(rb"\x1b\$"),
    "hz": re.compile(rb"~\{(?:[!-}][!-~]){2}"),
}
UNRELIABLE_CHARSET = "cp1252"  # the default of misconfigured servers: accepted only if nothing else fits
ASCII_BYTES = bytes(range(128))
_BEYOND_ASCII = bytes(range(128, 256))
UTF8_PROBE_BYTES = 4_000
UTF8_LEAD_BYTE = re.compile(rb"[\xc0-\xff]")  # lead bytes of characters beyond ASCII in UTF-8
# Punctuation and full-width forms do not distinguish charsets.
NON_LETTERS = re.compile(r"[^\u3400-\ufeff\ufff0-\U0010ffff]+")
MIN_EVIDENCE_CHARACTERS = 3  # fewer characters beyond ASCII prove nothing against a declaration
MAX_UNDECODABLE_SHARE = 0.02  # share of undecodable characters from which a declaration is doubted
MIN_COMMON_SHARE = (
    0.6  # share of common characters below which Chinese text is doubted; the right charset gives .9 and more
)
GB_STOPS = ("，", "。")
EUC_TW_PROBE_BYTES = 50_000
MIN_EUC_TW_CHARACTERS = 50  # characters; fewer do not distinguish it from GB 2312
FREQUENT_CHARACTERS = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
)
SAMPLE_CHARACTERS = 5_000  # characters that are examined
SAMPLE_STEP_CHARACTERS = 20_000  # characters of each step of the search for them


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Hold a text, the Python codec that decoded it, and the problems on the way."""

    text: str
    charset: str
    problems: tuple[Message, ...] = ()
    utf8: bytes | None = field(default=None, compare=False, repr=False)  # the original bytes, if they are UTF-8

    @property
    def markup(self) -> bytes:
        """Return the text in UTF-8."""
        return self.text.encode("utf-8", "replace") if self.utf8 is None else self.utf8


def decode_bytes(body: bytes, stated: str | None = None) -> DecodedText:
    """Decode the bytes of a page. Any bytes give some text, and undecodable ones become U+FFFD.

    stated: the charset in the HTTP header.
    """
    marked, body = _strip_mark(body)
    if marked != "utf-8" and (wide := marked or _detect_wide(body)):
        return DecodedText(body.decode(wide, "replace"), wide)
    declared = [name for name in (marked, find_codec(stated), find_codec(declared_charset(body))) if name]
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
    if marked and (_may_be_utf8(body) or _is_nearly_ascii(body)):  # a mark decides, and single bad bytes are noted
        return _make_decoded(body, "utf-8", declared)
    return _choose_charset(body, declared, marked=bool(marked))


def _strip_mark(body: bytes) -> tuple[str | None, bytes]:
    """Return the charset of a byte order mark and the bytes behind it. A false mark of a wide charset gives None."""
    for bom, charset in BOMS:
        if body.startswith(bom):
            while body.startswith(bom):  # programs that add a mark may add another
                body = body[len(bom) :]
            return (charset if charset == "utf-8" or _is_wide(body, charset) else None), body
    return None, body


def _is_wide(body: bytes, charset: str) -> bool:
    """Tell whether bytes may be UTF-16 or UTF-32: they hold zeros, or decode to Chinese."""
    return (
        b"\0" in body[:CHARSET_PRESCAN_BYTES]
        or _implausibility(body.decode(charset, "replace"), charset) < MAX_UNDECODABLE_SHARE
    )


def _detect_wide(body: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 without a mark by its zeros."""
    return _detect_utf16(body) or _detect_utf32(body)


def _detect_utf32(body: bytes) -> str | None:
    """Detect UTF-32: the bytes that hold each character's plane are nearly zero."""
    head = body[:MARKUP_PROBE_BYTES]
    if len(head) < MARKUP_PROBE_BYTES:
        return None
    for charset, highest, plane, lowest in (("utf-32-le", 3, 2, 0), ("utf-32-be", 0, 1, 3)):
        if not any(head[highest::4]) and max(head[plane::4]) <= MAX_UTF32_PLANE and any(head[lowest::4]):
            return charset
    return None


def _detect_utf16(body: bytes) -> str | None:
    """Detect UTF-16: in the markup at the beginning, every other byte is zero."""
    head = body[:MARKUP_PROBE_BYTES]
    first, second = head[::2].count(0), head[1::2].count(0)
    if not head or max(first, second) < len(head) // 2 * UTF16_ZERO_SHARE or min(first, second) > 0 or len(body) % 2:
        return None
    return "utf-16-be" if first else "utf-16-le"


def _detect_seven_bit(body: bytes) -> str | None:
    """Return the charset that writes characters beyond ASCII with ASCII bytes, if it is one."""
    for charset, sign in SEVEN_BIT_CHARSETS.items():
        if sign.search(body):
            try:
                body.decode(charset)
            except UnicodeDecodeError:
                continue
            return charset
    return None


def header_charset(headers: Sequence[tuple[str, str]]) -> str | None:
    """Return the charset in the first Content-Type header."""
    return next((_parse_charset(value) for name, value in headers if name.lower() == "content-type"), None)


@lru_cache(maxsize=256)  # servers send the same value with every page
def _parse_charset(content_type: str) -> str | None:
    parsed = Headers()
    parsed["Content-Type"] = content_type
    charset = parsed.get_param("charset")
    return charset if isinstance(charset, str) and charset else None


def declared_charset(body: bytes) -> str | None:
    """Return the charset in a page's own meta element or XML declaration."""
    head = body[:CHARSET_PRESCAN_BYTES]
    match = META_CHARSET.search(head) or XML_ENCODING.search(head)
    return match[1].decode("ascii") if match else None


@lru_cache(256)
def find_codec(label: str | None) -> str | None:
    """Return the Python codec for a charset label, or None for an unknown label."""
    if not label:
        return None
    label = label.strip().strip("\"'")
    if label.lower() in EUC_TW_LABELS:
        return EUC_TW_CODEC
    name = map_encoding_to_html5(label, fallback_utf8=False)
    if not name:
        return None
    name = CHARSET_SUPERSETS.get(name, name)
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"  # the standard: a page whose declaration is readable as ASCII is not UTF-16
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name


def _try_utf8(body: bytes) -> tuple[str | None, bool]:
    """Return the text of UTF-8 bytes and whether they are complete. A character may be cut at the end. Else the text is
    None.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(body)
    except UnicodeDecodeError:
        return None, False
    cut, _ = decoder.getstate()
    return text + "\ufffd" if cut else text, not cut


def _count_beyond_ascii(body: bytes) -> int:
    """Count the characters beyond ASCII at the beginning, as far as needed."""
    return sum(1 for _ in islice(UTF8_LEAD_BYTE.finditer(body[:CHARSET_PRESCAN_BYTES]), MIN_EVIDENCE_CHARACTERS + 1))


def _choose_charset(body: bytes, declared: list[str], *, marked: bool) -> DecodedText:
    """Decode bytes in the charset that makes the most plausible text of them. marked: under a mark of UTF-8, which only
    Chinese text proves wrong.
    """
    texts: dict[str, str] = {}
    for charset in (*(["utf-8"] if _may_be_utf8(body) else []), *declared):
        texts[charset] = text = _decode_with(body, charset)
        if _implausibility(text, charset) < MAX_UNDECODABLE_SHARE and not _is_euc_tw(body, text, charset):
            return _make_decoded(body, charset, declared, text)
    detected = None if marked else find_codec(detect_encoding(body))
    wide = ["utf-16-le", "utf-16-be"] if b"\0" in body[:CHARSET_PRESCAN_BYTES] and len(body) % 2 == 0 else []
    # min() takes the first of equals: declared charsets before detected ones before the rest.
    guesses = [*declared, *([detected] if detected else []), "gb18030", "big5hkscs", "utf-8", *wide]
    texts |= {guess: _decode_with(body, guess) for guess in guesses if guess not in texts}
    charset = min(guesses, key=lambda guess: _implausibility(texts[guess], guess))
    if _is_euc_tw(body, texts[charset], charset):
        return _make_decoded(body, EUC_TW_CODEC, declared)
    return _make_decoded(body, charset, declared, texts[charset])


def _is_nearly_ascii(body: bytes) -> bool:
    """Tell whether bytes hold too few beyond ASCII to prove anything against a mark."""
    return len(body) - len(body.translate(None, _BEYOND_ASCII)) <= MIN_EVIDENCE_CHARACTERS


def _may_be_utf8(body: bytes) -> bool:
    """Tell whether most of the first characters beyond ASCII are UTF-8."""
    lead = UTF8_LEAD_BYTE.search(body)
    begin = lead.start() if lead else 0
    beyond = _sample_beyond_ascii(body[begin : begin + UTF8_PROBE_BYTES].decode("utf-8", "replace"))
    return 2 * beyond.count("\ufffd") <= len(beyond)


def _is_euc_tw(body: bytes, text: str, charset: str) -> bool:
    """Tell whether a text in GB18030 has the most frequent Chinese characters only when read as EUC-TW.

    As GB 2312 it consists of common characters as well, but has neither a comma nor a full stop.
    """
    if charset != "gb18030" or any(stop in text for stop in GB_STOPS):
        return False
    probe = _sample_beyond_ascii(_decode_with(body[:EUC_TW_PROBE_BYTES], EUC_TW_CODEC))
    return (
        len(probe) >= MIN_EUC_TW_CHARACTERS
        and probe.count("\ufffd") < MAX_UNDECODABLE_SHARE * len(probe)
        and _frequent_share(probe) > 2 * _frequent_share(_sample_beyond_ascii(text))
    )


def _frequent_share(text: str) -> float:
    return sum(map(text.count, FREQUENT_CHARACTERS)) / (len(text) or 1)


def _implausibility(text: str, charset: str) -> float:
    """Return how implausible a text is: the share of undecodable characters, in Chinese charsets also of rare ones."""
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
    """Return the first SAMPLE_CHARACTERS beyond ASCII. The search goes step by step, as they are near the beginning."""
    sample = ""
    for begin in range(0, len(text), SAMPLE_STEP_CHARACTERS):
        stretch = text[begin : begin + SAMPLE_STEP_CHARACTERS]
        sample += stretch.encode("utf-8", "replace").translate(None, ASCII_BYTES).decode()
        if len(sample) >= SAMPLE_CHARACTERS:
            break
    return sample[:SAMPLE_CHARACTERS]


def _decode_with(body: bytes, charset: str) -> str:
    return body.decode(charset, "big5_rest" if charset == "big5hkscs" else "replace")


def _make_decoded(body: bytes, charset: str, declared: list[str], text: str | None = None) -> DecodedText:
    text = _decode_with(body, charset) if text is None else text
    problems = []
    if "\ufffd" in text if charset == "utf-8" else charset in MIXED_CODECS and UTF8_RUN.search(body):
        text, others = _decode_mixed(body, charset)
        if others:
            problems.append(message("page.mixed_charsets", count=others))
    if declared and declared[0] != charset:
        problems.append(message("page.declared", declared=declared[0], read=charset))
    if "\ufffd" in text:  # finding none takes a tenth of counting
        problems.append(message("page.undecoded", count=text.count("\ufffd")))
    return DecodedText(text, charset, tuple(problems))


# A page with parts in another charset: an advert, a template, the output of another site's script.
#
# A part reaches from one markup bracket or line end to the next: no character of any charset contains these bytes.


MIXED_CODECS = frozenset(("gb18030", "big5hkscs"))  # charsets of pages that contain parts in UTF-8
STRETCH = re.compile(rb"[^<>\r\n]+")
_BYTE_OPTIONS = re2.Options()
_BYTE_OPTIONS.encoding = re2.Options.Encoding.LATIN1
UTF8_RUN = re2.compile(  # Chinese in UTF-8; re2 searches a whole page quickly
    rb"(?:[\xe3-\xe9][\x80-\xbf]{2}|\xef[\xbc\xbd][\x80-\xbf]|\xe2\x80[\x80-\xbf]){2,}", _BYTE_OPTIONS
)
MIN_STRETCH_CHARACTERS = 2  # characters of a part that prove another charset ...
MIN_UNSURE_CHARACTERS = 4  # ... and of one with characters beyond the most common of GB 2312


def _decode_mixed(body: bytes, charset: str) -> tuple[str, int]:
    """Decode a page that is mostly in this charset. Return the text and the number of parts in another charset."""
    others, place, parts = 0, 0, []
    for stretch in STRETCH.finditer(body):
        if not stretch[0].isascii() and (text := _decode_stretch(stretch[0], charset)) is not None:
            parts += [_decode_with(body[place : stretch.start()], charset), text]
            others, place = others + 1, stretch.end()
    return "".join((*parts, _decode_with(body[place:], charset))), others


def _decode_stretch(stretch: bytes, charset: str) -> str | None:
    """Decode a part in another charset, as a whole or in pieces. Return None for a part in this charset."""
    if charset == "utf-8":
        if _decode_strictly(stretch, charset) is not None:
            return None
        if (text := _decode_foreign(stretch)) is not None:
            return text
    elif UTF8_RUN.search(stretch) is None:
        return None
    pieces = list(_iter_pieces(stretch, charset))
    whole = [piece for piece in pieces if piece is not None]
    return "".join(whole) if len(whole) == len(pieces) else None


def _iter_pieces(stretch: bytes, charset: str) -> Iterator[str | None]:
    """Yield the decoded pieces, those in UTF-8 and those between. Yield None for an implausible piece."""
    place = 0
    for run in UTF8_RUN.finditer(stretch):
        yield from _decode_between(stretch[place : run.start()], charset)
        usual = _decode_strictly(run[0], charset)
        garbled = charset == "utf-8" or usual is None or _rare_share(usual) > 1 - MIN_COMMON_SHARE
        yield _decode_strictly(run[0], "utf-8") if garbled else None
        place = run.end()
    yield from _decode_between(stretch[place:], charset)


def _decode_between(piece: bytes, charset: str) -> Iterator[str | None]:
    if piece:
        yield _decode_strictly(piece, charset) or (_decode_foreign(piece) if charset == "utf-8" else None)


def _decode_foreign(stretch: bytes) -> str | None:
    """Decode a part that is not UTF-8, if it is plausible in a Chinese charset."""
    common = _decode_strictly(stretch, "gb2312")
    if common is not None and _letter_count(common) >= MIN_STRETCH_CHARACTERS and _rare_share(common) == 0:
        return common
    texts = [text for name in ("gb18030", "big5hkscs") if (text := _decode_strictly(stretch, name)) is not None]
    best = min(texts, key=_rare_share, default="")
    plausible = _letter_count(best) >= MIN_UNSURE_CHARACTERS and _rare_share(best) <= 1 - MIN_COMMON_SHARE
    return best if plausible else None


def _decode_strictly(body: bytes, charset: str) -> str | None:
    try:
        return body.decode(charset)
    except UnicodeDecodeError:
        return None


def _letter_count(text: str) -> int:
    return len(NON_LETTERS.sub("", text))


def _rare_share(text: str) -> float:
    """Return the share of rare characters among the letters beyond ASCII."""
    letters = NON_LETTERS.sub("", text)
    return len(_common_run_pattern().sub("", letters)) / (len(letters) or 1)


def _decode_big5_rest(error: UnicodeError) -> tuple[str, int]:
    """Decode with Microsoft's code page what the Hong Kong set lacks. A lone byte costs one character, not two."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    try:
        return pair.decode("cp950"), error.start + 2
    except UnicodeDecodeError:
        return "\ufffd", error.start + 1


@cache
def common_characters() -> frozenset[str]:
    """Return the common characters: the first levels of GB 2312 (3,755) and Big5 (5,401), and kana.

    They make up nearly all running text.
    """
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    simplified = bytes(byte for lead in range(0xB0, 0xD8) for trail in range(0xA1, 0xFF) for byte in (lead, trail))
    traditional = bytes(byte for lead in range(0xA4, 0xC7) for trail in trails for byte in (lead, trail))
    kana = "".join(map(chr, range(0x3040, 0x3100)))
    return frozenset(simplified.decode("gb2312", "ignore") + traditional.decode("big5", "ignore") + kana)


@cache
def _common_run_pattern() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(NON_LETTERS.sub('', ''.join(common_characters())))}]+")


codecs.register_error("big5_rest", _decode_big5_rest)
