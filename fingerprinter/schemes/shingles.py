"""k-shingles and the Jaccard coefficient (Broder 1997): every k units in a row, as a set; shared over all.

"a rose is a rose is a rose" has three 4-shingles.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.hashes import code_points, shingle_hashes, word_hashes
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Reads, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText


def without_space(text: str) -> str:
    """The text without white space, which sites put in and take out as they like."""
    return "".join(text.split())


def character_shingles(text: str, k: int) -> NDArray[np.uint64]:
    """u64[n]: the hashes of all shingles of k characters, each once, ascending."""
    return np.unique(shingle_hashes(code_points(without_space(text)), k))


def word_shingles(words: tuple[str, ...], k: int) -> NDArray[np.uint64]:
    """u64[n]: the hashes of all shingles of k words, each once, ascending."""
    return np.unique(shingle_hashes(word_hashes(words), k))


@dataclass(frozen=True)
class _Shingles(SharedScheme):
    k: int
    jaccard: float = 0.2

    unit: ClassVar[Literal["word", "character"]]

    @property
    def name(self) -> str:
        return f"{self.unit}-shingles"

    @property
    def threshold(self) -> float:
        return self.jaccard

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  the coefficient does not ask for the lengths
        return shared / (len(query.keys) + sizes - shared)


@dataclass(frozen=True)
class WordShingles(_Shingles):
    """Three words in a row, cut by jieba."""

    k: int = 3
    reads: ClassVar[Reads] = "words"
    least: ClassVar[int] = 60
    unit = "word"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = word_shingles(text.words, self.k)
        return (keys, None) if len(keys) else None


@dataclass(frozen=True)
class CharacterShingles(_Shingles):
    """Five characters in a row, white space left out."""

    k: int = 5
    least: ClassVar[int] = 30
    unit = "character"

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = character_shingles(text.characters, self.k)
        return (keys, None) if len(keys) else None
