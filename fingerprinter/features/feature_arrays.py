"""Features: the hashed units that the inverted index takes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """n features of a text.

    values: u64[n], well mixed hashes; positions: u32[n], the letter at which each begins, ascending.
    """

    values: NDArray[np.uint64]
    positions: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.values)
