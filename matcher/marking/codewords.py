"""Make the code of each copy: fair bits that nobody can tell without the secret.

A random code is a good fingerprinting code (Boneh and Shaw, 1998, Tardos, 2003). Its words are far apart, so that the
nearest word is right although many places were lost or changed. The bits are independent of every text that was
written without them. So the chance that an uninvolved copy agrees as well is known exactly.
"""

from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

SECRET_BYTES = 32  # bytes


def make_codeword(secret: bytes, copy: str, places: int) -> NDArray[np.bool_]:
    """Return the bits of a copy: bool[places].

    >>> bool((make_codeword(b"k" * 32, "a", 64) == make_codeword(b"k" * 32, "b", 64)).all())
    False
    """
    stream = shake_256(secret + copy.encode("utf-8", "surrogatepass")).digest(places // 8 + 1)
    return np.unpackbits(np.frombuffer(stream, np.uint8), count=places).astype(np.bool_)
