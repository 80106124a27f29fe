"""The groups in which the texts of pages are counted: few, whatever pages say of themselves."""

import re
from bisect import bisect_right
from typing import Final

LENGTHS: Final = (0, 100, 300, 1_000, 3_000, 10_000, 30_000)  # characters; each begins a group
LANGUAGES: Final = ("zh", "en", "ja", "ko")
OTHER: Final = "other"
_CHARSET: Final = re.compile(r"(utf|gb|big5|euc|iso|shift|windows|koi8|ascii|us-ascii|hz|cp)[a-z0-9_-]{0,12}")


def length_of(characters: int) -> int:
    """The least of the group.

    >>> [length_of(characters) for characters in (1, 100, 999, 50_000)]
    [0, 100, 300, 30000]
    """
    return LENGTHS[bisect_right(LENGTHS, characters) - 1]


def language_of(tag: str | None) -> str | None:
    """The language of a tag of BCP 47.

    >>> [language_of(tag) for tag in ("zh-Hant-TW", "EN", "de", None)]
    ['zh', 'en', 'other', None]
    """
    if not tag:
        return None
    language = re.split("[-_]", tag.lower())[0]
    return language if language in LANGUAGES else OTHER


def charset_of(name: str | None) -> str | None:
    """A charset as pages are asked for by it; `OTHER` for a name that none has."""
    if not name:
        return None
    return name.lower() if _CHARSET.fullmatch(name.lower()) else OTHER
