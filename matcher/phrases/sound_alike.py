"""Which other characters a search for a phrase takes for the same: those that share a syllable, whatever its tone."""

import unicodedata
from functools import lru_cache


def sound_alike(one: str, other: str) -> bool:
    """Whether two units may be read alike; of those that are no single Han character the letters have agreed."""
    if one == other:
        return True
    readings, others = _readings(one), _readings(other)
    return not readings or not others or bool(readings & others)


@lru_cache(20_000)
def _readings(unit: str) -> frozenset[str]:
    """The syllables of a Han character, without their tones."""
    from pypinyin.pinyin_dict import pinyin_dict

    told = pinyin_dict.get(ord(unit), "") if len(unit) == 1 else ""
    return frozenset(_bare(one) for one in told.split(",") if one)


def _bare(syllable: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", syllable) if not unicodedata.combining(sign))
