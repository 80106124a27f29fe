"""Which initial each Han character gets: that of its most frequent reading.

Sources: pypinyin's readings of characters and phrases, jieba's word frequencies. A phrase's frequency counts for the
readings that it gives to its characters; a word of one character counts for pypinyin's first reading.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from fingerprinter.normalize.traditional_readings import SIMPLIFIED_FORMS

# A phrase that jieba does not list is rare, but its reading is still a vote.
RARE = 1


def initial_of(syllable: str) -> str:
    """The first letter of a pinyin syllable, without its tone mark: zhōng -> z, ài -> a."""
    return unicodedata.normalize("NFD", syllable)[0].lower()


def word_frequencies() -> dict[str, int]:
    """The dictionary of jieba: word -> occurrences in its corpus."""
    import jieba

    with jieba.get_dict_file() as lines:
        rows = (line.decode().rsplit(" ", 2) for line in lines.read().splitlines())
        return {word: int(count) for word, count, _ in rows}


def character_readings() -> dict[str, tuple[str, ...]]:
    """The characters of pypinyin: character -> distinct initials of its readings, its first reading first."""
    from pypinyin.pinyin_dict import pinyin_dict

    return {
        chr(point): tuple(dict.fromkeys(initial_of(reading) for reading in readings.split(",")))
        for point, readings in pinyin_dict.items()
    }


def phrase_readings() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The phrases of pypinyin: phrase, and the initial of each of its characters."""
    from pypinyin.phrases_dict import phrases_dict

    for phrase, syllables in phrases_dict.items():
        if len(phrase) == len(syllables):
            yield phrase, tuple(initial_of(choices[0]) for choices in syllables)


def frequent_initials(
    readings: Mapping[str, tuple[str, ...]],
    phrases: Iterable[tuple[str, tuple[str, ...]]],
    frequencies: Mapping[str, int],
) -> dict[str, str]:
    """The initial that each character most often has; where nothing counts, its first reading's."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for character, initials in readings.items():
        votes[character][initials[0]] += frequencies.get(character, 0)
    for phrase, initials in phrases:
        weight = frequencies.get(phrase, 0) + RARE
        for character, initial in zip(phrase, initials, strict=True):
            votes[character][initial] += weight
    frequent = {character: votes[character].most_common(1)[0][0] for character in readings}
    for form, simplified in SIMPLIFIED_FORMS.items():
        if form in frequent:
            frequent[form] = frequent.setdefault(simplified, frequent[form])
    return frequent


def syllables() -> list[str]:
    """Every syllable of pinyin, without tone marks, ü written v, in order."""
    from pypinyin.pinyin_dict import pinyin_dict

    found: set[str] = set()
    for readings in pinyin_dict.values():
        for reading in readings.split(","):
            plain = "".join(c for c in unicodedata.normalize("NFD", reading.replace("ü", "v")) if c.isascii())
            if plain[0] not in "iuv" and not set(plain) <= set("hmng"):
                found.add(plain)
    # ü is often typed, or left by a lost diaeresis, as u.
    return sorted(found | {"lue", "nue"})


def origin() -> str:
    """The packages that the readings come from, for the tables' own record."""
    from importlib.metadata import version

    return f"pypinyin {version('pypinyin')} (characters, phrases), jieba {version('jieba')} (word frequencies)"
