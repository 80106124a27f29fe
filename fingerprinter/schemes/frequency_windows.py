"""The plain frequency fingerprint as a scheme: windows on a fixed grid, found again where their number is the same."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.frequency import DIGITS, frequency_fingerprint
from fingerprinter.schemes.hashes import word_hash
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Reads, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText


@dataclass(frozen=True)
class FrequencyWindows(SharedScheme):
    """Two windows of 150 letters in common, or all of a text that has one."""

    window: int = 150
    overlap: float = 0.5
    highest: int = 3
    shared_windows: int = 2
    least_initials: int = 75  # letters of a window that have an initial; frequencies of fewer say nothing

    reads: ClassVar[Reads] = "letters"
    least: ClassVar[int] = 150
    name = "frequency"
    threshold = 1e-9  # of what `scores` leaves above zero

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  windows are counted
        fewer = np.minimum(sizes, len(query.keys))
        return np.where(shared >= np.minimum(fewer, self.shared_windows), shared / fewer, 0.0)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        made = frequency_fingerprint(text.letters, window=self.window, overlap=self.overlap, highest=self.highest)
        with_initial = np.cumsum(np.append(0, text.letters.codes < DIGITS))
        whole = {
            word_hash(window.digits)
            for window in made.windows
            if not window.short and with_initial[window.end] - with_initial[window.start] >= self.least_initials
        }
        return (np.array(sorted(whole), np.uint64), None) if whole else None
