"""How many bits against chance a letter tells that two texts have at a place, by whether it is the same character."""

from typing import Final

from fingerprinter.compiled import compiled
from fingerprinter.letters import LATIN_A

HAN_SAME: Final = 6.0
_HAN_SOUND: Final = 3.5
_LATIN: Final = 1.5


@compiled("f8(u1, u4, u4)")
def letter_bits(letter: int, page_point: int, work_point: int) -> float:
    """Bits of a letter that agrees. *_point: the code point behind it on either side."""
    if letter >= LATIN_A:
        return _LATIN
    return HAN_SAME if page_point == work_point else _HAN_SOUND
