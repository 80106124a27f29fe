"""Generate Chinese works in any number. Unrelated works share frequent words, set phrases, quotations and adverts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.generator.language import (
    CLAUSE_END,
    CLAUSE_START,
    NOUN,
    NUMERAL,
    VERB,
    Pieces,
    Vocabulary,
    lay_out_pieces,
    load_vocabulary,
    transition_chances,
)

# The compiled part writes prose word by word into a buffer of code points.
#
# Numbers have explicit types, because numba compiles everything below once more for an untyped one.


# Numbers are given their type where they are passed on: for a bare one numba compiles everything below once more.
MAX_CLAUSE_WORDS = np.int64(14)  # words
TOPIC_COUNT = 24  # nouns that a work repeats, and half as many verbs

_SPLITMIX_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_COMMA, _STOP, _LINE_BREAK = np.uint32(ord("，")), np.uint32(ord("。")), np.uint32(ord("\n"))
_OPEN, _CLOSE, _COLON = np.uint32(ord("“")), np.uint32(ord("”")), np.uint32(ord("："))
_ZERO = np.uint32(ord("0"))
_RARE_END_MARKS = np.array([ord(mark) for mark in "？！；……"], np.uint32)


class Language(NamedTuple):
    """The material of the prose. chances: as of `transition_chances`."""

    vocabulary: Vocabulary
    chances: NDArray[np.float64]
    latin: Pieces


class CommonPieces(NamedTuple):
    """Pieces that works share, most common ones first. phrases stand inside clauses."""

    phrases: Pieces
    quotations: Pieces
    adverts: Pieces
    licences: Pieces


class Habits(NamedTuple):
    """Chances of a set phrase in place of a word, of a work's own word, and so on to a licence at the end."""

    phrase: float = 0.01
    topic: float = 0.25
    latin: float = 0.004
    quotation: float = 0.06  # a paragraph
    advert: float = 0.04  # a paragraph
    licence: float = 0.35


