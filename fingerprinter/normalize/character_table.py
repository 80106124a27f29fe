"""The table from code point to letter code, as stored in the package."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import DIGIT_0, INITIALS, LATIN_A, NO_INITIAL

CODE_POINTS = 0x110000
EXPANDS = 254  # stands for several letters, which `CharacterTable.expansions` has
NO_LETTER = 255  # punctuation, spaces, invisible and combining characters, pictures
FILE = "characters.npz"


@dataclass(frozen=True, slots=True, eq=False)
class CharacterTable:
    """codes: u8[0x110000], a letter code, `EXPANDS` or `NO_LETTER`. expansions: the codes of those that expand.

    syllables: pinyin without tone marks. origin: where the readings come from, and the date of the build.
    """

    codes: NDArray[np.uint8]
    expansions: dict[int, bytes]
    syllables: tuple[str, ...]
    origin: str


def code_of_initial(initial: str) -> int:
    """The code of a syllable's first letter; those that are no initial (a e o) share one."""
    place = INITIALS.find(initial)
    return place if place >= 0 else NO_INITIAL


def code_of_ascii(character: str) -> int:
    """The code of one of a..z and 0..9."""
    if character.isdigit():
        return DIGIT_0 + int(character)
    return LATIN_A + ord(character) - ord("a")


@cache
def character_table() -> CharacterTable:
    """The table of this package, loaded once."""
    with resources.files("fingerprinter").joinpath("tables", FILE).open("rb") as file, np.load(file) as stored:
        codes = stored["codes"]
        codes.flags.writeable = False
        points, offsets, letters = stored["points"].tolist(), stored["offsets"].tolist(), stored["letters"].tobytes()
        return CharacterTable(
            codes=codes,
            expansions={p: letters[offsets[i] : offsets[i + 1]] for i, p in enumerate(points)},
            syllables=tuple(str(stored["syllables"]).split()),
            origin=str(stored["origin"]),
        )
