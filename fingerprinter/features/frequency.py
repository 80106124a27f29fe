"""Compute the frequency fingerprint of a text against reference frequencies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import INITIALS, REFERENCE_FILE, Initials

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
