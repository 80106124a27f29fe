"""Make the code of each copy, and trace readings to their copy, with the chance of a false accusation.

The code is fair bits that nobody can tell without the secret. A random code is a good fingerprinting code (Boneh and
Shaw, 1998, Tardos, 2003). Its words are far apart, so that the nearest word is right although many places were lost or
changed. The bits are independent of every text that was written without them. So the chance that an uninvolved copy
agrees as well is known exactly.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import shake_256
from math import exp, lgamma, log, log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from matcher.model import MAX_FALSE_NAMING, TracedCopy

NO_READING: Final = -1


def trace_copies(readings: NDArray[np.int8], codewords: Iterable[tuple[str, NDArray[np.bool_]]]) -> list[TracedCopy]:
    """Return all copies, the likeliest first.

    readings: i8[places], the reading at each place or `NO_READING`. The bits of a copy are fair and independent of any
    text that was written without it. So the number of agreeing places of an uninvolved copy is binomial, whatever the
    text. The chance is the tail of that distribution, times the number of copies.
    """
    places = np.flatnonzero(readings != NO_READING)
    read = readings[places].astype(np.bool_)
    agreeing = [(copy, int((codeword[places] == read).sum())) for copy, codeword in codewords]
    traced = [
        TracedCopy(copy, count, len(places), min(1.0, len(agreeing) * binomial_tail(len(places), count)))
        for copy, count in agreeing
    ]
    return sorted(traced, key=lambda each: (-each.agreeing, each.copy))


@lru_cache(maxsize=4096)
def binomial_tail(flips: int, heads: int) -> float:
    """Return the chance of so many heads or more with a fair coin.

    >>> binomial_tail(10, 9)
    0.0107421875
    """
    if heads <= 0:
        return 1.0
    logs = [_log_binomial(flips, count) for count in range(heads, flips + 1)]
    if not logs:
        return 0.0
    most = max(logs)
    return round_tail(exp(most - flips * log(2) + log1p(sum(exp(each - most) for each in logs) - 1)))


def round_tail(chance: float) -> float:
    """Return the chance without the noise of logarithms, at most 1.

    >>> round_tail(0.010742187500004)
    0.0107421875
    """
    return min(1.0, float(f"{chance:.10g}"))


def needed_places(copies: int) -> int:
    """Return how many undisturbed places name one of so many copies.

    >>> needed_places(1000)
    30
    """
    places = 1
    while copies * 0.5**places > MAX_FALSE_NAMING:
        places += 1
    return places


def _log_binomial(whole: int, part: int) -> float:
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)


SECRET_BYTES = 32  # bytes


def make_codeword(secret: bytes, copy: str, places: int) -> NDArray[np.bool_]:
    """Return the bits of a copy: bool[places].

    >>> bool((make_codeword(b"k" * 32, "a", 64) == make_codeword(b"k" * 32, "b", 64)).all())
    False
    """
    stream = shake_256(secret + copy.encode("utf-8", "surrogatepass")).digest(places // 8 + 1)
    return np.unpackbits(np.frombuffer(stream, np.uint8), count=places).astype(np.bool_)
