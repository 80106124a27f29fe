r"""Read characters that are written as their numbers or as their bytes, in the notations of programs and documents.

`NOTATIONS` is the single table of numbers. Each row can be read and written. Bytes are escaped (%E4%B8%AD,
\xe4\xb8\xad, \344\270\255, =E4=B8=AD of RFC 2045), bare (e4b8ad, Base64 and Base32 of RFC 4648, also of compressed
bytes), or shifted: UTF-7 (RFC 2152) and HZ (RFC 1843).
"""

import base64
import binascii
import html
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html.entities import html5
from itertools import accumulate

from fingerprinter.alphabet import pad_with_ignored
from fingerprinter.normalize.character_statistics import familiar_share

ENTITY_SIGNS = "&\\%+"  # every notation but bare lists has one of these
_HEX_4, _HEX_4_TO_6, _HEX = "([0-9A-Fa-f]{4})", "([0-9A-Fa-f]{4,6})", "([0-9A-Fa-f]{1,6})"
_BETWEEN = r"[\s,;]*"  # between the numbers of a list
_MIN_LISTED = 8  # numbers of a list without a sign
_MIN_SCATTERED = 8  # single numbers of an ambiguous notation between other characters
_MIN_FAMILIAR = 0.4  # familiar share of the outcome of a list, or of an ambiguous notation
_SURROGATE_PAIR = re.compile("([\ud800-\udbff])(\u200b+)([\udc00-\udfff])")
_OWN_CODE_REACH = 4  # characters between a number and the character that it names, in a table of both
_MIN_OWN_CODES = 4  # such numbers from which a text is a table
_SIGNED_LIMIT = 1 << 16  # RTF writes numbers above 32,767 as negative ones


@dataclass(frozen=True, slots=True)
class Notation:
    """Define one way to write characters by their numbers.

    sign: substring that every text in this notation has. form: one number, for `str.format`. pattern: regex of one
    number in its group. base: of the digits. units: whether it writes UTF-16, where a surrogate pair is a character
    above U+FFFF. least: minimum numbers in succession, unless many stand between other characters. certain: whether the
    notation is unambiguous. Otherwise its outcome must be Chinese.
    """

    name: str
    sign: str
    form: str
    pattern: str
    base: int = 16
    units: bool = False
    least: int = 1
    certain: bool = True

    def write(self, text: str) -> str:
        """Return the text in this notation."""
        return "".join(map(self.form.format, _utf16_units(text) if self.units else map(ord, text)))


def _make_list(name: str, form: str, pattern: str, base: int) -> Notation:
    return Notation(name, "", form, pattern + _BETWEEN, base, least=_MIN_LISTED, certain=False)


NOTATIONS = (
    Notation("R", "<U+", "<U+{:04X}>", rf"<U\+{_HEX_4_TO_6}>"),
    Notation("Perl, Python names", "\\N{U+", "\\N{{U+{:04X}}}", rf"\\N\{{U\+{_HEX_4_TO_6}\}}"),
    Notation("Unicode", "U+", "U+{:04X} ", r"U\+([0-9A-Fa-f]{4,5})[ ,;]?"),
    Notation("RTF", "?", "\\u{}?", r"\\u(-?[0-9]{1,5})\?", base=10, units=True, least=2, certain=False),
    Notation("JSON, Java, C", "\\u", "\\u{:04x}", rf"\\u{_HEX_4}", units=True),
    Notation("ECMAScript, Rust", "\\u{", "\\u{{{:x}}}", rf"\\u\{{{_HEX}\}}"),
    Notation("Perl, PCRE", "\\x{", "\\x{{{:x}}}", rf"\\x\{{{_HEX}\}}"),
    Notation("Python, C", "\\U", "\\U{:08x}", r"\\U([0-9A-Fa-f]{8})"),
    Notation("escape of scripts", "%u", "%u{:04X}", rf"%u{_HEX_4}", units=True),
    Notation("CSS", "\\", "\\{:x} ", rf"\\{_HEX_4_TO_6}[ \t\n]?", least=2, certain=False),
    Notation("Visual Basic", "&H", "&H{:X}, ", rf"&H{_HEX_4_TO_6}&?{_BETWEEN}", least=2, certain=False),
    Notation(
        "functions of characters",
        "(",
        "chr({}) & ",
        r"(?i:chrw?|unichr|unichar|nchar)\(([0-9]{4,6})\)\s*(?:[&+.|,]+\s*)?",
        base=10,
        least=2,
        certain=False,
    ),
)
# Lists have no sign. Their digits reveal them (`obfuscation.LISTED`).
LISTS = (
    _make_list("list of 0x", "0x{:X},", f"0[xX]{_HEX_4_TO_6}", 16),
    _make_list("list of decimal numbers", "{},", r"(?<![0-9])([0-9]{4,6})(?![0-9])", 10),
    _make_list("list of hexadecimal numbers", "{:X} ", r"(?<![0-9A-Za-z])([0-9A-Fa-f]{4,5})(?![0-9A-Za-z])", 16),
)
_RUNS = {
    notation: (re.compile(f"(?:{notation.pattern}){{{notation.least},}}"), re.compile(notation.pattern))
    for notation in NOTATIONS + LISTS
}
# Browsers also accept numbers without a semicolon.
_REFERENCE = re.compile(
    r"&(?:amp;)*(?:[A-Za-z][A-Za-z0-9]{1,30};|#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|#[0-9]{5}(?![0-9;])|#[xX][0-9A-Fa-f]{4}(?![0-9A-Fa-f;]))"
)


