"""Decode mojibake in place: characters that were read in the wrong encoding."""

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from fingerprinter.alphabet import IGNORED_POINT, LAST_ASCII, pad_with_ignored
from fingerprinter.normalize.character_statistics import LOST_POINT, familiar_share, familiar_shares

# One layer of mojibake: text whose bytes were decoded in the wrong encoding is decoded again in place.
#
# Cases: UTF-8 read as Latin-1 or Windows-1252 (æ–‡ for 文) or as GBK (锛屼粬 for ，他), and GBK read as Latin-1 or
# Windows-1252 (µÄ for 的). Whole databases of web pages were once copied that way.


# The characters of Windows-1252 for the bytes 80..9F. Latin-1 has control characters there.
_WINDOWS_1252 = {
    char: byte
    for byte in range(0x80, 0xA0)
    if (char := bytes([byte]).decode("cp1252", "replace")) != "\N{REPLACEMENT CHARACTER}"
}
MISREAD_SIGNS = "äæ£¡µÿ锛銆鐨"  # `fix_encoding` relies on it: every misread text has one of these
_UTF8_LEADS = "âãäåæçèéêëìîï"
_WESTERN_CHARACTERS = f"\x80-\xff{''.join(_WINDOWS_1252)}"
_UTF8_AS_WESTERN = re.compile(f"[{_UTF8_LEADS}][\x80-\xbf{''.join(_WINDOWS_1252)}]{{2}}")
# No language in Latin script writes four such letters in a row. They are two characters of GBK.
_GBK_AS_WESTERN = re.compile(f"[{_WESTERN_CHARACTERS}]{{4,}}")
_COMMON_MISREAD_GBK = ("£¬", "¡£", "µÄ")  # ，。的: every sentence has one of them
_GBK_PAIR = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")

_UTF8_AS_GBK = re.compile(r"[^\x00-\x7f]{3,}")
# The first two bytes of ，！？ and of 。、「 and of 的. As real characters they are rare, and never two together.
_COMMON_MISREAD_UTF8 = "锛銆鐨"
_MISREAD_UTF8_PAIR = re.compile(f"[{_COMMON_MISREAD_UTF8}][^{_COMMON_MISREAD_UTF8}]{{0,90}}[{_COMMON_MISREAD_UTF8}]")
# Three Chinese characters or punctuation marks in a row: the bytes of other text may look like two. Surrogates are
# excluded because UTF-8 holds none, so every three bytes are one character.
_UTF8_RUN = re.compile(rb"(?:(?:[\xe2-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]){3,}")
_UTF8_WIDTH = 3
_LOST_BYTE = b"\xff"  # a byte missing from the wrong encoding; no byte of UTF-8


def fix_encoding(text: str) -> str:
    r"""Decode misread parts of a text. Invisible characters pad them, so that no offset changes.

    >>> fix_encoding("ä¸\xad £¬Ëû") == "中\u200b\u200b ，\u200b他\u200b"
    True
    >>> fix_encoding("锛屼粬锛屼粬") == "，他\u200b，他\u200b"
    True
    """
    # Separate tests, because every text passes here and a loop takes twice as long. The first two characters begin 不
    # 有 and 是 文: every passage has one of them.
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
    """Return one character for each two. An unpaired byte stays as it is."""
    if not any(usual in misread[0] for usual in _COMMON_MISREAD_GBK):
        return misread[0]
    read = list(misread[0])
    for pair in _GBK_PAIR.finditer(_western_bytes(misread[0])):
        read[pair.start() : pair.end()] = pad_with_ignored(pair[0].decode("gb18030"), "  ")
    return "".join(read)


def _fix_utf8_as_gbk(misread: re.Match[str]) -> str:
    """Return two characters for each three, wherever the bytes are UTF-8."""
    written = [
        _LOST_BYTE if char == "\N{REPLACEMENT CHARACTER}" else char.encode("gb18030", "replace") for char in misread[0]
    ]
    places = [place for place, unit in enumerate(written) for _ in unit]
    read = list(misread[0])
    for run in _UTF8_RUN.finditer(b"".join(written)):
        for place in range(places[run.start()], places[run.end() - 1] + 1):
            read[place] = pad_with_ignored("", " ")
        for number, char in enumerate(run[0].decode("utf-8")):
            read[places[run.start() + _UTF8_WIDTH * number]] = char
    return "".join(read)


