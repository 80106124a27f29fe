"""The order in which the characters of a text are to be read, where that is not the one in which they stand."""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.normalize.directional_overrides import shown_order
from fingerprinter.normalize.written_backwards import backwards_order
from fingerprinter.normalize.written_in_columns import column_order


def reading_order(points: NDArray[np.uint32]) -> NDArray[np.int64] | None:
    """i64[n], the places of a text's code points as they are read, a permutation; None where they are in order.

    points: u32[n]. What an override shows the other way round is read as shown; else columns are read downwards, and
    what is written backwards the right way round.
    """
    shown = shown_order(points)
    if shown is not None:
        return shown
    columns = column_order(points)
    turned = backwards_order(points if columns is None else points[columns])
    if columns is None or turned is None:
        return turned if columns is None else columns
    return columns[turned]
