"""The rarer words of a text as features of an index: by them the works are found that a text may be told after."""

from itertools import pairwise

import numpy as np

from fingerprinter.compiled import compiled
from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.mixing import absorb, finish
from fingerprinter.features.segments import SEGMENT_LETTERS
from fingerprinter.schemes.words.segmenter import code_points, spans
from matcher.suspicion.characters import Characters

RARE = 3e-5  # share of all words that one may have at most
GRAIN = 16  # characters that share a position, so that a long text fits the index
PIECE = SEGMENT_LETTERS * GRAIN  # characters of one document of the index
_SEED = 0x776F726473


def rare_words(text: Characters) -> list[Features]:
    """The rare words of two characters and more, for each `PIECE` of a text; positions count `GRAIN`s of it."""
    codes = code_points(text.text)
    begins, ends, logs = spans(codes)
    rare = (ends - begins > 1) & ((logs == 0) | (logs < np.log(RARE)))
    begins, ends = begins[rare], ends[rare]
    values, worth = _hashed(text.codes, begins, ends)
    begins, values = begins[worth], values[worth]
    cuts = np.searchsorted(begins, range(0, len(text) + PIECE, PIECE)).tolist()
    return [
        Features(values[first:last], (begins[first:last] % PIECE // GRAIN).astype(np.uint32))
        for first, last in pairwise(cuts)
    ]


@compiled("Tuple((u8[::1], b1[::1]))(u4[::1], i8[::1], i8[::1])")
def _hashed(codes, begins, ends):  # type: ignore[no-untyped-def]  # compiled
    """The hash of each word, and whether all of it is a word, which a run of signs is not."""
    values = np.empty(len(begins), np.uint64)
    worth = np.ones(len(begins), np.bool_)
    for number in range(len(begins)):
        state = np.uint64(_SEED)
        for at in range(begins[number], ends[number]):
            worth[number] &= codes[at] != 0
            state = absorb(state, np.uint64(codes[at]))
        values[number] = finish(state)
    return values, worth
