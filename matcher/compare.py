"""Two texts compared: the passages that they share, how closely they are looked for, and what they amount to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import Letters
from matcher.alignment.align import Aligned, align, align_scattered
from matcher.alignment.shuffled_clauses import is_shuffled
from matcher.verdict.decide import Verdict, decide
from matcher.verdict.filled_in_forms import one_form
from matcher.verdict.probability import MEASURED, Calibration
from matcher.verdict.quotation import copies
from store.records import Passage

THOROUGHLY = 16  # candidates, the likeliest, that are compared thoroughly
# Letters on either side of a passage whose words are scattered: more than a quotation with its surroundings.
SCATTERED = 56
_THIN = 0.7  # weight of passages for each letter that agrees, below which words may be scattered between them; ...
_MORE, _CLEARLY = 25.0, 0.5  # ... with those they weigh so much more, and more by this share: who retells comes near


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A page and a work with their letters."""

    page_text: str
    page: Letters
    work_text: str
    work: Letters

    def verdict(
        self, aligned: Sequence[Aligned], calibration: Calibration = MEASURED
    ) -> tuple[Sequence[Aligned], Verdict]:
        """The passages that count, and what they amount to; there is at least one."""
        return decide(
            aligned,
            page_length=len(self.page_text),
            work_length=len(self.work_text),
            work_letters=len(self.work),
            calibration=calibration,
        )

    def one_form(self, one: Aligned) -> bool:
        """Whether both have filled in the same form."""
        return one_form(self.page_text, self.page, self.work_text, self.work, one)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared: their shared passages in the order of the page, and what they amount to.

    found: all that they share, quotations too. common: passages that were left out for being common property.
    """

    aligned: tuple[Aligned, ...]
    verdict: Verdict
    found: tuple[Aligned, ...] = field(repr=False)
    pair: Pair = field(repr=False)
    calibration: Calibration = MEASURED
    common: tuple[Aligned, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages alone."""
        return tuple(one.passage for one in self.aligned)

    @property
    def accuse(self) -> bool:
        """Whether this would open a case."""
        return self.verdict.accuse


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

    thorough: look for copies under furniture, too, and where nothing was copied as it stands, clauses changed places
    or much differs, for such as have their words scattered; either doubles the time. kept: the places of the page's
    letters that are no furniture (`matcher.alignment.recurring_insertions.without_furniture`), where it has any.
    """
    found = plain = align(page_text, page, work_text, work)
    if thorough and kept is not None:
        found = max(found, align(page_text, page, work_text, work, kept=kept), key=_weight)
    if thorough and _may_be_scattered(found):
        again = align_scattered(page_text, page, work_text, work, plain)
        found = _clearer(found, [one for one in again if one.letters >= SCATTERED])
    if not found:
        return None
    pair = Pair(page_text, page, work_text, work)
    aligned, verdict = pair.verdict(found, calibration)
    return Comparison(tuple(aligned), verdict, tuple(found), pair, calibration)


def _may_be_scattered(found: Sequence[Aligned]) -> bool:
    """Whether words may have changed places or been replaced between what was found: it is little, shuffled or thin."""
    thin = _weight(found) < _THIN * sum(one.agreeing for one in found)
    return thin or _quoted(found) or _shuffled(found)


def _clearer(found: list[Aligned], scattered: list[Aligned]) -> list[Aligned]:
    """What was found with scattered words, where that is more; clearly more, if a copy was found without them."""
    if not scattered or _quoted(found):
        return scattered or found
    weight = _weight(found)
    more = 0.0 if _shuffled(found) else max(_MORE, _CLEARLY * weight)
    return scattered if _weight(scattered) > weight + more else found


def _quoted(aligned: Sequence[Aligned]) -> bool:
    return not any(copies(one) for one in aligned)


def _shuffled(aligned: Sequence[Aligned]) -> bool:
    return is_shuffled((one.agreed[:, 0], one.agreed[:, 1]) for one in aligned)


def _weight(aligned: Sequence[Aligned]) -> float:
    return sum(one.weight for one in aligned)
