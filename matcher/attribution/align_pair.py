"""Align a page with a work and decide what their passages amount to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials
from matcher.alignment.chaining import is_shuffled
from matcher.alignment.local_alignment import AlignedPassage, align_scattered, align_texts
from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from matcher.attribution.stock_text import is_same_form
from matcher.attribution.verdict import Verdict, decide_verdict, is_copy
from matcher.model import Passage

MAX_THOROUGH_CANDIDATES = 16  # candidates, the likeliest, that are compared thoroughly
# Letters on either side of a passage whose words are scattered: more than a quotation with its surroundings.
MIN_SCATTERED_LETTERS = 56
_MAX_THIN_SHARE = (
    0.7  # weight of passages for each letter that agrees, below which words may be scattered between them; ...
)
_MIN_WEIGHT_GAIN, _MIN_GAIN_SHARE = (
    25.0,
    0.5,
)  # ... with those they weigh so much more, and more by this share: who retells comes near


@dataclass(frozen=True, slots=True, eq=False)
class TextPair:
    """A page and a work with their letters."""

    page_text: str
    page: Initials
    work_text: str
    work: Initials

    def verdict(
        self, aligned: Sequence[AlignedPassage], calibration: Calibration = MEASURED_CALIBRATION
    ) -> tuple[Sequence[AlignedPassage], Verdict]:
        """The passages that count, and what they amount to; there is at least one."""
        return decide_verdict(
            aligned,
            page_length=len(self.page_text),
            work_length=len(self.work_text),
            work_letters=len(self.work),
            calibration=calibration,
        )

    def one_form(self, one: AlignedPassage) -> bool:
        """Whether both have filled in the same form."""
        return is_same_form(self.page_text, self.page, self.work_text, self.work, one)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and what they amount to.

    found: all that they share, quotations too. common: passages that were left out for being common property.
    """

    aligned: tuple[AlignedPassage, ...]
    verdict: Verdict
    found: tuple[AlignedPassage, ...] = field(repr=False)
    pair: TextPair = field(repr=False)
    calibration: Calibration = MEASURED_CALIBRATION
    common: tuple[AlignedPassage, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(one.passage for one in self.aligned)

    @property
    def accuse(self) -> bool:
        """Whether this would open a case."""
        return self.verdict.accuse


def align_pair(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    calibration: Calibration = MEASURED_CALIBRATION,
    *,
    thorough: bool = False,
    kept: NDArray[np.int64] | None = None,
) -> Comparison | None:
    """Compare two texts closely; None where they share no passage. page, work: the letters of the texts.

    thorough: look for copies under furniture, too, and where nothing was copied as it stands, clauses changed places
    or much differs, for such as have their words scattered; either doubles the time. kept: the places of the page's
    letters that are no furniture (`matcher.retrieval.recurring_insertions.places_without_furniture`), where it has any.
    """
    found = plain = align_texts(page_text, page, work_text, work)
    if thorough and kept is not None:
        found = max(found, align_texts(page_text, page, work_text, work, kept=kept), key=_total_weight)
    if thorough and _may_be_scattered(found):
        again = align_scattered(page_text, page, work_text, work, plain)
        found = _choose_clearer(found, [one for one in again if one.letters >= MIN_SCATTERED_LETTERS])
    if not found:
        return None
    pair = TextPair(page_text, page, work_text, work)
    aligned, verdict = pair.verdict(found, calibration)
    return Comparison(tuple(aligned), verdict, tuple(found), pair, calibration)


def _may_be_scattered(found: Sequence[AlignedPassage]) -> bool:
    """Whether words may have changed places or been replaced between what was found: it is little, shuffled or thin."""
    thin = _total_weight(found) < _MAX_THIN_SHARE * sum(one.agreeing for one in found)
    return thin or _is_quotation(found) or _has_shuffled_clauses(found)


def _choose_clearer(found: list[AlignedPassage], scattered: list[AlignedPassage]) -> list[AlignedPassage]:
    """What was found with scattered words, where that is more; clearly more, if a copy was found without them."""
    if not scattered or _is_quotation(found):
        return scattered or found
    weight = _total_weight(found)
    more = 0.0 if _has_shuffled_clauses(found) else max(_MIN_WEIGHT_GAIN, _MIN_GAIN_SHARE * weight)
    return scattered if _total_weight(scattered) > weight + more else found


def _is_quotation(aligned: Sequence[AlignedPassage]) -> bool:
    return not any(is_copy(one) for one in aligned)


def _has_shuffled_clauses(aligned: Sequence[AlignedPassage]) -> bool:
    return is_shuffled((one.agreed[:, 0], one.agreed[:, 1]) for one in aligned)


def _total_weight(aligned: Sequence[AlignedPassage]) -> float:
    return sum(one.weight for one in aligned)
