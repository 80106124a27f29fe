"""A text as an array of its code points."""

import numpy as np
from numpy.typing import NDArray


def code_points(text: str) -> NDArray[np.uint32]:
    """u32[n], read-only; lone surrogates too."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