def unescape_in_place(text: str) -> str:
    r"""Replace each escape by its character. Invisible characters pad it, so that no offset changes.

    >>> unescape_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    >>> unescape_in_place("%u4E2D") == "中" + "\u200b" * 5
    True
    """
    if "&" in text:
        text = _replace(_REFERENCE, _decode_reference, text)
    for notation in NOTATIONS:
        if notation.sign in text:
            text = _read_notation(text, notation)
            if notation.least > 1:
                text = _read_scattered(text, notation)
    return text


def read_lists(text: str) -> str:
    """Replace lists of numbers without a sign by their characters. No offset changes."""
    for notation in LISTS:
        text = _read_notation(text, notation)
    return text


def _decode_reference(reference: re.Match[str]) -> str:
    written = reference[0]
    once = written.replace("&amp;", "&", written.count("amp;") - (written == "&amp;" * written.count("amp;")))
    return pad_with_ignored(html.unescape(once) if "#" in once else html5.get(once[1:], written), written)


def _read_notation(text: str, notation: Notation) -> str:
    run, each = _RUNS[notation]
    return _replace(run, _reader(notation, each), text)


def _read_scattered(text: str, notation: Notation) -> str:
    """Replace single numbers between other characters, if there are many and their characters are Chinese."""
    _, each = _RUNS[notation]
    numbers = [number[0] for number in each.finditer(text)]
    if len(numbers) < _MIN_SCATTERED:
        return text
    if familiar_share("".join(_characters("".join(numbers), notation, each))) < _MIN_FAMILIAR:
        return text
    return _replace(each, lambda number: "".join(_characters(number[0], notation, each)), text)


def _replace(pattern: re.Pattern[str], read: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace each number by its character, and by nothing where a table has the character beside it."""
    readings = [(match, read(match)) for match in pattern.finditer(text)]
    if not readings:
        return text
    own = {match.start() for match, character in readings if _is_beside(match, character[0])}
    if len(own) < _MIN_OWN_CODES or 2 * len(own) < len(readings):
        own = set()
    pieces, end = [], 0
    for match, character in readings:
        pieces += [text[end : match.start()], pad_with_ignored("" if match.start() in own else character, match[0])]
        end = match.end()
    return "".join((*pieces, text[end:]))


def _is_beside(match: re.Match[str], character: str) -> bool:
    """Whether a character, not ASCII, stands close behind or before its number."""
    begin, end, text = match.start(), match.end(), match.string
    close = text[max(0, begin - _OWN_CODE_REACH) : begin] + text[end : end + _OWN_CODE_REACH]
    return not character.isascii() and character in close


def _reader(notation: Notation, each: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    def read_run(run: re.Match[str]) -> str:
        written = run[0]
        read = "".join(_characters(written, notation, each))
        read = _SURROGATE_PAIR.sub(_join_pair, read) if notation.units else read
        return read if notation.certain or familiar_share(read) >= _MIN_FAMILIAR else written

    return read_run


def _characters(written: str, notation: Notation, each: re.Pattern[str]) -> Iterator[str]:
    """Yield each number's character, padded to the length of the number."""
    for number in each.finditer(written):
        code = int(number[1], notation.base)
        code += _SIGNED_LIMIT if code < 0 else 0
        yield pad_with_ignored(chr(code), number[0]) if 0 <= code <= sys.maxunicode else number[0]


def _join_pair(pair: re.Match[str]) -> str:
    return pad_with_ignored((pair[1] + pair[3]).encode("utf-16", "surrogatepass").decode("utf-16"), pair[0])


def _utf16_units(text: str) -> Iterator[int]:
    values = text.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(values[offset : offset + 2]) for offset in range(0, len(values), 2))


