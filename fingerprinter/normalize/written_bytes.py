r"""Text whose bytes are written out, each in a few characters, and read again in place.

%E4%B8%AD \xe4\xb8\xad \344\270\255 =E4=B8=AD (RFC 2045's quoted-printable), e4b8ad, and Base64 (RFC 4648), of UTF-8 or
GB 18030.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from functools import partial
from itertools import accumulate

from fingerprinter.normalize.invisible import filled

SIGNS = "%\\="  # no text has escaped bytes without one of these
_HEX = "[0-9A-Fa-f]{2}"
_ENDS = r"(?:=\r?\n)?"  # of a line of quoted-printable
_LEAST = 6  # bytes, two characters
_ESCAPES = tuple(map(re.compile, (f"%({_HEX})", rf"\\x({_HEX})", f"{_ENDS}=({_HEX})", r"\\([0-3][0-7]{2})")))
_RUNS = tuple(re.compile(f"(?:{one.pattern}){{{_LEAST},}}") for one in _ESCAPES)
# What each of them has twice, so written that it is searched for at memory speed.
_TWICE = tuple(map(re.compile, (f"%{_HEX}%", rf"\\x{_HEX}\\x", f"={_HEX}=", r"\\[0-3][0-7]{2}\\")))
_BARE_HEX = re.compile(rf"(?<![0-9A-Za-z]){_HEX}(?:[ \n]?{_HEX}){{23,}}(?![0-9A-Za-z])")
_BASE64 = re.compile(r"(?<![0-9A-Za-z+/])[0-9A-Za-z+/](?:\r?\n?[0-9A-Za-z+/]){31,}={0,2}")
_OTHER = re.compile(r"[^0-9A-Za-z+/]")
_HAN = re.compile("[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
_MOSTLY = 0.6  # of what bare digits or letters are read as is Chinese; else they are what they are


def escaped_bytes_in_place(text: str) -> str:
    r"""The text with what its escaped bytes spell, and invisible characters so that no offset changes.

    >>> escaped_bytes_in_place("%E4%B8%AD%E6%96%87") == "中" + "\u200b" * 8 + "文" + "\u200b" * 8
    True
    """
    if "%" not in text and "\\" not in text and "=" not in text:
        return text
    for sign, twice, run, escape in zip("%\\=\\", _TWICE, _RUNS, _ESCAPES, strict=True):
        if sign in text and twice.search(text):
            text = run.sub(partial(_escaped, escape=escape), text)
    return text


def bare_bytes_in_place(text: str) -> str:
    """The same for what is written in hexadecimal digits or Base64 without a mark."""
    text = _BARE_HEX.sub(lambda found: _hexadecimal(found[0]), text)
    return _BASE64.sub(lambda found: _base64(found[0]), text)


def _escaped(run: re.Match[str], escape: re.Pattern[str]) -> str:
    written = run[0]
    found = list(escape.finditer(written))
    base = 8 if "0-7" in escape.pattern else 16
    values = bytes(int(one[1], base) for one in found)
    return _in_place(written, values, [one.start() for one in found])


def _hexadecimal(written: str) -> str:
    places = [at for at, char in enumerate(written) if not char.isspace()]
    values = bytes.fromhex("".join(written.split()))
    return _in_place(written, values, places[::2], _MOSTLY)


def _base64(written: str) -> str:
    places = [at for at, char in enumerate(written) if not _OTHER.match(char)]
    letters = _OTHER.sub("", written)
    try:
        values = base64.b64decode(letters[: len(letters) // 4 * 4] + _rest(letters))
    except binascii.Error:
        return written
    return _in_place(written, values, [places[at * 4 // 3] for at in range(len(values))], _MOSTLY)


def _rest(letters: str) -> str:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + "=" * (-len(rest) % 4) if len(rest) > 1 else ""


def _in_place(written: str, values: bytes, places: list[int], mostly: float = 0.0) -> str:
    """What the bytes spell, each character where its first byte stands; as it was written where they spell nothing."""
    for encoding in ("utf-8", "gb18030"):
        read = values.decode(encoding, "ignore")
        if len(read.encode(encoding)) >= len(values) - 3 and len(_HAN.findall(read)) > mostly * len(read):
            break
    else:
        return written
    spelled = list(filled("", written))
    for char, at in zip(read, _starts(read, encoding), strict=True):
        spelled[places[at]] = char
    return "".join(spelled)


def _starts(read: str, encoding: str) -> Iterator[int]:
    """Where each character's first byte stands."""
    return accumulate((len(char.encode(encoding)) for char in read[:-1]), initial=0) if read else iter(())
