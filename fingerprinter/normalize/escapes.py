"""Decode characters in place that were escaped, marked up, or read in the wrong encoding."""

import base64
import binascii
import html
import re
import sys
from collections.abc import Iterator
from functools import partial
from html.entities import html5
from itertools import accumulate

from fingerprinter.alphabet import pad_with_ignored

# What was escaped once too often, or on purpose, read in place.
#
# Such are &nbsp; &#20013; &amp;#20013; \u4e2d %u4E2D U+4E2D.


ENTITY_SIGNS = "&\\%+"  # no text has any of it without one of these
# Browsers take numbers without a semicolon, too.
_REFERENCE = re.compile(
    r"&(?:amp;)*(?:[A-Za-z][A-Za-z0-9]{1,30};|#[0-9]{1,7};|#[xX][0-9A-Fa-f]{1,6};|#[0-9]{5}(?![0-9;])|#[xX][0-9A-Fa-f]{4}(?![0-9A-Fa-f;]))"
)
_UNICODE_ESCAPE = re.compile(r"\\u(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,6})\})")
_PERCENT_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
_CODE_POINT_NAME = re.compile(r"U\+([0-9A-Fa-f]{4,5})[ ,;]?")


def unescape_in_place(text: str) -> str:
    r"""The text with each escape replaced by its character and as many invisible ones, so that no offset changes.

    >>> unescape_in_place("云&nbsp;&#20013;") == "云\xa0" + "\u200b" * 5 + "中" + "\u200b" * 7
    True
    >>> unescape_in_place("%u4E2D") == "中" + "\u200b" * 5
    True
    """
    if "&" in text:
        text = _REFERENCE.sub(_decode_reference, text)
    if "\\" in text:
        text = _UNICODE_ESCAPE.sub(_decode_escape, text)
    if "%" in text:
        text = _PERCENT_ESCAPE.sub(_decode_escape, text)
    if "+" in text:
        text = _CODE_POINT_NAME.sub(_decode_escape, text)
    return text


def _decode_reference(reference: re.Match[str]) -> str:
    written = reference[0]
    once = written.replace("&amp;", "&", written.count("amp;") - (written == "&amp;" * written.count("amp;")))
    return pad_with_ignored(html.unescape(once) if "#" in once else html5.get(once[1:], written), written)


def _decode_escape(escape: re.Match[str]) -> str:
    code = int(next(filter(None, escape.groups())), 16)
    return pad_with_ignored(chr(code), escape[0]) if code <= sys.maxunicode else escape[0]


# Tags that stand in a text as they are written, <b>云</b> or [b]云[/b]: what they mark is read, they are not.
#
# Among Han characters only; a lesson on HTML keeps those that it shows.


TAG_SIGNS = "<["  # no text has tags without one of these
_IGNORED = pad_with_ignored("", " ")
_TAG_NAME = r"(?!r[tubp])[A-Za-z][A-Za-z0-9]{0,15}"  # but for <ruby>, whose readings are no part of the text
_TAG = rf"<{_IGNORED}*[/!]?{_TAG_NAME}(?:\s[^<>=]{{0,40}}=[^<>]{{0,300}}|[\s/]*)>"
_BB_NAMES = "b|i|u|s|url|img|color|size|font|quote|code|center|align|indent|list|table|tr|td|backcolor|p|hr|hide|attach"
_BB_TAG = rf"\[/?(?:{_BB_NAMES})(?:=[^\[\]\n]{{0,200}})?\]"
_TAGS = re.compile(f"{_TAG}|{_BB_TAG}", re.IGNORECASE)
_ANY_TAG = re.compile(rf"<{_IGNORED}*[/!]?[A-Za-z]")
_LAST_LATIN = "\u024f"
_BLANKS = f" \t\n\r\u3000{_IGNORED}"


def blank_tags(text: str) -> str:
    r"""The text with each tag beside other script replaced by invisible characters, so that no offset changes.

    >>> blank_tags("<b>云</b>") == "\u200b" * 3 + "云" + "\u200b" * 4
    True
    """
    if ("[" in text and "[/" in text) or ("<" in text and _ANY_TAG.search(text)):
        blanked = list(text)
        for begin, end in _tag_runs(text):
            if max(text[max(0, begin - 1) : begin] + text[end : end + 1], default="") > _LAST_LATIN:
                blanked[begin:end] = [char if char == "\n" else _IGNORED for char in text[begin:end]]
        text = "".join(blanked)
    return text


def _tag_runs(text: str) -> list[tuple[int, int]]:
    """Where tags stand, those together that have but spaces between."""
    runs: list[tuple[int, int]] = []
    for tag in _TAGS.finditer(text):
        if runs and not text[runs[-1][1] : tag.start()].strip(_BLANKS):
            runs[-1] = runs[-1][0], tag.end()
        else:
            runs.append(tag.span())
    return runs