BYTE_SIGNS = "%\\=+~"  # every text with escaped bytes has one of these
_HEX_BYTE = "[0-9A-Fa-f]{2}"
_SOFT_LINE_BREAK = r"(?:=\r?\n)?"  # of a line of quoted-printable
_MIN_BYTES = 6  # bytes, two characters
_BYTE_ESCAPES = tuple(
    map(
        re.compile, (f"%({_HEX_BYTE})", rf"\\x({_HEX_BYTE})", f"{_SOFT_LINE_BREAK}=({_HEX_BYTE})", r"\\([0-3][0-7]{2})")
    )
)
_BYTE_RUNS = tuple(re.compile(f"(?:{byte_escape.pattern}){{{_MIN_BYTES},}}") for byte_escape in _BYTE_ESCAPES)
# Two bytes in a row of each notation, as patterns that search at memory speed.
_BYTE_PAIRS = tuple(map(re.compile, (f"%{_HEX_BYTE}%", rf"\\x{_HEX_BYTE}\\x", f"={_HEX_BYTE}=", r"\\[0-3][0-7]{2}\\")))
_BARE_HEX = re.compile(rf"(?<![0-9A-Za-z]){_HEX_BYTE}(?:[ \n]?{_HEX_BYTE}){{23,}}(?![0-9A-Za-z])")
_BASE64 = re.compile(r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-](?:\r?\n?[0-9A-Za-z+/_-]){31,}={0,2}")
_BASE32 = re.compile(r"(?<![0-9A-Za-z])[A-Z2-7](?:\r?\n?[A-Z2-7]){39,}={0,6}")
_URL_SAFE = str.maketrans("-_", "+/")
_NOT_BASE64 = re.compile(r"[^0-9A-Za-z+/]")
_UTF7 = re.compile(r"\+([0-9A-Za-z+/]{5,})-?")
_HZ = re.compile(r"~\{((?:[!-}][!-~])+?)(?:~\}|$)", re.MULTILINE)
_HAN_OR_WIDE = re.compile("[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
_MIN_HAN_SHARE = 0.6  # share of Chinese in the outcome of bare digits or letters; otherwise they stay as they are
_MIN_FAMILIAR_BYTES = 0.3  # share of familiar bigrams in the outcome, for encodings that accept any bytes
_ENCODINGS = ("utf-8", "gb18030", "big5", "utf-16-be", "utf-16-le")
_MAX_LOST_BYTES = 3  # bytes of a truncated character
_COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")  # gzip, zlib
_ANY_WINDOW = zlib.MAX_WBITS | 32  # zlib's own number for either format
_MAX_UTF8_BYTES = 4  # bytes of a character
_BASE32_GROUP = 8  # letters, five bytes
_NO_BASE32_END = (1, 3, 6)  # letters of the last group that add no whole byte


def decode_escaped_bytes(text: str) -> str:
    r"""Decode escaped bytes. Invisible characters pad them, so that no offset changes.

    >>> decode_escaped_bytes("%E4%B8%AD%E6%96%87") == "中" + "\u200b" * 8 + "文" + "\u200b" * 8
    True
    """
    for sign, twice, run, escape in zip("%\\=\\", _BYTE_PAIRS, _BYTE_RUNS, _BYTE_ESCAPES, strict=True):
        if sign in text and twice.search(text):
            text = run.sub(partial(_decode_run, escape=escape), text)
    if "+" in text:
        text = _UTF7.sub(_decode_utf7, text)
    if "~{" in text:
        text = _HZ.sub(_decode_hz, text)
    return text


def decode_bare_bytes(text: str) -> str:
    """Decode hexadecimal digits, Base32 and Base64 without a mark. No offset changes."""
    text = _BARE_HEX.sub(lambda run: _decode_hexadecimal(run[0]), text)
    text = _BASE32.sub(lambda run: _decode_base32(run[0]), text)
    return _BASE64.sub(lambda run: _decode_base64(run[0]), text)


def _decode_run(run: re.Match[str], escape: re.Pattern[str]) -> str:
    written = run[0]
    escapes = list(escape.finditer(written))
    base = 8 if "0-7" in escape.pattern else 16
    values = bytes(int(match[1], base) for match in escapes)
    return _spell_in_place(written, values, [match.start() for match in escapes])


def _decode_hexadecimal(written: str) -> str:
    places = [place for place, char in enumerate(written) if not char.isspace()]
    values = bytes.fromhex("".join(written.split()))
    return _spell_in_place(written, values, places[::2], _MIN_HAN_SHARE)


def _decode_base32(written: str) -> str:
    places = [place for place, char in enumerate(written) if char.isalnum()]
    letters = "".join(written[place] for place in places)
    letters = letters[: len(letters) - (len(letters) % _BASE32_GROUP in _NO_BASE32_END)]
    values = base64.b32decode(letters + "=" * (-len(letters) % _BASE32_GROUP))
    return _spell_in_place(written, values, [places[place * 8 // 5] for place in range(len(values))], _MIN_HAN_SHARE)


def _decode_base64(written: str) -> str:
    plain = written.translate(_URL_SAFE)
    places = [place for place, char in enumerate(plain) if not _NOT_BASE64.match(char)]
    letters = _NOT_BASE64.sub("", plain)
    try:
        values = base64.b64decode(letters[: len(letters) // 4 * 4] + _padded_rest(letters))
    except binascii.Error:
        return written
    if values.startswith(_COMPRESSED):
        return _spread(written, _inflate(values, _MAX_UTF8_BYTES * len(written)))
    return _spell_in_place(written, values, [places[place * 4 // 3] for place in range(len(values))], _MIN_HAN_SHARE)


def _padded_rest(letters: str) -> str:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + "=" * (-len(rest) % 4) if len(rest) > 1 else ""


def _inflate(values: bytes, most: int) -> bytes:
    """Return at most `most` decompressed bytes, or b"" if the bytes were not compressed."""
    try:
        return zlib.decompressobj(_ANY_WINDOW).decompress(values, most)
    except zlib.error:
        return b""


def _spread(written: str, values: bytes) -> str:
    """Decode compressed bytes. Spread the characters evenly, because none has a position of its own."""
    read = values.decode("utf-8", "ignore")[: len(written)]
    if familiar_share(read) < _MIN_FAMILIAR_BYTES:
        return written
    spelled = list(pad_with_ignored("", written))
    for number, char in enumerate(read):
        spelled[number * len(written) // len(read)] = char
    return "".join(spelled)


def _decode_utf7(run: re.Match[str]) -> str:
    """Decode UTF-16 in Base64 without padding: each 16 bits are 8 / 3 letters."""
    written, letters = run[0], run[1]
    values = base64.b64decode(letters + "A" * (-len(letters) % 4))
    units = len(letters) * 6 // 16
    read = values[: 2 * units].decode("utf-16-be", "replace")
    if familiar_share(read) < _MIN_FAMILIAR_BYTES or len(read) > units:
        return written
    spelled = list(pad_with_ignored("", written))
    for number, char in enumerate(read):
        spelled[1 + number * 8 // 3] = char
    return "".join(spelled)


def _decode_hz(run: re.Match[str]) -> str:
    """Decode two letters for each character of GB 2312, behind ~{."""
    written, letters = run[0], run[1]
    try:
        read = bytes(ord(letter) | 0x80 for letter in letters).decode("gb2312")
    except UnicodeDecodeError:
        return written
    spelled = list(pad_with_ignored("", written))
    for number, char in enumerate(read):
        spelled[2 + 2 * number] = char
    return "".join(spelled)


def _spell_in_place(written: str, values: bytes, places: list[int], mostly: float = 0.0) -> str:
    """Decode bytes, each character at the position of its first byte. Return the input if they spell nothing."""
    encoding = _encoding_of(values, mostly)
    if not encoding:
        return written
    read = values.decode(encoding, "ignore")
    spelled = list(pad_with_ignored("", written))
    for char, place in zip(read, _byte_offsets(read, encoding), strict=True):
        spelled[places[place]] = char
    return "".join(spelled)


def _encoding_of(values: bytes, mostly: float) -> str:
    """Return the likeliest encoding of the bytes, or "" if they are not Chinese. Only UTF-8 has a form of its own."""
    possible = []
    for encoding in _ENCODINGS:
        read = values.decode(encoding, "ignore")
        whole = len(read.encode(encoding)) >= len(values) - _MAX_LOST_BYTES
        if whole and len(_HAN_OR_WIDE.findall(read)) > mostly * len(read):
            if encoding == "utf-8":
                return encoding
            possible.append((familiar_share(read), encoding))
    share, encoding = max(possible, key=lambda each: each[0], default=(0.0, ""))
    if share < _MIN_FAMILIAR_BYTES:
        return "gb18030" if not mostly and any(each == "gb18030" for _, each in possible) else ""
    return encoding


def _byte_offsets(read: str, encoding: str) -> Iterator[int]:
    """Yield the offset of each character's first byte."""
    return accumulate((len(char.encode(encoding)) for char in read[:-1]), initial=0) if read else iter(())
