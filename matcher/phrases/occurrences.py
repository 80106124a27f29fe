"""Find where a phrase occurs in a text, by its characters or by characters of the same sound."""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials

# What texts are found by: every four letters in a row, each once.


GRAM_LENGTH: Final = 4  # letters; of 20 initials there are 160,000 such grams, and a text of 1,300 characters has 950
_MAX_QUERY_GRAMS: Final = 40  # grams of a phrase that are asked for; more make the answer no rarer


def text_grams(letters: Initials) -> NDArray[np.uint32]:
    """The distinct grams of a text, u32[n], ascending; none of a text of fewer than `GRAM_LENGTH` letters."""
    codes = letters.codes.astype(np.uint32)
    if len(codes) < GRAM_LENGTH:
        return np.empty(0, np.uint32)
    return np.unique(codes[:-3] << 18 | codes[1:-2] << 12 | codes[2:-1] << 6 | codes[3:])


def query_grams(letters: Initials) -> NDArray[np.uint32]:
    """The grams by which a phrase is asked for; of a long one some, spread over all of it."""
    every = text_grams(letters)
    if len(every) <= _MAX_QUERY_GRAMS:
        return every
    return every[np.linspace(0, len(every) - 1, _MAX_QUERY_GRAMS).astype(np.int64)]


# Which other characters a search for a phrase takes for the same: those that share a syllable, whatever its tone.


def sounds_alike(one: str, other: str) -> bool:
    """Whether two units may be read alike; of those that are no single Han character the letters have agreed."""
    if one == other:
        return True
    readings, others = _syllables_of(one), _syllables_of(other)
    return not readings or not others or bool(readings & others)


@lru_cache(20_000)
def _syllables_of(unit: str) -> frozenset[str]:
    """The syllables of a Han character, without their tones."""
    from pypinyin.pinyin_dict import pinyin_dict

    told = pinyin_dict.get(ord(unit), "") if len(unit) == 1 else ""
    return frozenset(_strip_tone(one) for one in told.split(",") if one)


def _strip_tone(syllable: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", syllable) if not unicodedata.combining(sign))


# Where a phrase stands in a text: in the same characters, or in others of the same sound.


class PhraseOccurrence(NamedTuple):
    """Code points [start, end) of a text. exact: the same characters; else each sounds like the one asked for."""

    start: int
    end: int
    exact: bool


def find_occurrences(phrase: str, text: str) -> list[PhraseOccurrence]:
    """Where the phrase stands, from the beginning on; none for a phrase without letters.

    Punctuation and spaces make no difference, nor width and case.

    >>> find_occurrences("修船的老人", "那个修船的老人，修传的老人")
    [Spot(start=2, end=7, exact=True), Spot(start=8, end=13, exact=False)]
    """
    asked, letters = to_initials(phrase), to_initials(text)
    wanted, codes = asked.codes.tobytes(), letters.codes.tobytes()
    phrase_occurrences: list[PhraseOccurrence] = []
    begin = codes.find(wanted) if wanted else -1
    while begin >= 0:
        said, standing = (
            _comparison_units(phrase, asked),
            _comparison_units(text, letters.part(begin, begin + len(wanted))),
        )
        if said == standing or all(map(sounds_alike, said, standing)):
            phrase_occurrences.append(
                PhraseOccurrence(*letters.part(begin, begin + len(wanted)).span(0, len(wanted)), said == standing)
            )
            begin = codes.find(wanted, begin + len(wanted))
        else:
            begin = codes.find(wanted, begin + 1)
    return phrase_occurrences


def _comparison_units(text: str, letters: Initials) -> list[str]:
    """What each letter stands for, as characters are compared."""
    spans = zip(letters.starts.tolist(), letters.ends.tolist(), strict=True)
    return [unicodedata.normalize("NFKC", text[start:end]).casefold() for start, end in spans]
