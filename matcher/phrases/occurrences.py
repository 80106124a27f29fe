"""Find where a phrase occurs in a text, by its characters or by characters of the same sound.

Texts are retrieved by their distinct grams of four initials. Characters match if they share a syllable of any tone.
"""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials

GRAM_LENGTH: Final = 4  # initials: 20 initials form 160,000 grams, and a text of 1,300 characters has 950
_MAX_QUERY_GRAMS: Final = 40  # grams of a phrase in a query, as more select no better


def text_grams(initials: Initials) -> NDArray[np.uint32]:
    """Return the distinct grams of a text, u32[n], ascending, none for fewer than `GRAM_LENGTH` initials."""
    codes = initials.codes.astype(np.uint32)
    if len(codes) < GRAM_LENGTH:
        return np.empty(0, np.uint32)
    return np.unique(codes[:-3] << 18 | codes[1:-2] << 12 | codes[2:-1] << 6 | codes[3:])


def query_grams(initials: Initials) -> NDArray[np.uint32]:
    """Return the grams by which a phrase is looked up, for a long phrase a sample spread over all of it."""
    grams = text_grams(initials)
    if len(grams) <= _MAX_QUERY_GRAMS:
        return grams
    return grams[np.linspace(0, len(grams) - 1, _MAX_QUERY_GRAMS).astype(np.int64)]


def sounds_alike(first: str, second: str) -> bool:
    """Whether two units may sound alike. For units that are no single Han character the initials agree already."""
    if first == second:
        return True
    a, b = _syllables_of(first), _syllables_of(second)
    return not a or not b or bool(a & b)


@lru_cache(20_000)
def _syllables_of(unit: str) -> frozenset[str]:
    """Return the syllables of a Han character without their tones."""
    from pypinyin.pinyin_dict import pinyin_dict

    readings = pinyin_dict.get(ord(unit), "") if len(unit) == 1 else ""
    return frozenset(_strip_tone(reading) for reading in readings.split(",") if reading)


def _strip_tone(syllable: str) -> str:
    return "".join(
        character for character in unicodedata.normalize("NFD", syllable) if not unicodedata.combining(character)
    )


class PhraseOccurrence(NamedTuple):
    """Code points [start, end) of a text. exact: the same characters, else characters of the same sound."""

    start: int
    end: int
    exact: bool


def find_occurrences(phrase: str, text: str) -> list[PhraseOccurrence]:
    """Where the phrase stands, from the beginning on; none for a phrase without letters.

    Punctuation and spaces make no difference, nor width and case.

    >>> find_occurrences("修船的老人", "那个修船的老人，修传的老人")
    [PhraseOccurrence(start=2, end=7, exact=True), PhraseOccurrence(start=8, end=13, exact=False)]
    """
    phrase_initials, initials = to_initials(phrase), to_initials(text)
    phrase_codes, codes = phrase_initials.codes.tobytes(), initials.codes.tobytes()
    occurrences: list[PhraseOccurrence] = []
    begin = codes.find(phrase_codes) if phrase_codes else -1
    while begin >= 0:
        part = initials.part(begin, begin + len(phrase_codes))
        phrase_units, text_units = _comparison_units(phrase, phrase_initials), _comparison_units(text, part)
        if phrase_units == text_units or all(map(sounds_alike, phrase_units, text_units)):
            occurrences.append(PhraseOccurrence(*part.span(0, len(phrase_codes)), phrase_units == text_units))
            begin = codes.find(phrase_codes, begin + len(phrase_codes))
        else:
            begin = codes.find(phrase_codes, begin + 1)
    return occurrences


def _comparison_units(text: str, initials: Initials) -> list[str]:
    """Return the text behind each initial, normalized for comparison."""
    spans = zip(initials.starts.tolist(), initials.ends.tolist(), strict=True)
    return [unicodedata.normalize("NFKC", text[start:end]).casefold() for start, end in spans]
