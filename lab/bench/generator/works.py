"""Works without end: the generator as the rest of the benchmarks uses it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from lab.bench.generator.grammar import chances
from lab.bench.generator.prose import CommonPieces, Habits, Language, write_pieces, write_works
from lab.bench.generator.vocabulary import Pieces, pieces, vocabulary

PHRASES = 200_000  # set phrases of two to five words
QUOTATIONS = 4_000  # sentences that works quote
BATCH = 500  # works written at a time
LONGEST = 6  # times the usual length, at most, with room for what stands at the end
_SHARED_SEED = 20_240_229


@dataclass(frozen=True, slots=True)
class GeneratedWork:
    """A work that nobody wrote. The same number and seed give the same work."""

    number: int
    text: str

    @property
    def id(self) -> str:
        """Such as `generated/0000042`."""
        return f"generated/{self.number:07}"


class Writer:
    """Writes works of `length` code points and more."""

    def __init__(self, seed: int = 1, *, length: int = 1000, habits: Habits | None = None) -> None:
        self._seed = seed
        self._length = length
        self._habits = habits or Habits()

    def works(self, count: int, first: int = 0) -> Iterator[GeneratedWork]:
        """The works numbered from `first`."""
        room = np.empty(BATCH * (LONGEST * self._length + 2000), np.uint32)
        for start in range(first, first + count, BATCH):
            ends = np.empty(min(BATCH, first + count - start), np.int64)
            used = write_works(room, ends, _language(), _shared(), self._habits, self._seed, start, self._length)
            text = room[:used].tobytes().decode("utf-32-le")
            begin = 0
            for number, end in enumerate(ends.tolist(), start):
                yield GeneratedWork(number, text[begin:end])
                begin = end


@cache
def _language() -> Language:
    return Language(vocabulary(), chances(), pieces(_text("latin.txt").split()))


@cache
def _shared() -> CommonPieces:
    """What all works share, whoever writes them: the same set phrases and sentences everywhere."""
    phrases = _written(PHRASES, 5, pieces([]))
    return CommonPieces(
        phrases=phrases,
        quotations=_written(QUOTATIONS, 0, phrases),
        adverts=pieces(blocks("adverts.txt")),
        licences=pieces(blocks("licences.txt")),
    )


def _written(count: int, words: int, phrases: Pieces) -> Pieces:
    room = np.empty(count * 200, np.uint32)
    ends = np.empty(count, np.int64)
    used = write_pieces(room, ends, _language(), phrases, Habits(), _SHARED_SEED, words)
    return Pieces(room[:used].copy(), np.concatenate((np.zeros(1, np.int64), ends)))


def blocks(name: str) -> list[str]:
    """The blocks of a file of `texts`: adverts or licences, the most common ones first."""
    return _text(name).strip().split("\n\n")


def _text(name: str) -> str:
    return files("lab.bench.generator").joinpath("texts", name).read_text(encoding="utf-8")
