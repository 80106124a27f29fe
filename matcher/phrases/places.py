"""Where a phrase stands in a text: in the same characters, or in others of the same sound."""

import unicodedata
from typing import NamedTuple

from fingerprinter.letters import Letters
from fingerprinter.normalize.read_letters import read_letters
from matcher.phrases.sound_alike import sound_alike


class Spot(NamedTuple):
    """Code points [start, end) of a text. exact: the same characters; else each sounds like the one asked for."""

    start: int
    end: int
    exact: bool


def places(phrase: str, text: str) -> list[Spot]:
    """Where the phrase stands, from the beginning on; none for a phrase without letters.

    Punctuation and spaces make no difference, nor width and case.

    >>> places("修船的老人", "那个修船的老人，修传的老人")
    [Spot(start=2, end=7, exact=True), Spot(start=8, end=13, exact=False)]
    """
    asked, letters = read_letters(phrase), read_letters(text)
    wanted, codes = asked.codes.tobytes(), letters.codes.tobytes()
    found: list[Spot] = []
    begin = codes.find(wanted) if wanted else -1
    while begin >= 0:
        said, standing = _units(phrase, asked), _units(text, letters.part(begin, begin + len(wanted)))
        if said == standing or all(map(sound_alike, said, standing)):
            found.append(Spot(*letters.part(begin, begin + len(wanted)).span(0, len(wanted)), said == standing))
            begin = codes.find(wanted, begin + len(wanted))
        else:
            begin = codes.find(wanted, begin + 1)
    return found


def _units(text: str, letters: Letters) -> list[str]:
    """What each letter stands for, as characters are compared."""
    spans = zip(letters.starts.tolist(), letters.ends.tolist(), strict=True)
    return [unicodedata.normalize("NFKC", text[start:end]).casefold() for start, end in spans]
