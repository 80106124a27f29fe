"""Extract the features of the index: anchored grams and frequency vectors."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import INITIALS, LATIN_A, LETTER_CODES, Initials
from fingerprinter.compiled import compiled
from fingerprinter.features.frequency import load_reference
from fingerprinter.features.model import (
    ANCHOR_RADIUS,
    FREQUENCY_SEED,
    GRAM_SEED,
    GRAM_UNITS,
    MIN_WINDOW_HAN,
    SHORT_TEXT_INITIALS,
    WINDOW_INITIALS,
    Features,
    Segment,
    absorb_value,
    anchor_positions,
    finalize_hash,
    pack_features,
    pair_hashes,
)


def pack_text(letters: Initials) -> list[Segment]:
    """Return the segments of a text that have features, in order. A text that is too short has none.

    Features are extracted from the whole text before it is cut, so that none is lost at a boundary.
    """
    return pack_features(extract_features(letters), len(letters))


# The features of the production index: ordered grams and anchored frequency vectors.
#
# Both begin at anchors. A gram is a rare run of initials: six Han initials, or twelve Latin letters and digits, which
# carry less information each. A frequency feature is the anchor's pair, and for each initial whether the window around
# it has at least its usual share. That is the fingerprint of `features.frequency` with R = 1, and it survives swapped
# words.

GRAM_LEAD = 2  # letters of a gram before its anchor
WINDOW_LEAD = 11  # puts the anchor's pair in the middle
GRAMS, FREQUENCIES = 1, 2  # kinds of feature, added up
_HAN_CODES = LATIN_A
_INITIAL_CODES = len(INITIALS)

_FeatureArrays = tuple[NDArray[np.uint64], NDArray[np.uint32]]


def extract_features(letters: Initials, kinds: int = GRAMS + FREQUENCIES) -> Features:
    """Return the index features of a text. `kinds` selects among them.

    1,000 Han initials have about 145 grams and 40 frequency vectors. A feature stands at the first initial of its
    anchor's gram. A text of fewer than `SHORT_TEXT_INITIALS` initials has a gram at each.
    """
    if len(letters) < SHORT_TEXT_INITIALS:
        return _extract_dense(letters, kinds)
    values, positions = _anchored_features(letters.codes, _reference_counts(), kinds)
    return Features(values=values, positions=positions)


def _extract_dense(letters: Initials, kinds: int) -> Features:
    hashes = pair_hashes(letters.codes)
    everywhere = np.arange(GRAM_LEAD, len(hashes), dtype=np.uint32)
    usual = _reference_counts()
    hashed = _hash_features(letters.codes, hashes, anchor_positions(hashes), usual, kinds & FREQUENCIES)
    grams = _hash_features(letters.codes, hashes, everywhere, usual, kinds & GRAMS)
    positions = np.concatenate((hashed[1], grams[1]))
    order = np.argsort(positions, kind="stable")
    return Features(values=np.concatenate((hashed[0], grams[0]))[order], positions=positions[order])


def query_features(letters: Initials) -> Features:
    """Return the features that look a page up: all that the index may have of it."""
    return extract_features(letters)


@cache
def _reference_counts() -> NDArray[np.int64]:
    """Return i64[20]: the least count of each initial in a window that reaches its usual share, in exact arithmetic."""
    usual = load_reference()
    return -(-WINDOW_INITIALS * usual.counts // usual.total)


@compiled("u8(Array(u1, 1, 'C', readonly=True), i8, u2, i8[::1], i8[::1])")
def _frequency_feature(
    codes: NDArray[np.uint8], begin: int, anchor_hash: np.uint16, usual: NDArray[np.int64], counts: NDArray[np.int64]
) -> np.uint64:
    """Return the feature of the window at `begin`, or 0 if it has too few Han initials. counts: a buffer, i64[57]."""
    counts[:] = 0
    han = 0
    for code in codes[begin : begin + WINDOW_INITIALS]:
        counts[code] += 1
        han += code < _HAN_CODES
    if han < MIN_WINDOW_HAN:
        return np.uint64(0)
    digits = np.uint64(0)
    for initial in range(_INITIAL_CODES):
        digits = (digits << np.uint64(1)) | np.uint64(counts[initial] >= usual[initial])
    feature: np.uint64 = finalize_hash(
        absorb_value(absorb_value(np.uint64(FREQUENCY_SEED), np.uint64(anchor_hash)), digits)
    )
    return feature


@compiled("u8(Array(u1, 1, 'C', readonly=True), i8)")
def _gram_feature(codes: NDArray[np.uint8], begin: int) -> np.uint64:
    """Return the feature of the gram at `begin`, or 0 if the text ends too early."""
    units = 0
    place = begin
    state = np.uint64(GRAM_SEED)
    while units < GRAM_UNITS:
        if place == len(codes):
            return np.uint64(0)
        state = absorb_value(state, np.uint64(codes[place]))
        units += 2 if codes[place] < _HAN_CODES else 1
        place += 1
    feature: np.uint64 = finalize_hash(state)
    return feature


@compiled("b1(u2[::1], i8)")
def _is_smallest_in_window(hashes: NDArray[np.uint16], anchor: int) -> bool:
    """Return whether an anchor has the smallest pair of its whole window."""
    here = hashes[anchor]
    for distance in range(ANCHOR_RADIUS + 1, WINDOW_LEAD + 1):
        if hashes[anchor - distance] <= here or hashes[anchor + distance] < here:
            return False
    return True


@compiled("Tuple((u8[::1], u4[::1]))(Array(u1, 1, 'C', readonly=True), u2[::1], u4[::1], i8[::1], i8)")
def _hash_features(
    codes: NDArray[np.uint8],
    hashes: NDArray[np.uint16],
    places: NDArray[np.uint32],
    usual: NDArray[np.int64],
    kinds: int,
) -> _FeatureArrays:
    """Return values and positions of the features at these anchors, in order."""
    values = np.empty(2 * len(places), np.uint64)
    positions = np.empty(2 * len(places), np.uint32)
    counts = np.empty(LETTER_CODES, np.int64)
    count = 0
    for place in places:
        anchor = int(place)
        if kinds & FREQUENCIES:
            begin = anchor - WINDOW_LEAD
            whole = begin >= 0 and begin + WINDOW_INITIALS <= len(codes)
            if whole and max(codes[anchor], codes[anchor + 1]) < _HAN_CODES and _is_smallest_in_window(hashes, anchor):
                value = _frequency_feature(codes, begin, hashes[anchor], usual, counts)
                values[count], positions[count] = value, anchor - GRAM_LEAD
                count += value != 0
        if kinds & GRAMS:
            value = _gram_feature(codes, anchor - GRAM_LEAD)
            values[count], positions[count] = value, anchor - GRAM_LEAD
            count += value != 0
    return values[:count], positions[:count]


@compiled("Tuple((u8[::1], u4[::1]))(Array(u1, 1, 'C', readonly=True), i8[::1], i8)")
def _anchored_features(codes: NDArray[np.uint8], usual: NDArray[np.int64], kinds: int) -> _FeatureArrays:
    """Return values and positions of the features at all anchors."""
    hashes = pair_hashes(codes)
    made: _FeatureArrays = _hash_features(codes, hashes, anchor_positions(hashes), usual, kinds)
    return made
