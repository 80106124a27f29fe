"""Decode EUC-TW, the charset of CNS 11643 on Unix, which Python lacks. Importing registers the codec `euc_tw`.

Planes 1 and 2 hold the characters of Big5, nearly in the order of Big5. So the mapping is a list of runs.
"""

import codecs
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

Buffer = Any  # bytes-like; Python names it from 3.12 on

EUC_TW_CODEC: Final = "euc_tw"
EUC_TW_LABELS: Final = frozenset(("euc-tw", "euctw", "euc_tw", "x-euc-tw", "cns11643", "x-cns11643"))

_ROW_CHARACTERS: Final = 94  # characters of a row of CNS 11643
_BIG5_ROW_CHARACTERS: Final = 157  # characters of a row of Big5, ...
_BIG5_LOW_CHARACTERS: Final = 63  # ... of which so many have a trail byte below 0x7f
_FIRST_BYTE: Final = 0xA1
_PLANE_MARK: Final = 0x8E
_SIGN: Final = re.compile(rb"\x8e[\xa1-\xb0][\xa1-\xfe]{2}|[\xa1-\xfe]{2}|[\x80-\xff]")
_CUT_SIGN: Final = re.compile(rb"\x8e(?:[\xa1-\xb0][\xa1-\xfe]?)?\Z|[\xa1-\xfe]\Z")
# Each: the number of a character in its plane, its number in Big5, and how many follow each other in both.
# Source: the correspondence in Appendix F of Lunde, CJKV Information Processing, as the GNU C library has it.
# fmt: off
_PLANE_1_RUNS: Final = (
    (0, 0, 5), (6, 6, 8), (15, 15, 6), (21, 23, 2), (24, 22, 1), (29, 29, 44), (73, 74, 1), (74, 73, 1), (75, 75, 22),
    (98, 98, 1), (100, 100, 27), (127, 128, 1), (128, 127, 1), (129, 129, 19), (148, 149, 1), (149, 148, 1),
    (150, 150, 4), (155, 21, 1), (156, 156, 2), (160, 160, 1), (162, 162, 1), (165, 165, 69), (282, 234, 29),
    (312, 264, 1), (314, 266, 142), (470, 6101, 20), (3290, 471, 17), (3307, 263, 1), (3308, 489, 86), (3394, 265, 1),
    (3395, 576, 1307), (4702, 1884, 424), (5126, 1883, 1), (5127, 2308, 1876), (7003, 4571, 1), (7004, 4184, 387),
    (7391, 4572, 525), (7916, 5286, 1), (7917, 5097, 105), (8023, 5203, 83), (8106, 5287, 84), (8190, 5517, 1),
    (8191, 5371, 54), (8245, 5426, 1), (8246, 5425, 1), (8247, 5427, 90), (8337, 5518, 354),
)
_PLANE_2_RUNS: Final = (
    (0, 6280, 10), (10, 6291, 33), (43, 6372, 1), (44, 6324, 48), (92, 6373, 46), (138, 6586, 1), (139, 6419, 167),
    (306, 6587, 1840), (2146, 9074, 1), (2147, 8428, 108), (2255, 8537, 537), (2792, 8427, 1), (2793, 9075, 100),
    (2893, 8536, 1), (2894, 9175, 399), (3293, 9575, 1637), (4930, 11761, 1), (4931, 11212, 146), (5077, 11899, 1),
    (5078, 11358, 287), (5365, 12508, 1), (5366, 11645, 116), (5482, 11762, 137), (5619, 11900, 104),
    (5723, 12425, 1), (5724, 12004, 222), (5946, 12227, 198), (6144, 12426, 82), (6226, 12509, 86), (6312, 12226, 1),
    (6313, 12595, 8), (6321, 12604, 153), (6474, 12758, 56), (6530, 13114, 1), (6531, 12814, 113), (6644, 12603, 1),
    (6645, 12927, 142), (6787, 12757, 1), (6788, 13069, 45), (6833, 13115, 71), (6904, 13380, 1), (6905, 13186, 194),
    (7099, 13381, 490), (7589, 13914, 1), (7590, 13871, 43), (7633, 13915, 1), (7634, 13917, 11), (7645, 13916, 1),
    (7646, 13928, 4),
)
# fmt: on


