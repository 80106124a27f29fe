"""Characters of the same sound, to swap as pirates do."""

import unicodedata
from functools import cache
from zlib import crc32

_LEVEL_ONE = range(0xB0A1, 0xD7FA)  # GB 2312, rows 16-55: the 3,755 characters in common use


@cache
def _by_sound() -> dict[str, list[str]]:
    sounds: dict[str, list[str]] = {}
    for code in _LEVEL_ONE:
        char = code.to_bytes(2, "big").decode("gb2312", "ignore")
        # What Big5 holds too is (nearly always) written the same in both scripts, so that a swap survives conversion.
        if len(char) == 1 and char.encode("big5", "ignore") and (sound := sound_of(char)):
            sounds.setdefault(sound, []).append(char)
    return sounds


@cache
def sound_of(char: str) -> str | None:
    """The reading of a Han character with its tone; None where it has several, or none."""
    import pypinyin  # with all readings of 47,000 phrases

    if not unicodedata.name(char, "").startswith("CJK UNIFIED"):
        return None
    (readings,) = pypinyin.pinyin(char, style=pypinyin.Style.TONE3, heteronym=True)
    return readings[0] if len(readings) == 1 else None


def swap_homophones(text: str, percent: int) -> str:
    """About `percent` of the characters that have one reading and a homophone swapped; always the same ones."""
    return "".join(_swapped(char, place, percent) for place, char in enumerate(text))


def _swapped(char: str, place: int, percent: int) -> str:
    chance = crc32(f"{place}{char}".encode())  # not hash(): its values change from run to run
    sound = sound_of(char) if chance % 100 < percent else None
    others = [other for other in _by_sound().get(sound, ()) if other != char] if sound else []
    return others[chance // 100 % len(others)] if others else char
