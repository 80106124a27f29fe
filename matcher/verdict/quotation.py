"""From which length on a passage is more than a quotation, and a whole work is protected."""

from collections.abc import Sequence

from matcher.alignment.align import Aligned
from matcher.verdict.shortest_protected_work import LEAST_WORK

QUOTATION = 40  # letters on either side; what is shorter is quoted, not copied, and opens no case, ...
_THICK = 55  # ... unless it has so many code points: formulas and code have few letters
_AGREEING = 0.5  # similarity under which a passage is a set phrase and what happens to stand around it, ...
_PLAIN = 40.0  # ... unless it weighs so much
PIECES = 80.0  # weight of all passages from which they copy together, each a quotation by itself
_WHOLE = 0.9  # share of a work that has to be copied where the work is shorter than a quotation


def protected(passages: Sequence[Aligned], work_letters: int) -> Sequence[Aligned]:
    """Those that are more than a quotation; where none is, all of them if they are together, or are a whole work.

    work_letters: of the whole work.
    """
    large = [one for one in passages if copies(one)]
    together = sum(one.weight for one in passages) >= PIECES or _whole(passages, work_letters)
    return passages if not large and together else large


def _whole(passages: Sequence[Aligned], work_letters: int) -> bool:
    return work_letters >= LEAST_WORK and sum(one.agreeing for one in passages) >= _WHOLE * work_letters


def copies(one: Aligned) -> bool:
    """More than a quotation; and more, where it is small, than a set phrase with its accidental neighbourhood."""
    agrees = one.weight >= _PLAIN or one.passage.similarity >= _AGREEING
    return agrees and (one.letters >= QUOTATION or _length(one) >= _THICK)


def _length(one: Aligned) -> int:
    passage = one.passage
    return min(passage.page_end - passage.page_start, passage.work_end - passage.work_start)
