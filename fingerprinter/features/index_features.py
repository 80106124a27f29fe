"""Compute frequency fingerprints, and extract the features of the index: anchored grams and frequency vectors."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import INITIALS, LATIN_A, LETTER_CODES, REFERENCE_FILE, Initials
from fingerprinter.compiled import compiled
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

# The reference frequencies of initials in Chinese text.


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The frequencies of initials in a corpus.

    counts: i64[20], occurrences among `total` characters, those without an initial included. origin: the corpus and the
    date.
    """

    counts: NDArray[np.int64]
    total: int
    origin: str

    @property
    def shares(self) -> NDArray[np.float64]:
        """Return the share of each initial, f64[20] (r)."""
        return self.counts / self.total


@cache
def load_reference() -> Reference:
    """Load the reference of this package once."""
    stored = json.loads(resources.files("fingerprinter").joinpath("tables", REFERENCE_FILE).read_text("utf-8"))
    counts = np.array([stored["counts"][initial] for initial in INITIALS], np.int64)
    counts.flags.writeable = False
    return Reference(counts=counts, total=stored["total"], origin=stored["origin"])


# The frequency fingerprint: how the initials of each window differ from their usual frequency.
#
# For a window of m characters and each initial, z = (count / m - r) / sqrt(r (1 - r) / m), with the reference share r.
# Its digit is floor((z + 2) / 4 * (R + 1)), clipped to 0..R. The digits in alphabetical order form one integer of 20
# decimal digits. It needs up to 67 bits, so it is a Python int and is stored as text.


DIGIT_RANGES = (1, 3, 7, 9)
DIGIT_COUNT = len(INITIALS)


@dataclass(frozen=True, slots=True)
class FrequencyWindow:
    """A window: its digits as an integer, and the initials [start, end) that it covers.

    short: the text has fewer initials than a window.
    """

    value: int
    start: int
    end: int
    short: bool = False

    @property
    def digits(self) -> str:
        """Return the twenty digits with leading zeros, the stored form."""
        return str(self.value).zfill(DIGIT_COUNT)


@dataclass(frozen=True, slots=True)
class FrequencyFingerprint:
    """The windows of a text, and their settings. highest: R. reference: the origin of the shares."""

    windows: tuple[FrequencyWindow, ...]
    window: int
    highest: int
    reference: str


def frequency_fingerprint(
    letters: Initials, *, window: int = 150, overlap: float = 0.5, highest: int = 9, usual: Reference | None = None
) -> FrequencyFingerprint:
    """Return the fingerprint of a text: windows of `window` initials at steps of (1 - overlap) * window.

    Characters without an initial keep their position and count for none. The last window ends with the text. A text
    shorter than a window has one short window, and an empty text has none. usual: the reference, by default Chinese in
    general. Raise ValueError for a range outside `DIGIT_RANGES`, a window below 1 or an overlap outside [0, 1).
    """
    if highest not in DIGIT_RANGES:
        raise ValueError(f"range {highest} is not one of {DIGIT_RANGES}")
    if window < 1 or not 0 <= overlap < 1:
        raise ValueError(f"window {window} must be 1 or more and overlap {overlap} in [0, 1)")
    usual = usual or load_reference()
    windows = tuple(
        FrequencyWindow(
            value=join_digits(deviation_digits(initial_counts(letters.codes[start:end]), end - start, highest, usual)),
            start=start,
            end=end,
            short=end - start < window,
        )
        for start, end in window_bounds(len(letters), window, overlap)
    )
    return FrequencyFingerprint(windows=windows, window=window, highest=highest, reference=usual.origin)


def window_bounds(count: int, window: int, overlap: float) -> list[tuple[int, int]]:
    """Return the bounds of the windows of a text of `count` initials."""
    if count <= window:
        return [(0, count)] if count else []
    step = max(1, round((1 - overlap) * window))
    starts = [*range(0, count - window, step), count - window]
    return [(start, start + window) for start in starts]


def initial_counts(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of each initial in u8[m], as i64[20]."""
    return np.bincount(codes, minlength=DIGIT_COUNT)[:DIGIT_COUNT]


def deviations(counts: NDArray[np.int64], size: int, usual: Reference) -> NDArray[np.float64]:
    """Return f64[20]: the standard errors by which each initial's share of `size` characters exceeds its usual one
    (z).
    """
    shares = usual.shares
    deviating: NDArray[np.float64] = (counts / size - shares) / np.sqrt(shares * (1 - shares) / size)
    return deviating


def deviation_digits(counts: NDArray[np.int64], size: int, highest: int, usual: Reference) -> NDArray[np.int64]:
    """Return i64[20]: the digit of each initial, in [0, highest], for its counts in a window of `size` characters."""
    z = deviations(counts, size, usual)
    return np.clip(np.floor((z + 2) / 4 * (highest + 1)), 0, highest).astype(np.int64)


def join_digits(digits: NDArray[np.int64]) -> int:
    """Return twenty digits as one integer, that of b first."""
    return int("".join(map(str, digits.tolist())))


def split_digits(value: int) -> NDArray[np.int64]:
    """Return the digits of a window's integer, i64[20]."""
    return np.array([int(digit) for digit in str(value).zfill(DIGIT_COUNT)], np.int64)


def fingerprint_similarity(first: FrequencyFingerprint, second: FrequencyFingerprint) -> float:
    """Return the similarity of two fingerprints in [0, 1]: the mean similarity of each window to its best counterpart.

    The similarity of two windows is 1 - (sum of the digits' differences) / (20 R). It is symmetric, 1 for equal
    fingerprints, and 0 if one has no window. Raise ValueError for different settings.
    """
    if (first.window, first.highest, first.reference) != (second.window, second.highest, second.reference):
        raise ValueError(
            f"windows {first.window} and {second.window}, ranges {first.highest} and {second.highest}, "
            f"references {first.reference!r} and {second.reference!r}: fingerprints compare only when made with "
            "the same settings"
        )
    if not first.windows or not second.windows:
        return 0.0
    left, right = _digit_rows(first.windows), _digit_rows(second.windows)
    apart = np.stack([np.abs(right - row).sum(axis=1) for row in left])
    alike = 1 - apart / (DIGIT_COUNT * first.highest)
    return float((alike.max(axis=1).mean() + alike.max(axis=0).mean()) / 2)


def _digit_rows(windows: Sequence[FrequencyWindow]) -> NDArray[np.int64]:
    return np.stack([split_digits(window.value) for window in windows])


def pack_text(letters: Initials) -> list[Segment]:
    """Return the segments of a text that have features, in order. A text that is too short has none.

    Features are extracted from the whole text before it is cut, so that none is lost at a boundary.
    """
    return pack_features(extract_features(letters), len(letters))


# The features of the production index: ordered grams and anchored frequency vectors.
#
# Both begin at anchors. A gram is a rare run of initials: six Han initials, or twelve Latin letters and digits, which
# carry less information each. A frequency feature is the anchor's pair, and for each initial whether the window around
# it has at least its usual share. That is `frequency_fingerprint` with R = 1, and it survives swapped words.

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
