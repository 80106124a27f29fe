"""The compiled part: prose written word by word into a buffer of code points."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from lab.bench.generator.grammar import END, NOUN, NUMERAL, START, VERB
from lab.bench.generator.vocabulary import Pieces, Vocabulary

# Numbers are given their type where they are passed on: for a bare one numba compiles everything below once more.
LONGEST_CLAUSE = np.int64(14)  # words
TOPICS = 24  # nouns, and half as many verbs, that a work returns to

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_COMMA, _STOP, _BREAK = np.uint32(ord("，")), np.uint32(ord("。")), np.uint32(ord("\n"))
_OPEN, _CLOSE, _COLON = np.uint32(ord("“")), np.uint32(ord("”")), np.uint32(ord("："))
_ZERO = np.uint32(ord("0"))
_RARER_ENDS = np.array([ord(mark) for mark in "？！；……"], np.uint32)


class Language(NamedTuple):
    """What the prose is made of. chances: as `grammar.chances` gives it."""

    vocabulary: Vocabulary
    chances: NDArray[np.float64]
    latin: Pieces


class CommonPieces(NamedTuple):
    """What works have in common; those in front are the most common. phrases stand inside clauses."""

    phrases: Pieces
    quotations: Pieces
    adverts: Pieces
    licences: Pieces


class Habits(NamedTuple):
    """How often, as chances: a set phrase in place of a word, one of the work's own words, ... a licence at the end."""

    phrase: float = 0.01
    topic: float = 0.25
    latin: float = 0.004
    quotation: float = 0.06  # a paragraph
    advert: float = 0.04  # a paragraph
    licence: float = 0.35