def _western_bytes(chars: str) -> bytes:
    return bytes(_WINDOWS_1252.get(char, ord(char)) for char in chars)


# Other and layered mojibake: Big5 read as GBK, UTF-8 read as Windows-1252 twice.
#
# A known misreading can be reversed. So each reversal is tried on a sample of the text, up to three layers deep. One is
# applied if its outcome consists of familiar bigrams where the text did not. Only UTF-8 is tried beneath another layer,
# because pages are stored in it.


_WESTERN = "western"  # Windows-1252, and Latin-1 for its unassigned bytes
_READ_AS = (_WESTERN, "gb18030", "big5hkscs", "cp932", "koi8-r")
_MEANT_AS = ("utf-8", "gb18030", "big5hkscs", "cp932")
_MEANT_IN_PAIRS = ("utf-16-le", "utf-16-be")  # read as Western: every byte is a character, and no line end is valid
_MAX_LAYERS = 3
_MAX_WAYS = 2  # reversals that are followed further: those with the fewest losses
_KNOWN_SAMPLES = 4_096  # samples whose reversal is remembered: works and pages are read again and again
_SAMPLE_CHARACTERS = 240  # sample on which reversals are tried ...
_MIN_SAMPLE_CHARACTERS = 24
_MAX_LOST_SHARE = 0.35  # ... and the share of its characters that one may lose
_MAX_UNFAMILIAR_SHARE, _MIN_FAMILIAR_SHARE = 0.25, 0.4  # of bigrams of the text, and of the outcome
_LAST_BYTE = 0xFF
_LATIN, _HAN = re.compile("[A-Za-z]"), re.compile("[\u3400-\u9fff]")
_LOST_HALF = b"\xb0"  # first or second half of a character in GBK, Big5 and Shift-JIS


class _Layer(NamedTuple):
    """Describe one misreading: the encoding in which the text was written, and the one in which it was read."""

    meant: str
    read: str


_LAYERS = tuple(_Layer(meant, read) for read in _READ_AS for meant in _MEANT_AS if meant != read)


def unwind_misreading(text: str) -> str:
    """Decode the lines that read better after a reversal. No offset changes."""
    lines = text.split("\n")
    if "ÿ" in text:  # the comma of UTF-16 has this byte
        lines = [_unwind_pairs(line) if "ÿ" in line else line for line in lines]
    suspect = [
        not line.isascii() and share <= _MAX_UNFAMILIAR_SHARE
        for line, share in zip(lines, familiar_shares(lines), strict=True)
    ]
    foreign = "\n".join(compress(lines, suspect))
    layers = _find_layers(foreign[:_SAMPLE_CHARACTERS]) if len(foreign) >= _MIN_SAMPLE_CHARACTERS else ()
    if not layers:
        return "\n".join(lines)
    return "\n".join(
        _unwind_line(line, layers) if may_be_misread else line
        for line, may_be_misread in zip(lines, suspect, strict=True)
    )


def _unwind_pairs(line: str) -> str:
    """Decode a line of UTF-16. A byte of its first character may be at the end of the line before."""
    for meant in _MEANT_IN_PAIRS:
        for begin in range(2):
            read = _unwind_layer(line[begin:], _Layer(meant, _WESTERN))
            if familiar_share(read) >= _MIN_FAMILIAR_SHARE:
                return pad_with_ignored("", line[:begin]) + read
    return line


def _unwind_line(line: str, layers: tuple[_Layer, ...]) -> str:
    read = line
    for layer in layers:
        read = _unwind_layer(read, layer)
    return read if familiar_share(read) > familiar_share(line) else line


