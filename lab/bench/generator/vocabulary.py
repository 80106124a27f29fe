"""Pieces of text laid out for compiled code, and jieba's words drawn with their frequencies."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.initials.initial_readings import word_frequencies
from lab.bench.generator.grammar import KINDS, SAME_KIND

_HAN: Final = re.compile("[\u4e00-\u9fff]+")


class Pieces(NamedTuple):
    """n texts, one after the other. points: u32, code points; starts: i64[n + 1]."""

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


def pieces(texts: Sequence[str]) -> Pieces:
    """Lay out some texts."""
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return Pieces(np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32).copy(), starts)


@cache
def vocabulary() -> Vocabulary:
    """The words of jieba's dictionary that are written in Han characters."""
    kinds = _by_kind()
    alias = [_alias(np.array([count for _, count in kinds[kind]], float)) for kind in KINDS]
    first = np.cumsum([0, *(len(kinds[kind]) for kind in KINDS)]).astype(np.int64)
    return Vocabulary(
        words=pieces([word for kind in KINDS for word, _ in kinds[kind]]),
        first=first,
        keep=np.concatenate([keep for keep, _ in alias]).astype(np.float32),
        other=np.concatenate([other + begin for (_, other), begin in zip(alias, first, strict=False)]).astype(np.int32),
    )


def _by_kind() -> dict[str, list[tuple[str, int]]]:
    import jieba.posseg

    tags = jieba.posseg.dt.word_tag_tab
    found: dict[str, list[tuple[str, int]]] = {kind: [] for kind in KINDS}
    for word, count in word_frequencies().items():
        tag = tags.get(word, "x")[0]
        kind = SAME_KIND.get(tag, tag)
        if kind in found and _HAN.fullmatch(word):
            found[kind].append((word, max(1, count)))
    return found


def _alias(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Of a word drawn with equal chances: the chance that it stands, and the word that stands for it otherwise."""
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