@njit(cache=True)
def _random_float(state):  # type: ignore[no-untyped-def]  # compiled
    """Return a number in [0, 1) by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += _SPLITMIX_GAMMA
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _random_below(state, count):  # type: ignore[no-untyped-def]  # compiled
    return np.int64(_random_float(state) * count)


@njit(cache=True)
def _zipf_rank(state, count, shift):  # type: ignore[no-untyped-def]  # compiled
    """Return one of `count` numbers. Number k has a weight of 1 / (k + shift): the law of Zipf and Mandelbrot."""
    return min(np.int64(shift * ((count + shift) / shift) ** _random_float(state) - shift), count - 1)


@njit(cache=True)
def _write_piece(out, end, texts, which):  # type: ignore[no-untyped-def]  # compiled
    for place in range(texts.starts[which], texts.starts[which + 1]):
        out[end] = texts.points[place]
        end += 1
    return end


@njit(cache=True)
def _draw_word(state, vocabulary, kind):  # type: ignore[no-untyped-def]  # compiled
    """Return a word of this kind by its frequency."""
    first = vocabulary.first[kind]
    word = first + _random_below(state, vocabulary.first[kind + 1] - first)
    return word if _random_float(state) < vocabulary.keep[word] else np.int64(vocabulary.other[word])


@njit(cache=True)
def _choose_topics(state, vocabulary, topics):  # type: ignore[no-untyped-def]  # compiled
    """Choose the words that a work repeats, frequent or not."""
    for topic in range(TOPIC_COUNT):
        kind = NOUN if topic % 3 else VERB
        first = vocabulary.first[kind]
        topics[topic] = first + _random_below(state, vocabulary.first[kind + 1] - first)


@njit(cache=True)
def _write_clause(out, end, state, language, phrases, habits, topics, longest):  # type: ignore[no-untyped-def]  # compiled
    """Write one clause without its final mark. Return its end."""
    kind = CLAUSE_START
    for words in range(longest):
        row = language.chances[kind]
        chance = _random_float(state)
        kind = 0
        while chance >= row[kind]:
            kind += 1
        if kind == CLAUSE_END:
            if words > 3 or longest <= 5:
                break
            kind = NOUN
        chance = _random_float(state)
        if chance < habits.phrase and len(phrases.starts) > 1:
            end = _write_piece(out, end, phrases, _zipf_rank(state, len(phrases.starts) - 1, 100.0))
            kind = NOUN
        elif kind == NUMERAL and chance < 0.3:
            for _ in range(1 + _random_below(state, np.int64(4))):
                out[end] = _ZERO + np.uint32(_random_below(state, np.int64(10)))
                end += 1
        elif kind == NOUN and chance > 1 - habits.latin:
            end = _write_piece(out, end, language.latin, _random_below(state, len(language.latin.starts) - 1))
        elif kind == NOUN and chance > 1 - habits.topic:
            end = _write_piece(
                out, end, language.vocabulary.words, topics[_zipf_rank(state, TOPIC_COUNT * 2 // 3, 1.0) * 3 // 2 + 1]
            )
        elif kind == VERB and chance > 1 - habits.topic / 2:
            end = _write_piece(out, end, language.vocabulary.words, topics[_random_below(state, TOPIC_COUNT // 3) * 3])
        else:
            end = _write_piece(out, end, language.vocabulary.words, _draw_word(state, language.vocabulary, kind))
    return end


@njit(cache=True)
def _write_sentence(out, end, state, language, phrases, habits, topics):  # type: ignore[no-untyped-def]  # compiled
    """Write one to four clauses with their marks. Return the end."""
    end = _write_clause(out, end, state, language, phrases, habits, topics, MAX_CLAUSE_WORDS)
    for _ in range(_random_below(state, np.int64(4))):
        out[end] = _COMMA
        end = _write_clause(out, end + 1, state, language, phrases, habits, topics, MAX_CLAUSE_WORDS)
    out[end] = _STOP if _random_float(state) < 0.85 else _RARE_END_MARKS[_random_below(state, len(_RARE_END_MARKS))]
    return end + 1


@njit(cache=True)
def write_pieces(out, ends, language, phrases, habits, seed, words):  # type: ignore[no-untyped-def]  # compiled
    """Fill `ends` with the ends of pieces, each of up to `words` words, or of a sentence if `words` is 0."""
    state = np.array([seed], np.uint64)
    topics = np.zeros(TOPIC_COUNT, np.int64)
    end = np.int64(0)
    for piece in range(len(ends)):
        _choose_topics(state, language.vocabulary, topics)
        if words:
            end = _write_clause(out, end, state, language, phrases, habits, topics, 2 + _random_below(state, words - 1))
        else:
            end = _write_sentence(out, end, state, language, phrases, habits, topics)
        ends[piece] = end
    return end


@njit(cache=True)
def _write_work(out, end, state, language, shared, habits, length):  # type: ignore[no-untyped-def]  # compiled
    topics = np.zeros(TOPIC_COUNT, np.int64)
    _choose_topics(state, language.vocabulary, topics)
    least = end + length
    while end < least:
        if _random_float(state) < habits.advert:
            end = _write_piece(out, end, shared.adverts, _zipf_rank(state, len(shared.adverts.starts) - 1, 1.0))
            out[end] = _LINE_BREAK
            end += 1
        if _random_float(state) < habits.quotation:
            end = _write_clause(out, end, state, language, shared.phrases, habits, topics, np.int64(4))
            out[end], out[end + 1] = _COLON, _OPEN
            end = _write_piece(
                out, end + 2, shared.quotations, _zipf_rank(state, len(shared.quotations.starts) - 1, 20.0)
            )
            out[end] = _CLOSE
            end += 1
        for _ in range(2 + _random_below(state, np.int64(5))):
            end = _write_sentence(out, end, state, language, shared.phrases, habits, topics)
        out[end] = _LINE_BREAK
        end += 1
    if _random_float(state) < habits.licence:
        end = _write_piece(out, end, shared.licences, _zipf_rank(state, len(shared.licences.starts) - 1, 1.0))
    return end


@njit(cache=True)
def write_works(out, ends, language, shared, habits, seed, first, length):  # type: ignore[no-untyped-def]  # compiled
    """Fill `ends` with the ends in `out` of the works numbered from `first`. A work depends on its number and seed
    only.

    A work has `length` code points and more, mostly about a sixth more, rarely several times as many.
    """
    state = np.zeros(1, np.uint64)
    end = np.int64(0)
    for place in range(len(ends)):
        state[0] = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(first + place) * np.uint64(
            0xA24BAED4963EE407
        )
        longer = min(-np.log(1 - _random_float(state)) / 10, 4.0)
        end = _write_work(out, end, state, language, shared, habits, np.int64(length * (1 + longer)))
        ends[place] = end
    return end


# An endless supply of works for the benchmarks.


PHRASE_COUNT = 200_000  # set phrases of two to five words
QUOTATION_COUNT = 4_000  # sentences that works quote
BATCH_WORKS = 500  # works
MAX_LENGTH_FACTOR = 6  # greatest multiple of the usual length, with room for the licence
_SHARED_SEED = 20_240_229


@dataclass(frozen=True, slots=True)
class GeneratedWork:
    """A generated work. The same number and seed give the same work."""

    number: int
    text: str

    @property
    def id(self) -> str:
        """Return an id such as `generated/0000042`."""
        return f"generated/{self.number:07}"


class Writer:
    """Writes works of `length` code points and more."""

    def __init__(self, seed: int = 1, *, length: int = 1000, habits: Habits | None = None) -> None:
        self._seed = seed
        self._length = length
        self._habits = habits or Habits()

    def works(self, count: int, first: int = 0) -> Iterator[GeneratedWork]:
        """Yield the works numbered from `first`."""
        room = np.empty(BATCH_WORKS * (MAX_LENGTH_FACTOR * self._length + 2000), np.uint32)
        for start in range(first, first + count, BATCH_WORKS):
            ends = np.empty(min(BATCH_WORKS, first + count - start), np.int64)
            used = write_works(
                room, ends, _load_language(), _load_common_pieces(), self._habits, self._seed, start, self._length
            )
            text = room[:used].tobytes().decode("utf-32-le")
            begin = 0
            for number, end in enumerate(ends.tolist(), start):
                yield GeneratedWork(number, text[begin:end])
                begin = end


@cache
def _load_language() -> Language:
    return Language(load_vocabulary(), transition_chances(), lay_out_pieces(_read_text_file("latin.txt").split()))


@cache
def _load_common_pieces() -> CommonPieces:
    """Generate the set phrases and sentences that all works of all writers share."""
    phrases = _generate_pieces(PHRASE_COUNT, 5, lay_out_pieces([]))
    return CommonPieces(
        phrases=phrases,
        quotations=_generate_pieces(QUOTATION_COUNT, 0, phrases),
        adverts=lay_out_pieces(read_blocks("adverts.txt")),
        licences=lay_out_pieces(read_blocks("licences.txt")),
    )


def _generate_pieces(count: int, words: int, phrases: Pieces) -> Pieces:
    room = np.empty(count * 200, np.uint32)
    ends = np.empty(count, np.int64)
    used = write_pieces(room, ends, _load_language(), phrases, Habits(), _SHARED_SEED, words)
    return Pieces(room[:used].copy(), np.concatenate((np.zeros(1, np.int64), ends)))


def read_blocks(name: str) -> list[str]:
    """Return the blocks of a file of `texts`, adverts or licences, most common ones first."""
    return _read_text_file(name).strip().split("\n\n")


def _read_text_file(name: str) -> str:
    return files("benchmarks.generator").joinpath("texts", name).read_text(encoding="utf-8")
