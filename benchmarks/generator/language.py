"""Model Chinese prose for the text generator: word classes, transitions, jieba's words and frequencies."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.initials.polyphones_and_variants import word_frequencies

# Transitions between kinds of words, roughly those of modern Chinese prose.
#
# A kind is the first letter of jieba's tags: noun, verb, adjective, adverb, pronoun, preposition, conjunction, numeral,
# measure word, particle, time, place, idiom or set phrase, final particle. "." ends the clause.


# The kinds, by the first letter of jieba's tags: noun, verb, adjective, adverb, pronoun, preposition, conjunction,
# numeral, measure word, particle, time, place, idiom or set phrase, particle at the end. "." ends the clause.
WORD_KINDS = "nvadrpcmqutfiy"
CLAUSE_END = len(WORD_KINDS)
CLAUSE_START = CLAUSE_END + 1
NOUN, VERB, NUMERAL = (WORD_KINDS.index(kind) for kind in "nvm")

# Tags that count as another kind. Words with other tags are not used.
KIND_ALIASES = {"j": "n", "b": "a", "z": "d", "k": "u", "s": "f", "l": "i", "e": "y"}

_FOLLOWERS: dict[str, dict[str, float]] = {
    "n": {"v": 5, "u": 3, "d": 3, "n": 3, "f": 1.5, "c": 1, "p": 1.5, "a": 1, ".": 4},
    "v": {"n": 6, "u": 3, "r": 1.5, "m": 1.5, "v": 1.5, "a": 0.8, "p": 1, "i": 0.2, "y": 0.2, ".": 2},
    "a": {"n": 4, "u": 4, "v": 1, ".": 1.5},
    "d": {"v": 7, "a": 2.5, "d": 0.8, "p": 1},
    "r": {"v": 4, "n": 3, "d": 3, "u": 1.5, "q": 1, "p": 0.8},
    "p": {"n": 6, "r": 2, "t": 0.7, "f": 0.5},
    "c": {"n": 3, "r": 2.5, "v": 2, "d": 1.5},
    "m": {"q": 7, "n": 2},
    "q": {"n": 6, "v": 0.6, "a": 1.2, ".": 0.6},
    "u": {"n": 6, "v": 1.3, "a": 1.2, "m": 0.6, "i": 0.2, ".": 1.5},
    "t": {"r": 1.5, "n": 2.5, "d": 1.5, "v": 2, ".": 0.5},
    "f": {"v": 2.5, "n": 1.5, "d": 1, "u": 1, ".": 1.2},
    "i": {"u": 1.2, "n": 1, "v": 1, ".": 4},
    "y": {".": 1},
}
_FIRST_KINDS = {"n": 4, "r": 4, "t": 2.2, "d": 1.8, "c": 1.8, "p": 2, "m": 1, "v": 1.8, "a": 0.8, "i": 0.5}


def transition_chances() -> NDArray[np.float64]:
    """Return cumulative chances of the next kind, or of `CLAUSE_END`, after each kind and at `CLAUSE_START`,
    f64[kinds + 2, kinds + 1].
    """
    rows: dict[str, dict[str, float]] = {**_FOLLOWERS, ".": {".": 1}, "^": _FIRST_KINDS}
    weights = np.array([[rows[kind].get(follower, 0.0) for follower in WORD_KINDS + "."] for kind in WORD_KINDS + ".^"])
    cumulative: NDArray[np.float64] = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    cumulative[:, -1] = 1
    return cumulative


_HAN_PATTERN: Final = re.compile("[\u4e00-\u9fff]+")


class Pieces(NamedTuple):
    """Consecutive texts. points: u32, code points. starts: i64[n + 1]."""

    points: NDArray[np.uint32]
    starts: NDArray[np.int64]


class Vocabulary(NamedTuple):
    """The words, sorted by kind.

    first: i64[kinds + 1], where the words of each kind begin. keep, other: f32[n] and i32[n], the alias table of each
    kind (M. D. Vose, "A linear algorithm for generating random numbers with a given distribution", 1991).
    """

    words: Pieces
    first: NDArray[np.int64]
    keep: NDArray[np.float32]
    other: NDArray[np.int32]


def lay_out_pieces(texts: Sequence[str]) -> Pieces:
    """Join texts into `Pieces`."""
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return Pieces(np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32).copy(), starts)


@cache
def load_vocabulary() -> Vocabulary:
    """Load the words of jieba's dictionary in Han characters."""
    kinds = _words_by_kind()
    alias = [_alias_table(np.array([count for _, count in kinds[kind]], float)) for kind in WORD_KINDS]
    first = np.cumsum([0, *(len(kinds[kind]) for kind in WORD_KINDS)]).astype(np.int64)
    return Vocabulary(
        words=lay_out_pieces([word for kind in WORD_KINDS for word, _ in kinds[kind]]),
        first=first,
        keep=np.concatenate([keep for keep, _ in alias]).astype(np.float32),
        other=np.concatenate([other + begin for (_, other), begin in zip(alias, first, strict=False)]).astype(np.int32),
    )


def _words_by_kind() -> dict[str, list[tuple[str, int]]]:
    import jieba.posseg

    tags = jieba.posseg.dt.word_tag_tab
    kinds: dict[str, list[tuple[str, int]]] = {kind: [] for kind in WORD_KINDS}
    for word, count in word_frequencies().items():
        tag = tags.get(word, "x")[0]
        kind = KIND_ALIASES.get(tag, tag)
        if kind in kinds and _HAN_PATTERN.fullmatch(word):
            kinds[kind].append((word, max(1, count)))
    return kinds


def _alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for a uniformly drawn word the chance to keep it, and the word to take otherwise."""
    share = weights * (len(weights) / weights.sum())
    keep, other = np.ones(len(share)), np.arange(len(share))
    small, large = list(np.flatnonzero(share < 1)), list(np.flatnonzero(share >= 1))
    while small and large:
        less, more = small.pop(), large[-1]
        keep[less], other[less] = share[less], more
        share[more] -= 1 - share[less]
        if share[more] < 1:
            small.append(large.pop())
    return keep, other
