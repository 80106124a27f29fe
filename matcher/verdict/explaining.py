"""Which of two works explains letters of a page: the letters that agree decide, not where passages begin and end.

A passage may span letters that its work does not have, an advert or a piece of another work; of such letters it
explains nothing, and stands in nobody's way.
"""

import numpy as np

from matcher.alignment.align import Aligned

_SHARED = 0.7  # share of a passage's letters that another one must have, too, to explain it at all


def explains(other: Aligned, one: Aligned) -> bool:
    """Whether a passage of another work has most of the letters of the page that this one has."""
    mine, theirs = one.agreed[:, 0], other.agreed[:, 0]
    if not len(mine) or not len(theirs):
        return False
    has = np.zeros(max(int(mine.max()), int(theirs.max())) + 1, np.bool_)
    has[theirs] = True
    return bool(np.count_nonzero(has[mine]) >= _SHARED * len(mine))
