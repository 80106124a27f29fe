"""How much a case is worth a look: the share that was copied, times how much text that is, times how rare it is."""

from math import log1p

_QUOTATION = 40.0  # letters; twice as many rare ones are worth less than twice the look


def worth(*, share_of_page: float, share_of_work: float, weight: float) -> float:
    """Share × length × rarity, 0 and up: the larger share, and the letters that agree, less for what others have as
    well, which is a match's weight. The letters count by their logarithm, as a whole poem is worth the look that some
    pages of a novel are.
    """
    return max(share_of_page, share_of_work) * log1p(max(0.0, weight) / _QUOTATION)
