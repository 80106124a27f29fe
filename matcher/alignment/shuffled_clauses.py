"""Whether clauses changed places: again and again the page goes back in the work, inside of one passage."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_TIMES = 2  # that it goes back at least, ...
_SHARE = 0.15  # ... of all times that it does not go on with the next letter

Places = NDArray[np.int32]


def is_shuffled(passages: Iterable[tuple[Places, Places]]) -> bool:
    """Whether these passages, taken together, have another order than the work.

    Of each the places of the page and those of the work that agree with them, i32[n] each: letters, or the beginnings
    of blocks. How the passages stand to each other does not matter.
    """
    steps = [np.diff(work[np.argsort(page, kind="stable")]) for page, work in passages]
    back = sum(int(np.count_nonzero(one < 0)) for one in steps)
    return back >= _TIMES and back >= _SHARE * sum(int(np.count_nonzero(one != 1)) for one in steps)