@njit(cache=True)
def _chance(state):  # type: ignore[no-untyped-def]  # compiled
    """A number in [0, 1): SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += _GAMMA
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _below(state, count):  # type: ignore[no-untyped-def]  # compiled
    return np.int64(_chance(state) * count)


@njit(cache=True)
def _ranked(state, count, shift):  # type: ignore[no-untyped-def]  # compiled
    """One of `count`, number k about as often as 1 / (k + shift): the law of Zipf and Mandelbrot."""
    return min(np.int64(shift * ((count + shift) / shift) ** _chance(state) - shift), count - 1)


@njit(cache=True)
def _put(out, at, texts, which):  # type: ignore[no-untyped-def]  # compiled
    for place in range(texts.starts[which], texts.starts[which + 1]):
        out[at] = texts.points[place]
        at += 1
    return at


@njit(cache=True)
def _word(state, vocabulary, kind):  # type: ignore[no-untyped-def]  # compiled
    """A word of this kind, by its frequency."""
    first = vocabulary.first[kind]
    word = first + _below(state, vocabulary.first[kind + 1] - first)
    return word if _chance(state) < vocabulary.keep[word] else np.int64(vocabulary.other[word])


@njit(cache=True)
def _topics(state, vocabulary, topics):  # type: ignore[no-untyped-def]  # compiled
    """Choose what a work returns to, frequent or not."""
    for at in range(TOPICS):
        kind = NOUN if at % 3 else VERB
        first = vocabulary.first[kind]
        topics[at] = first + _below(state, vocabulary.first[kind + 1] - first)


@njit(cache=True)
def _clause(out, at, state, language, phrases, habits, topics, longest):  # type: ignore[no-untyped-def]  # compiled
    """Write one clause, without the mark at its end; where it ends."""
    kind = START
    for words in range(longest):
        row = language.chances[kind]
        chance = _chance(state)
        kind = 0
        while chance >= row[kind]:
            kind += 1
        if kind == END:
            if words > 3 or longest <= 5:
                break
            kind = NOUN
        chance = _chance(state)
        if chance < habits.phrase and len(phrases.starts) > 1:
            at = _put(out, at, phrases, _ranked(state, len(phrases.starts) - 1, 100.0))
            kind = NOUN
        elif kind == NUMERAL and chance < 0.3:
            for _ in range(1 + _below(state, np.int64(4))):
                out[at] = _ZERO + np.uint32(_below(state, np.int64(10)))
                at += 1
        elif kind == NOUN and chance > 1 - habits.latin:
            at = _put(out, at, language.latin, _below(state, len(language.latin.starts) - 1))
        elif kind == NOUN and chance > 1 - habits.topic:
            at = _put(out, at, language.vocabulary.words, topics[_ranked(state, TOPICS * 2 // 3, 1.0) * 3 // 2 + 1])
        elif kind == VERB and chance > 1 - habits.topic / 2:
            at = _put(out, at, language.vocabulary.words, topics[_below(state, TOPICS // 3) * 3])
        else:
            at = _put(out, at, language.vocabulary.words, _word(state, language.vocabulary, kind))
    return at


@njit(cache=True)
def _sentence(out, at, state, language, phrases, habits, topics):  # type: ignore[no-untyped-def]  # compiled
    """Write one to four clauses and the marks after them; where it ends."""
    at = _clause(out, at, state, language, phrases, habits, topics, LONGEST_CLAUSE)
    for _ in range(_below(state, np.int64(4))):
        out[at] = _COMMA
        at = _clause(out, at + 1, state, language, phrases, habits, topics, LONGEST_CLAUSE)
    out[at] = _STOP if _chance(state) < 0.85 else _RARER_ENDS[_below(state, len(_RARER_ENDS))]
    return at + 1


@njit(cache=True)
def write_pieces(out, ends, language, phrases, habits, seed, words):  # type: ignore[no-untyped-def]  # compiled
    """Fill `ends`: as many pieces as it has, each up to so many words, or a sentence where words is 0."""
    state = np.array([seed], np.uint64)
    topics = np.zeros(TOPICS, np.int64)
    at = np.int64(0)
    for piece in range(len(ends)):
        _topics(state, language.vocabulary, topics)
        if words:
            at = _clause(out, at, state, language, phrases, habits, topics, 2 + _below(state, words - 1))
        else:
            at = _sentence(out, at, state, language, phrases, habits, topics)
        ends[piece] = at
    return at


@njit(cache=True)
def _work(out, at, state, language, shared, habits, length):  # type: ignore[no-untyped-def]  # compiled
    topics = np.zeros(TOPICS, np.int64)
    _topics(state, language.vocabulary, topics)
    least = at + length
    while at < least:
        if _chance(state) < habits.advert:
            at = _put(out, at, shared.adverts, _ranked(state, len(shared.adverts.starts) - 1, 1.0))
            out[at] = _BREAK
            at += 1
        if _chance(state) < habits.quotation:
            at = _clause(out, at, state, language, shared.phrases, habits, topics, np.int64(4))
            out[at], out[at + 1] = _COLON, _OPEN
            at = _put(out, at + 2, shared.quotations, _ranked(state, len(shared.quotations.starts) - 1, 20.0))
            out[at] = _CLOSE
            at += 1
        for _ in range(2 + _below(state, np.int64(5))):
            at = _sentence(out, at, state, language, shared.phrases, habits, topics)
        out[at] = _BREAK
        at += 1
    if _chance(state) < habits.licence:
        at = _put(out, at, shared.licences, _ranked(state, len(shared.licences.starts) - 1, 1.0))
    return at


@njit(cache=True)
def write_works(out, ends, language, shared, habits, seed, first, length):  # type: ignore[no-untyped-def]  # compiled
    """Fill `ends` with where the works numbered from `first` end in `out`; each depends on its number and seed alone.

    A work has `length` code points and more, most of them about a sixth more, a few several times as many.
    """
    state = np.zeros(1, np.uint64)
    at = np.int64(0)
    for place in range(len(ends)):
        state[0] = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(first + place) * np.uint64(
            0xA24BAED4963EE407
        )
        longer = min(-np.log(1 - _chance(state)) / 10, 4.0)
        at = _work(out, at, state, language, shared, habits, np.int64(length * (1 + longer)))
        ends[place] = at
    return at
