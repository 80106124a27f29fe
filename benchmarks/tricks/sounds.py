"""Tricks by which a reader is given the sound of a character instead of it."""

from collections.abc import Callable
from functools import cache

from benchmarks.tricks.catalogue import (
    PERIODS,
    SHARES,
    Draw,
    change_every,
    change_some,
    change_words,
    is_han,
    split_words,
    trick,
)

FAMILY = "sounds"
_COMMON_CODES = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the characters in common use
_NEAR_SOUNDS = (
    ("zh", "z"),
    ("ch", "c"),
    ("sh", "s"),
    ("n", "l"),
    ("f", "h"),
    ("ing", "in"),
    ("eng", "en"),
    ("ang", "an"),
)
_TONGYONG = (("zh", "jh"), ("q", "c"), ("x", "s"), ("iu", "iou"), ("ui", "uei"))


@cache
def read_character(character: str, style: str = "NORMAL") -> str:
    """The usual reading of a character, in a style of pypinyin."""
    import pypinyin

    ((reading,),) = pypinyin.pinyin(character, style=getattr(pypinyin.Style, style))
    return str(reading)


@cache
def _characters_by_reading(style: str) -> dict[str, str]:
    characters: dict[str, str] = {}
    for code in _COMMON_CODES:
        if character := code.to_bytes(2, "big").decode("gb2312", "ignore"):
            reading = read_character(character, style)
            characters[reading] = characters.get(reading, "") + character
    return characters


def _pick(character: str, reading: str, style: str, draw: Draw) -> str:
    return draw.choice(_characters_by_reading(style).get(reading, "").replace(character, "") or character)


def _by_share(text: str, level: int, draw: Draw, change: Callable[[str], str]) -> str:
    return change_some(text, SHARES[level], draw, change)


@trick(FAMILY)
def homophones_of_one_tone(text: str, level: int, draw: Draw) -> str:
    """Write a homophone of the same tone. Source: Zhang et al., Argot, IJCAI 2020."""
    return _by_share(
        text, level, draw, lambda character: _pick(character, read_character(character, "TONE3"), "TONE3", draw)
    )


@trick(FAMILY)
def homophones_of_any_tone(text: str, level: int, draw: Draw) -> str:
    """Write a homophone of any tone. Source: Li et al., TextShield, USENIX Security 2020."""
    return _by_share(text, level, draw, lambda character: _pick(character, read_character(character), "NORMAL", draw))


@trick(FAMILY)
def characters_of_near_sound(text: str, level: int, draw: Draw) -> str:
    """Write a character of a sound that many confuse. Source: fuzzy pinyin of input methods, GB/T 34947."""

    def change(character: str) -> str:
        reading = read_character(character)
        for long, short in _NEAR_SOUNDS:
            if reading.startswith(long) or reading.endswith(long):
                return _pick(character, reading.replace(long, short, 1), "NORMAL", draw)
        return character

    return _by_share(text, level, draw, change)


@trick(FAMILY)
def characters_of_same_initial(text: str, level: int, draw: Draw) -> str:
    """Write a character that begins with the same letter. Source: our own list; the letters are what we index."""
    letters: dict[str, str] = {}
    for reading, characters in _characters_by_reading("NORMAL").items():
        letters[reading[0]] = letters.get(reading[0], "") + characters
    return _by_share(
        text, level, draw, lambda character: draw.choice(letters.get(read_character(character)[0], character))
    )


@trick(FAMILY)
def pinyin_for_characters(text: str, level: int, draw: Draw) -> str:
    """Write the pinyin for characters. Source: Zhang et al., Argot, IJCAI 2020."""
    return _by_share(text, level, draw, read_character)


@trick(FAMILY)
def pinyin_with_tone_marks(text: str, level: int, draw: Draw) -> str:
    """Write pinyin with marks for characters. Source: ISO 7098."""
    return _by_share(text, level, draw, lambda character: read_character(character, "TONE"))


@trick(FAMILY)
def pinyin_with_tone_numbers(text: str, level: int, draw: Draw) -> str:
    """Write pinyin with numbers for characters. Source: ISO 7098."""
    return _by_share(text, level, draw, lambda character: read_character(character, "TONE3"))