@lru_cache(_KNOWN_SAMPLES)
def _find_layers(sample: str) -> tuple[_Layer, ...]:
    """Return the reversal with the most familiar outcome, last misreading first. Return () if none gives Chinese."""
    best: tuple[_Layer, ...] = ()
    least = _MIN_FAMILIAR_SHARE
    ways: list[tuple[str, tuple[_Layer, ...]]] = [(sample, ())]
    for _ in range(_MAX_LAYERS):
        further: list[tuple[str, tuple[_Layer, ...]]] = []
        for text, layers in ways:
            writable = {read for read in _READ_AS if _is_written_in(text, read)}
            for layer in _LAYERS:
                if layer.read not in writable:
                    continue
                unwound = _unwind_layer(text, layer)
                if _lost_share(unwound) > _MAX_LOST_SHARE:
                    continue
                share = familiar_share(unwound)
                if share > least and len(_LATIN.findall(unwound)) < len(_HAN.findall(unwound)):
                    best, least = (*layers, layer), share
                if layer.meant == "utf-8":
                    further.append((unwound, (*layers, layer)))
        ways = sorted(further, key=lambda reading: _lost_share(reading[0]))[:_MAX_WAYS]
        if best:
            break
    return best


def _is_written_in(text: str, encoding: str) -> bool:
    """Tell whether an encoding has most characters of a text."""
    shown = [character for character in text if ord(character) != IGNORED_POINT]
    lost = sum(not _bytes_of(character, encoding) for character in shown)
    return lost <= _MAX_LOST_SHARE * len(shown)


def _lost_share(text: str) -> float:
    shown = len(text) - text.count(chr(IGNORED_POINT))
    return text.count(chr(LOST_POINT)) / shown if shown else 1.0


def _unwind_layer(text: str, layer: _Layer) -> str:
    """Reverse one misreading. Each character takes the position of its first byte.

    A lost character was one byte or two. So the text after it is decoded both ways: half a character lost, or none.
    """
    read = list(pad_with_ignored("", text))
    for begin, piece in _split_at_lost(text, layer):
        whole = _decode_piece(piece, begin, layer.meant)
        if layer.meant != "utf-8" and begin > 0:  # UTF-8 resynchronizes by itself
            half = _decode_piece([(begin - 1, _LOST_HALF), *piece], begin, layer.meant)
            whole = max(whole, half, key=lambda characters: familiar_share("".join(characters.values())))
        if begin > 0:
            read[begin - 1] = chr(LOST_POINT)
        for place, character in whole.items():
            read[place] = character
    return "".join(read)


def _decode_piece(piece: list[tuple[int, bytes]], first: int, encoding: str) -> dict[int, str]:
    """Return the characters that these bytes spell, by the position of their first byte."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    characters: dict[int, str] = {}
    begin = -1  # start of the character whose bytes are being read
    for place, values in piece:
        for value in values:
            begin = place if begin < 0 else begin
            if spelled := decoder.decode(bytes([value])):
                characters[max(begin, first)] = spelled[0]
                if len(spelled) > 1 and place > begin:
                    characters[place] = spelled[-1]
                begin = -1
    return characters


def _split_at_lost(text: str, layer: _Layer) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
    """Yield each piece between lost characters: its start, and the positions and original bytes of its characters."""
    begin = 0
    piece: list[tuple[int, bytes]] = []
    for place, character in enumerate(text):
        if ord(character) == IGNORED_POINT:
            continue
        if values := _bytes_of(character, layer.read):
            piece.append((place, values))
        else:
            yield begin, piece
            begin, piece = place + 1, []
    yield begin, piece


def _bytes_of(character: str, encoding: str) -> bytes:
    """Return the bytes that a character was read from, or b"" if it is lost or not in the encoding."""
    if ord(character) <= LAST_ASCII:
        return character.encode()
    if encoding != _WESTERN:
        return b"" if ord(character) == LOST_POINT else character.encode(encoding, "ignore")
    byte = _WINDOWS_1252.get(character, ord(character))
    return bytes([byte]) if byte <= _LAST_BYTE else b""
