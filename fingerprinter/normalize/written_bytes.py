r"""Decode text in place whose bytes are written out.

Formats: %E4%B8%AD \xe4\xb8\xad \344\270\255 =E4=B8=AD (RFC 2045's quoted-printable), e4b8ad, Base64 and Base32 (RFC
4648), also of compressed bytes, UTF-7 (RFC 2152) and HZ (RFC 1843).
"""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import accumulate

from fingerprinter.alphabet import pad_with_ignored
from fingerprinter.normalize.character_statistics import familiar_share

BYTE_SIGNS = "%\\=+~"  # every text with escaped bytes has one of these
_HEX = "[0-9A-Fa-f]{2}"
_SOFT_LINE_BREAK = r"(?:=\r?\n)?"  # of a line of quoted-printable
_MIN_BYTES = 6  # bytes, two characters
_BYTE_ESCAPES = tuple(
    map(re.compile, (f"%({_HEX})", rf"\\x({_HEX})", f"{_SOFT_LINE_BREAK}=({_HEX})", r"\\([0-3][0-7]{2})"))
)
_BYTE_RUNS = tuple(re.compile(f"(?:{byte_escape.pattern}){{{_MIN_BYTES},}}") for byte_escape in _BYTE_ESCAPES)
# Two bytes in a row of each notation, as patterns that search at memory speed.
_BYTE_PAIRS = tuple(map(re.compile, (f"%{_HEX}%", rf"\\x{_HEX}\\x", f"={_HEX}=", r"\\[0-3][0-7]{2}\\")))
_BARE_HEX = re.compile(rf"(?<![0-9A-Za-z]){_HEX}(?:[ \n]?{_HEX}){{23,}}(?![0-9A-Za-z])")
_BASE64 = re.compile(r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-](?:\r?\n?[0-9A-Za-z+/_-]){31,}={0,2}")
_BASE32 = re.compile(r"(?<![0-9A-Za-z])[A-Z2-7](?:\r?\n?[A-Z2-7]){39,}={0,6}")
_URL_SAFE = str.maketrans("-_", "+/")
_NOT_BASE64 = re.compile(r"[^0-9A-Za-z+/]")
_UTF7 = re.compile(r"\+([0-9A-Za-z+/]{5,})-?")
_HZ = re.compile(r"~\{((?:[!-}][!-~])+?)(?:~\}|$)", re.MULTILINE)
_HAN_OR_WIDE = re.compile("[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
_MIN_HAN_SHARE = 0.6  # share of Chinese in the outcome of bare digits or letters; otherwise they stay as they are
_MIN_FAMILIAR = 0.3  # share of familiar bigrams in the outcome, for encodings that accept any bytes
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
    if familiar_share(read) < _MIN_FAMILIAR:
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
    if familiar_share(read) < _MIN_FAMILIAR or len(read) > units:
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
    if share < _MIN_FAMILIAR:
        return "gb18030" if not mostly and any(each == "gb18030" for _, each in possible) else ""
    return encoding


def _byte_offsets(read: str, encoding: str) -> Iterator[int]:
    """Yield the offset of each character's first byte."""
    return accumulate((len(char.encode(encoding)) for char in read[:-1]), initial=0) if read else iter(())
