"""Build `fingerprinter/tables` from pypinyin's and jieba's data: `python -m fingerprinter.initials.build_tables`."""

import datetime
import json
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fingerprinter.features import usual_frequencies
from fingerprinter.initials import initial_readings
from fingerprinter.letters import INITIALS, NO_INITIAL
from fingerprinter.normalize import look_alikes
from fingerprinter.normalize.character_table import (
    CODE_POINTS,
    EXPANDS,
    FILE,
    NO_LETTER,
    code_of_ascii,
    code_of_initial,
)

FOLDER = Path(__file__).parent.parent / "tables"
# Blocks of Han characters; one of them without a known reading still keeps its place.
HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))
# Strokes that nobody writes as words. They stand between characters, as dots and bars do.
STROKES = frozenset("丨丶丿亅乀")
SURROGATES = range(0xD800, 0xE000)


def plain_characters(character: str) -> str:
    """What a character stands for, folded: compatibility forms, shapes, case; combining marks dropped."""
    for shapes in (look_alikes.HAN_LOOK_ALIKES, look_alikes.ENCLOSED_LETTERS, look_alikes.ENCLOSED_NUMBERS):
        if character in shapes:
            return shapes[character]
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(look_alikes.LATIN_LOOK_ALIKES.get(c, c) for c in folded if not unicodedata.combining(c))


def codes_of(character: str, initials: Mapping[str, str]) -> bytes:
    """The letter codes that a character stands for; none for what is no letter."""
    if character in initials and character not in STROKES:
        return bytes([code_of_initial(initials[character])])
    if character in look_alikes.ZHUYIN_INITIALS:
        return bytes([code_of_initial(look_alikes.ZHUYIN_INITIALS[character])])
    codes = bytearray()
    for plain in plain_characters(character):
        if plain in STROKES:
            continue
        if plain in initials:
            codes.append(code_of_initial(initials[plain]))
        elif any(first <= ord(plain) < end for first, end in HAN_BLOCKS):
            codes.append(NO_INITIAL)
        elif plain.isascii() and plain.isalnum():
            codes.append(code_of_ascii(plain))
        elif (digit := unicodedata.digit(plain, None)) is not None:
            codes.append(code_of_ascii(str(digit)))
    return bytes(codes)


def build_characters(initials: Mapping[str, str], origin: str) -> None:
    """Write the table from code point to letter codes."""
    table = np.full(CODE_POINTS, NO_LETTER, np.uint8)
    expansions: dict[int, bytes] = {}
    for point in range(CODE_POINTS):
        found = b"" if point in SURROGATES else codes_of(chr(point), initials)
        if len(found) == 1:
            table[point] = found[0]
        elif found:
            table[point] = EXPANDS
            expansions[point] = found
    np.savez_compressed(
        FOLDER / FILE,
        codes=table,
        points=np.array(list(expansions), np.uint32),
        offsets=np.cumsum([0, *map(len, expansions.values())]).astype(np.uint32),
        letters=np.frombuffer(b"".join(expansions.values()), np.uint8),
        syllables=np.array(" ".join(initial_readings.syllables())),
        origin=np.array(origin),
    )


def build_reference(initials: Mapping[str, str], origin: str) -> None:
    """Write how often each initial occurs in the corpus behind the word frequencies."""
    phrases = dict(initial_readings.phrase_readings())
    counts: Counter[str] = Counter()
    for word, occurrences in initial_readings.word_frequencies().items():
        for initial in phrases.get(word, [initials[c] for c in word if c in initials]):
            counts[initial] += occurrences
    stored = {"origin": origin, "total": counts.total(), "counts": {letter: counts[letter] for letter in INITIALS}}
    (FOLDER / usual_frequencies.FILE).write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def main() -> None:
    """Write the tables, with their origin and today's date inside."""
    initials = initial_readings.frequent_initials(
        initial_readings.character_readings(),
        initial_readings.phrase_readings(),
        initial_readings.word_frequencies(),
    )
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    origin = f"{initial_readings.origin()}; Unicode {unicodedata.unidata_version}; built {today}"
    FOLDER.mkdir(exist_ok=True)
    build_characters(initials, origin)
    build_reference(initials, origin)


if __name__ == "__main__":
    main()