@trick(FAMILY)
def wide_pinyin(text: str, level: int, draw: Draw) -> str:
    """Write pinyin in full-width letters. Source: Unicode Standard, halfwidth and fullwidth forms."""
    return _by_share(
        text, level, draw, lambda character: "".join(chr(ord(x) + 0xFEE0) for x in read_character(character))
    )


@trick(FAMILY)
def capital_pinyin(text: str, level: int, draw: Draw) -> str:
    """Write pinyin in capitals. Source: Zhang et al., Argot, IJCAI 2020."""
    return _by_share(text, level, draw, lambda character: read_character(character).upper())


@trick(FAMILY)
def first_letters_regularly(text: str, level: int, draw: Draw) -> str:
    """Write the first letter of its pinyin for a character at a steady pace. Source: Su et al., RoCBert, ACL 2022."""
    return change_every(text, PERIODS[level], lambda character: read_character(character)[:1])


@trick(FAMILY)
def first_letters_by_chance(text: str, level: int, draw: Draw) -> str:
    """Write the first letter of its pinyin for characters by chance. Source: Su et al., RoCBert, ACL 2022."""
    return _by_share(text, level, draw, lambda character: read_character(character)[:1])


@trick(FAMILY)
def first_letters_for_words(text: str, level: int, draw: Draw) -> str:
    """Write the first letters for words (yyds). Source: abbreviations of network language."""
    return change_words(
        split_words(text),
        SHARES[level],
        draw,
        lambda word: "".join(read_character(x)[:1] if is_han(x) else x for x in word),
    )


@trick(FAMILY)
def pinyin_with_blanks(text: str, level: int, draw: Draw) -> str:
    """Write pinyin with blanks around it. Source: Zhang et al., Argot, IJCAI 2020."""
    return _by_share(text, level, draw, lambda character: f" {read_character(character)} ")


@trick(FAMILY)
def pinyin_behind_characters(text: str, level: int, draw: Draw) -> str:
    """Write the pinyin in brackets behind characters. Source: readers for learners."""
    return _by_share(text, level, draw, lambda character: f"{character}({read_character(character, 'TONE')})")


@trick(FAMILY)
def bopomofo_for_characters(text: str, level: int, draw: Draw) -> str:
    """Write bopomofo for characters. Source: Martian writing (火星文) of Taiwan's forums."""
    return _by_share(text, level, draw, lambda character: read_character(character, "BOPOMOFO"))


@trick(FAMILY)
def bopomofo_first_letters(text: str, level: int, draw: Draw) -> str:
    """Write the first sign of bopomofo for characters. Source: Martian writing (火星文) of Taiwan's forums."""
    return _by_share(text, level, draw, lambda character: read_character(character, "BOPOMOFO")[:1])


@trick(FAMILY)
def wade_giles(text: str, level: int, draw: Draw) -> str:
    """Write Wade-Giles for characters. Source: Giles, A Chinese-English Dictionary, 1892."""
    return _by_share(text, level, draw, lambda character: f" {read_character(character, 'WADEGILES')} ")


@trick(FAMILY)
def tongyong_pinyin(text: str, level: int, draw: Draw) -> str:
    """Write Tongyong pinyin for characters. Source: Tongyong pinyin, Taiwan 2002."""

    def change(character: str) -> str:
        reading = read_character(character)
        for hanyu, tongyong in _TONGYONG:
            reading = reading.replace(hanyu, tongyong)
        return f" {reading} "

    return _by_share(text, level, draw, change)


@trick(FAMILY)
def cyrillic_transcription(text: str, level: int, draw: Draw) -> str:
    """Write a transcription in Cyrillic for characters. Source: Palladius system."""
    return _by_share(text, level, draw, lambda character: f" {read_character(character, 'CYRILLIC')} ")


@trick(FAMILY)
def syllables_with_broken_blanks(text: str, level: int, draw: Draw) -> str:
    """Write pinyin with a blank inside the syllable. Source: pinyin that an OCR or a PDF broke."""

    def change(character: str) -> str:
        reading = read_character(character)
        place = draw.randrange(len(reading))
        return f" {reading[:place]} {reading[place:]} "

    return _by_share(text, level, draw, change)