# Text whose bytes are written out, each in a few characters, and read again in place.
#
# %E4%B8%AD \xe4\xb8\xad \344\270\255 =E4=B8=AD (RFC 2045's quoted-printable), e4b8ad, and Base64 (RFC 4648), of UTF-8
# or GB 18030.


BYTE_SIGNS = "%\\="  # no text has escaped bytes without one of these
_HEX = "[0-9A-Fa-f]{2}"
_SOFT_LINE_BREAK = r"(?:=\r?\n)?"  # of a line of quoted-printable
_MIN_BYTES = 6  # bytes, two characters
_BYTE_ESCAPES = tuple(
    map(re.compile, (f"%({_HEX})", rf"\\x({_HEX})", f"{_SOFT_LINE_BREAK}=({_HEX})", r"\\([0-3][0-7]{2})"))
)
_BYTE_RUNS = tuple(re.compile(f"(?:{byte_escape.pattern}){{{_MIN_BYTES},}}") for byte_escape in _BYTE_ESCAPES)
# What each of them has twice, so written that it is searched for at memory speed.
_BYTE_PAIRS = tuple(map(re.compile, (f"%{_HEX}%", rf"\\x{_HEX}\\x", f"={_HEX}=", r"\\[0-3][0-7]{2}\\")))
_BARE_HEX = re.compile(rf"(?<![0-9A-Za-z]){_HEX}(?:[ \n]?{_HEX}){{23,}}(?![0-9A-Za-z])")
_BASE64 = re.compile(r"(?<![0-9A-Za-z+/])[0-9A-Za-z+/](?:\r?\n?[0-9A-Za-z+/]){31,}={0,2}")
_NOT_BASE64 = re.compile(r"[^0-9A-Za-z+/]")
_HAN_OR_WIDE = re.compile("[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
_MIN_HAN_SHARE = 0.6  # of what bare digits or letters are read as is Chinese; else they are what they are


def decode_escaped_bytes(text: str) -> str:
    r"""The text with what its escaped bytes spell, and invisible characters so that no offset changes.

    >>> decode_escaped_bytes("%E4%B8%AD%E6%96%87") == "中" + "\u200b" * 8 + "文" + "\u200b" * 8
    True
    """
    if "%" not in text and "\\" not in text and "=" not in text:
        return text
    for sign, twice, run, escape in zip("%\\=\\", _BYTE_PAIRS, _BYTE_RUNS, _BYTE_ESCAPES, strict=True):
        if sign in text and twice.search(text):
            text = run.sub(partial(_decode_run, escape=escape), text)
    return text


def decode_bare_bytes(text: str) -> str:
    """The same for what is written in hexadecimal digits or Base64 without a mark."""
    text = _BARE_HEX.sub(lambda found: _decode_hexadecimal(found[0]), text)
    return _BASE64.sub(lambda found: _decode_base64(found[0]), text)


def _decode_run(run: re.Match[str], escape: re.Pattern[str]) -> str:
    written = run[0]
    found = list(escape.finditer(written))
    base = 8 if "0-7" in escape.pattern else 16
    values = bytes(int(one[1], base) for one in found)
    return _spell_in_place(written, values, [one.start() for one in found])


def _decode_hexadecimal(written: str) -> str:
    places = [at for at, char in enumerate(written) if not char.isspace()]
    values = bytes.fromhex("".join(written.split()))
    return _spell_in_place(written, values, places[::2], _MIN_HAN_SHARE)


def _decode_base64(written: str) -> str:
    places = [at for at, char in enumerate(written) if not _NOT_BASE64.match(char)]
    letters = _NOT_BASE64.sub("", written)
    try:
        values = base64.b64decode(letters[: len(letters) // 4 * 4] + _padded_rest(letters))
    except binascii.Error:
        return written
    return _spell_in_place(written, values, [places[at * 4 // 3] for at in range(len(values))], _MIN_HAN_SHARE)


def _padded_rest(letters: str) -> str:
    rest = letters[len(letters) // 4 * 4 :]
    return rest + "=" * (-len(rest) % 4) if len(rest) > 1 else ""


def _spell_in_place(written: str, values: bytes, places: list[int], mostly: float = 0.0) -> str:
    """What the bytes spell, each character where its first byte stands; as it was written where they spell nothing."""
    for encoding in ("utf-8", "gb18030"):
        read = values.decode(encoding, "ignore")
        if len(read.encode(encoding)) >= len(values) - 3 and len(_HAN_OR_WIDE.findall(read)) > mostly * len(read):
            break
    else:
        return written
    spelled = list(pad_with_ignored("", written))
    for char, at in zip(read, _byte_offsets(read, encoding), strict=True):
        spelled[places[at]] = char
    return "".join(spelled)


def _byte_offsets(read: str, encoding: str) -> Iterator[int]:
    """Where each character's first byte stands."""
    return accumulate((len(char.encode(encoding)) for char in read[:-1]), initial=0) if read else iter(())


# Text whose bytes were read in an encoding that they were not written in, read again in place.
#
# Such are UTF-8 read as Latin-1 or Windows-1252 (æ–‡ for 文) or as GBK (锛屼粬 for ，他), and GBK read as Latin-1 or
# Windows-1252 (µÄ for 的). Whole databases of web pages were once copied that way.


# The characters that Windows-1252 has for the bytes 80..9F; Latin-1 has controls there.
_WINDOWS_1252 = {
    char: byte
    for byte in range(0x80, 0xA0)
    if (char := bytes([byte]).decode("cp1252", "replace")) != "\N{REPLACEMENT CHARACTER}"
}
MISREAD_SIGNS = "äæ£¡µ锛銆鐨"  # no text is misread without one of these, as `fix_encoding` says
_UTF8_LEADS = "âãäåæçèéêëìîï"
_WESTERN_CHARACTERS = f"\x80-\xff{''.join(_WINDOWS_1252)}"
_UTF8_AS_WESTERN = re.compile(f"[{_UTF8_LEADS}][\x80-\xbf{''.join(_WINDOWS_1252)}]{{2}}")
# No language of Latin script writes four such letters in a row: two characters of GBK.
_GBK_AS_WESTERN = re.compile(f"[{_WESTERN_CHARACTERS}]{{4,}}")
_COMMON_MISREAD_GBK = ("£¬", "¡£", "µÄ")  # ，。的: no sentence is without all
_GBK_PAIR = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")

_UTF8_AS_GBK = re.compile(r"[^\x00-\x7f]{3,}")
# The first two bytes of ，！？ and of 。、「 and of 的; rare where they are meant, and never two together.
_COMMON_MISREAD_UTF8 = "锛銆鐨"
_MISREAD_UTF8_PAIR = re.compile(f"[{_COMMON_MISREAD_UTF8}][^{_COMMON_MISREAD_UTF8}]{{0,90}}[{_COMMON_MISREAD_UTF8}]")
# Chinese characters or punctuation, three in a row; of two the bytes of other text may have the form.
# Without surrogates, which no UTF-8 holds: every three bytes are one character.
_UTF8_RUN = re.compile(rb"(?:(?:[\xe2-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]){3,}")
_UTF8_WIDTH = 3
_LOST_BYTE = b"\xff"  # a byte that the wrong encoding did not have: no byte of UTF-8


def fix_encoding(text: str) -> str:
    r"""The text with what was misread as it was meant, and invisible characters so that no offset changes.

    >>> fix_encoding("ä¸\xad £¬Ëû") == "中\u200b\u200b ，\u200b他\u200b"
    True
    >>> fix_encoding("锛屼粬锛屼粬") == "，他\u200b，他\u200b"
    True
    """
    # Each asked for by itself: every text comes here, and a loop takes twice as long. The first two are what 不 有 and
    # 是 文 begin with: no passage is without both.
    if "ä" in text or "æ" in text:
        text = _UTF8_AS_WESTERN.sub(_fix_utf8_as_western, text)
    if "£" in text or "¡" in text or "µ" in text:
        text = _GBK_AS_WESTERN.sub(_fix_gbk_as_western, text)
    if ("锛" in text or "銆" in text or "鐨" in text) and _MISREAD_UTF8_PAIR.search(text):
        text = _UTF8_AS_GBK.sub(_fix_utf8_as_gbk, text)
    return text


def _fix_utf8_as_western(misread: re.Match[str]) -> str:
    return pad_with_ignored(_western_bytes(misread[0]).decode("utf-8", "replace"), misread[0])


def _fix_gbk_as_western(misread: re.Match[str]) -> str:
    """One character for each two; a byte without another one stays what it is."""
    if not any(usual in misread[0] for usual in _COMMON_MISREAD_GBK):
        return misread[0]
    read = list(misread[0])
    for pair in _GBK_PAIR.finditer(_western_bytes(misread[0])):
        read[pair.start() : pair.end()] = pad_with_ignored(pair[0].decode("gb18030"), "  ")
    return "".join(read)


def _fix_utf8_as_gbk(misread: re.Match[str]) -> str:
    """Two characters for each three, wherever the bytes are UTF-8."""
    written = [
        _LOST_BYTE if char == "\N{REPLACEMENT CHARACTER}" else char.encode("gb18030", "replace") for char in misread[0]
    ]
    places = [place for place, one in enumerate(written) for _ in one]
    read = list(misread[0])
    for run in _UTF8_RUN.finditer(b"".join(written)):
        for place in range(places[run.start()], places[run.end() - 1] + 1):
            read[place] = pad_with_ignored("", " ")
        for number, char in enumerate(run[0].decode("utf-8")):
            read[places[run.start() + _UTF8_WIDTH * number]] = char
    return "".join(read)


def _western_bytes(chars: str) -> bytes:
    return bytes(_WINDOWS_1252.get(char, ord(char)) for char in chars)
