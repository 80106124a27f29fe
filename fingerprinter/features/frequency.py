"""Compute the frequency fingerprint of a text against reference frequencies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import INITIALS, REFERENCE_FILE, Initials

# The reference: how often each initial occurs in Chinese text at large.


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """How often each initial occurs in a corpus.

    counts: i64[20], occurrences among `total` characters (those without an initial too). origin: the corpus, the date.
    """

    counts: NDArray[np.int64]
    total: int
    origin: str

    @property
    def shares(self) -> NDArray[np.float64]:
        """f64[20]: the share of each initial (r)."""
        return self.counts / self.total


@cache
def load_reference() -> Reference:
    """The reference of this package, loaded once."""
    stored = json.loads(resources.files("fingerprinter").joinpath("tables", REFERENCE_FILE).read_text("utf-8"))
    counts = np.array([stored["counts"][initial] for initial in INITIALS], np.int64)
    counts.flags.writeable = False
    return Reference(counts=counts, total=stored["total"], origin=stored["origin"])


# The frequency fingerprint: how the letters of each window of a text differ from their usual frequency.
#
# For a window of m characters and each of the twenty initials: z = (count / m - r) / sqrt(r (1 - r) / m), where r is
# the reference share of the initial, and its digit is floor((z + 2) / 4 * (R + 1)), clipped to 0..R. The digits in
# alphabetical order make one integer: 20 decimal digits, which need up to 67 bits, so it is a Python int and is stored
# as text.


DIGIT_RANGES = (1, 3, 7, 9)
DIGIT_COUNT = len(INITIALS)


@dataclass(frozen=True, slots=True)
class FrequencyWindow:
    """One window: its digits as an integer, and the letters [start, end) that it covers.

    short: the text had fewer letters than a window.
    """

    value: int
    start: int
    end: int
    short: bool = False

    @property
    def digits(self) -> str:
        """The twenty digits, leading zeros kept: the form to store."""
        return str(self.value).zfill(DIGIT_COUNT)


@dataclass(frozen=True, slots=True)
class FrequencyFingerprint:
    """The windows of a text, and the settings that made them. highest: R; reference: where its shares come from."""

    windows: tuple[FrequencyWindow, ...]
    window: int
    highest: int
    reference: str


def frequency_fingerprint(
    letters: Initials, *, window: int = 150, overlap: float = 0.5, highest: int = 9, usual: Reference | None = None
) -> FrequencyFingerprint:
    """The fingerprint of a text: windows of `window` letters, each (1 - overlap) * window after the one before.

    A letter without an initial keeps its place in the window and counts for none. The last window ends with the text; a
    text shorter than one window has one that is marked short, and a text without letters has none. usual: what the
    letters are held against, Chinese at large where it is not given. Raises ValueError for a range that is not one of
    `DIGIT_RANGES`, a window below 1 or an overlap outside [0, 1).
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
    """Where the windows of a text of `count` letters begin and end."""
    if count <= window:
        return [(0, count)] if count else []
    step = max(1, round((1 - overlap) * window))
    starts = [*range(0, count - window, step), count - window]
    return [(start, start + window) for start in starts]


def initial_counts(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """i64[20]: how often each initial occurs in u8[m]."""
    return np.bincount(codes, minlength=DIGIT_COUNT)[:DIGIT_COUNT]


def deviations(counts: NDArray[np.int64], size: int, usual: Reference) -> NDArray[np.float64]:
    """f64[20]: by how many standard errors each initial's share of `size` characters lies above its usual one (z)."""
    shares = usual.shares
    deviating: NDArray[np.float64] = (counts / size - shares) / np.sqrt(shares * (1 - shares) / size)
    return deviating


def deviation_digits(counts: NDArray[np.int64], size: int, highest: int, usual: Reference) -> NDArray[np.int64]:
    """i64[20]: each initial's digit, in [0, highest], for its counts in a window of `size` characters."""
    z = deviations(counts, size, usual)
    return np.clip(np.floor((z + 2) / 4 * (highest + 1)), 0, highest).astype(np.int64)


def join_digits(digits: NDArray[np.int64]) -> int:
    """Twenty digits as one integer, that of b first."""
    return int("".join(map(str, digits.tolist())))


def split_digits(value: int) -> NDArray[np.int64]:
    """i64[20]: the digits of a window's integer."""
    return np.array([int(digit) for digit in str(value).zfill(DIGIT_COUNT)], np.int64)


def fingerprint_similarity(one: FrequencyFingerprint, other: FrequencyFingerprint) -> float:
    """How alike two fingerprints are, in [0, 1]: for each window its most similar one on the other side, on average.

    Two windows are as alike as 1 - (sum of the digits' differences) / (20 R). Symmetric; 1 for equal fingerprints, 0
    where one of them has no window. Raises ValueError when they were made with different settings.
    """
    if (one.window, one.highest, one.reference) != (other.window, other.highest, other.reference):
        raise ValueError(
            f"windows {one.window} and {other.window}, ranges {one.highest} and {other.highest}, "
            f"references {one.reference!r} and {other.reference!r}: fingerprints compare only when made with the same "
            "settings"
        )
    if not one.windows or not other.windows:
        return 0.0
    left, right = _digit_rows(one.windows), _digit_rows(other.windows)
    apart = np.stack([np.abs(right - row).sum(axis=1) for row in left])
    alike = 1 - apart / (DIGIT_COUNT * one.highest)
    return float((alike.max(axis=1).mean() + alike.max(axis=0).mean()) / 2)


def _digit_rows(windows: Sequence[FrequencyWindow]) -> NDArray[np.int64]:
    return np.stack([split_digits(window.value) for window in windows])
