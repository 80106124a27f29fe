"""The way from a text to the works that it copies: look up and rank, then align and decide."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.production import query_features
from fingerprinter.letters import Letters
from matcher.alignment.align import Aligned, align
from matcher.index.port import Index
from matcher.ranking.rank import MOST, RankedDocument, rank
from matcher.verdict.calibrate import MEASURED, Calibration
from matcher.verdict.decide import Verdict, copies, decide, settled
from store.records import Passage

THOROUGHLY = 16  # candidates, the likeliest, that are compared thoroughly
# Letters on either side of a passage whose words are scattered: more than a quotation with its surroundings.
SCATTERED = 56


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and what they amount to."""

    aligned: tuple[Aligned, ...]
    verdict: Verdict

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(one.passage for one in self.aligned)

    @property
    def accuse(self) -> bool:
        """Whether this would open a case."""
        return self.verdict.accuse


def candidates(letters: Letters, index: Index, *, documents: int, most: int = MOST) -> list[RankedDocument]:
    """Documents of the index that a text may share a passage with, best first. documents: how many the index holds.

    A long owner stands in the index as several documents; the caller merges them. Raises what the index raises.
    """
    hits = index.look_up(query_features(letters))
    return rank(hits, query_letters=len(letters), documents=documents, most=most)


def compare(
    page_text: str,
    page: Letters,
    work_text: str,
    work: Letters,
    calibration: Calibration = MEASURED,
    *,
    thorough: bool = False,
    kept: NDArray[np.int64] | None = None,
) -> Comparison | None:
    """Compare two texts closely; None where they share no passage. page, work: the letters of the texts.

    thorough: look for copies under furniture, too, and where nothing was copied as it stands, for such as have their
    words scattered; either doubles the time. kept: the places of the page's letters that are no furniture
    (`matcher.alignment.furniture.without_furniture`), where it has any.
    """
    found = align(page_text, page, work_text, work)
    if thorough and kept is not None:
        found = max(found, align(page_text, page, work_text, work, kept=kept), key=_weight)
    if thorough and not any(copies(one) for one in found):
        again = align(page_text, page, work_text, work, scattered=True)
        found = [one for one in again if one.letters >= SCATTERED] or found
    if not found:
        return None
    aligned, verdict = decide(found, page_length=len(page_text), work_length=len(work_text), calibration=calibration)
    return Comparison(tuple(aligned), verdict)


def _weight(aligned: Sequence[Aligned]) -> float:
    return sum(one.weight for one in aligned)


def settle(comparisons: Sequence[Comparison]) -> list[bool]:
    """For each comparison of one page with different works, whether it opens a case in view of the others.

    What many works share accuses nobody, nor does a small passage that another work explains better.
    """
    accusing = settled([one.aligned for one in comparisons])
    return [one.accuse and stands for one, stands in zip(comparisons, accusing, strict=True)]
