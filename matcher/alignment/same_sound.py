"""Whether two characters sound the same: by a syllable that both may be read as, whatever its tone."""

from functools import lru_cache


def is_same_sound(mine: str, theirs: str) -> bool:
    """Whether they share a syllable, whatever its tone; what is written in Latin letters reads as it is."""
    return bool(_readings(mine) & _readings(theirs))


@lru_cache(maxsize=65_536)
def _readings(written: str) -> frozenset[str]:
    """The syllables, without tones, that a character may be read as; what is written in Latin letters as it is."""
    from pypinyin import Style, pinyin  # its dictionary takes long to load, and most pages have no edit to explain

    return frozenset(pinyin(written, style=Style.NORMAL, heteronym=True)[0]) if written else frozenset()