@cache
def _characters() -> dict[bytes, str]:
    """Return the characters by their bytes, those of plane 1 by both forms."""
    characters: dict[bytes, str] = {}
    for plane, runs in enumerate((_PLANE_1_RUNS, _PLANE_2_RUNS), 1):
        for first, first_in_big5, length in runs:
            for step in range(length):
                row, cell = divmod(first + step, _ROW_CHARACTERS)
                sign = bytes((row + _FIRST_BYTE, cell + _FIRST_BYTE))
                character = _big5_character(first_in_big5 + step)
                characters[bytes((_PLANE_MARK, plane + _FIRST_BYTE - 1)) + sign] = character
                if plane == 1:
                    characters[sign] = character
    return characters


def _big5_character(number: int) -> str:
    row, cell = divmod(number, _BIG5_ROW_CHARACTERS)
    trail = cell + 0x40 if cell < _BIG5_LOW_CHARACTERS else cell - _BIG5_LOW_CHARACTERS + _FIRST_BYTE
    sign = bytes((row + _FIRST_BYTE, trail))
    try:
        return sign.decode("big5")
    except UnicodeDecodeError:
        return sign.decode("cp950")


@cache
def _signs() -> dict[str, bytes]:
    """Return the bytes of each character, the shorter form if there are two."""
    return {character: sign for sign, character in _characters().items()}


class _Encoder(codecs.IncrementalEncoder):
    def encode(self, text: str, final: bool = False) -> bytes:  # noqa: ARG002  the protocol of codecs has it
        return _encode(text, self.errors)[0]


class _Decoder(codecs.IncrementalDecoder):
    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._cut = b""  # the beginning of an incomplete character

    def decode(self, body: Buffer, final: bool = False) -> str:
        whole = self._cut + bytes(body)
        cut = None if final else _CUT_SIGN.search(whole)
        end = cut.start() if cut else len(whole)
        self._cut = whole[end:]
        return "".join(_decode_signs(whole[:end], self.errors))

    def reset(self) -> None:
        self._cut = b""

    def getstate(self) -> tuple[bytes, int]:
        return self._cut, 0

    def setstate(self, state: tuple[bytes, int]) -> None:
        self._cut = state[0]


def _decode_signs(body: bytes, errors: str) -> Iterator[str]:
    characters, place = _characters(), 0
    while sign := _SIGN.search(body, place):
        yield body[place : sign.start()].decode("ascii")
        place = sign.end()
        if (character := characters.get(sign[0])) is not None:
            yield character
            continue
        error = UnicodeDecodeError(EUC_TW_CODEC, body, sign.start(), place, "no character of planes 1 and 2")
        replacement, place = codecs.lookup_error(errors)(error)
        yield str(replacement)
    yield body[place:].decode("ascii")


def _decode(body: Buffer, errors: str = "strict") -> tuple[str, int]:
    whole = bytes(body)
    return "".join(_decode_signs(whole, errors)), len(whole)


def _encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
    written, place = bytearray(), 0
    while place < len(text):
        character = text[place]
        place += 1
        if character.isascii():
            written += character.encode("ascii")
        elif (sign := _signs().get(character)) is not None:
            written += sign
        else:
            error = UnicodeEncodeError(EUC_TW_CODEC, text, place - 1, place, "no character of planes 1 and 2")
            replacement, place = codecs.lookup_error(errors)(error)
            written += replacement if isinstance(replacement, bytes) else replacement.encode("ascii", "replace")
    return bytes(written), len(text)


def _find_codec(name: str) -> codecs.CodecInfo | None:
    if name != EUC_TW_CODEC:
        return None
    return codecs.CodecInfo(
        _encode, _decode, incrementalencoder=_Encoder, incrementaldecoder=_Decoder, name=EUC_TW_CODEC
    )


codecs.register(_find_codec)
