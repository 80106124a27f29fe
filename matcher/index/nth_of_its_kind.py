"""What stands several times: counted from the first to the last."""

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]


def nth_of_its_kind(kinds: I64) -> I64:
    """For each element, how many equal ones stand before it.

    >>> nth_of_its_kind(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(kinds, kind="stable")
    ranked = kinds[order]
    first = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
    nth = np.arange(len(kinds)) - np.repeat(first, np.diff(np.append(first, len(kinds))))
    result = np.empty(len(kinds), np.int64)
    result[order] = nth
    return result
