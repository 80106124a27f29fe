"""Text whose bytes were read in an encoding that they were not written in, read again in place.

Such are UTF-8 read as Latin-1 or Windows-1252 (æ–‡ for 文) or as GBK (锛屼粬 for ，他), and GBK read as Latin-1 or
Windows-1252 (µÄ for 的). Whole databases of web pages were once copied that way.
"""

import re

from fingerprinter.normalize.invisible import filled

# The characters that Windows-1252 has for the bytes 80..9F; Latin-1 has controls there.
_WINDOWS = {
    char: byte
    for byte in range(0x80, 0xA0)
    if (char := bytes([byte]).decode("cp1252", "replace")) != "\N{REPLACEMENT CHARACTER}"
}
SIGNS = "äæ£¡µ锛銆鐨"  # no text is misread without one of these, as `reread_in_place` says
_LEADS = "âãäåæçèéêëìîï"
_WESTERN = f"\x80-\xff{''.join(_WINDOWS)}"
_UTF8_AS_WESTERN = re.compile(f"[{_LEADS}][\x80-\xbf{''.join(_WINDOWS)}]{{2}}")
# No language of Latin script writes four such letters in a row: two characters of GBK.
_GBK_AS_WESTERN = re.compile(f"[{_WESTERN}]{{4,}}")
_OF_GBK = ("£¬", "¡£", "µÄ")  # ，。的: no sentence is without all
_GBK_PAIR = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")

_UTF8_AS_GBK = re.compile(r"[^\x00-\x7f]{3,}")
# The first two bytes of ，！？ and of 。、「 and of 的; rare where they are meant, and never two together.
_OF_UTF8 = "锛銆鐨"
_TWO_OF_UTF8 = re.compile(f"[{_OF_UTF8}][^{_OF_UTF8}]{{0,90}}[{_OF_UTF8}]")
# Chinese characters or punctuation, three in a row; of two the bytes of other text may have the form.
# Without surrogates, which no UTF-8 holds: every three bytes are one character.
_UTF8_RUN = re.compile(rb"(?:(?:[\xe2-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]){3,}")
_UTF8_WIDTH = 3
_LOST = b"\xff"  # a byte that the wrong encoding did not have: no byte of UTF-8


def reread_in_place(text: str) -> str:
    r"""The text with what was misread as it was meant, and invisible characters so that no offset changes.

    >>> reread_in_place("ä¸\xad £¬Ëû") == "中\u200b\u200b ，\u200b他\u200b"
    True
    >>> reread_in_place("锛屼粬锛屼粬") == "，他\u200b，他\u200b"
    True
    """
    # Each asked for by itself: every text comes here, and a loop takes twice as long. The first two are what 不 有 and
    # 是 文 begin with: no passage is without both.
    if "ä" in text or "æ" in text:
        text = _UTF8_AS_WESTERN.sub(_utf8_as_western, text)
    if "£" in text or "¡" in text or "µ" in text:
        text = _GBK_AS_WESTERN.sub(_gbk_as_western, text)
    if ("锛" in text or "銆" in text or "鐨" in text) and _TWO_OF_UTF8.search(text):
        text = _UTF8_AS_GBK.sub(_utf8_as_gbk, text)
    return text


def _utf8_as_western(misread: re.Match[str]) -> str:
    return filled(_western_bytes(misread[0]).decode("utf-8", "replace"), misread[0])


def _gbk_as_western(misread: re.Match[str]) -> str:
    """One character for each two; a byte without another one stays what it is."""
    if not any(usual in misread[0] for usual in _OF_GBK):
        return misread[0]
    read = list(misread[0])
    for pair in _GBK_PAIR.finditer(_western_bytes(misread[0])):
        read[pair.start() : pair.end()] = filled(pair[0].decode("gb18030"), "  ")
    return "".join(read)


def _utf8_as_gbk(misread: re.Match[str]) -> str:
    """Two characters for each three, wherever the bytes are UTF-8."""
    written = [
        _LOST if char == "\N{REPLACEMENT CHARACTER}" else char.encode("gb18030", "replace") for char in misread[0]
    ]
    places = [place for place, one in enumerate(written) for _ in one]
    read = list(misread[0])
    for run in _UTF8_RUN.finditer(b"".join(written)):
        for place in range(places[run.start()], places[run.end() - 1] + 1):
            read[place] = filled("", " ")
        for number, char in enumerate(run[0].decode("utf-8")):
            read[places[run.start() + _UTF8_WIDTH * number]] = char
    return "".join(read)


def _western_bytes(chars: str) -> bytes:
    return bytes(_WINDOWS.get(char, ord(char)) for char in chars)
