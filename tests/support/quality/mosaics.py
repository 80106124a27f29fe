"""Pages put together from works and other text: each page with what is copied in it."""

import random
from collections.abc import Callable, Sequence

from tests.support.quality.disguises import DISGUISES

Piece = tuple[str | None, int, int]  # of a work, or of no work; where in the text
Mosaic = Callable[[random.Random, Sequence[str], Sequence[int]], list[Piece]]


def _half(rng: random.Random, works: Sequence[str], lengths: Sequence[int]) -> list[Piece]:
    """Every other stretch is the work's, the rest other text of the same length."""
    pieces: list[Piece] = []
    at = 0
    while at + 100 < lengths[0]:
        end = min(lengths[0], at + rng.randint(100, 250))
        pieces.append((works[0] if len(pieces) % 2 == 0 else None, at, end))
        at = end
    return pieces


def _inserted(rng: random.Random, works: Sequence[str], lengths: Sequence[int]) -> list[Piece]:
    """A whole work with a piece of another in its midst."""
    at, length = rng.randint(100, lengths[0] - 100), rng.randint(100, min(300, lengths[1] - 1))
    start = rng.randrange(lengths[1] - length)
    return [(works[0], 0, at), (works[1], start, start + length), (works[0], at, lengths[0])]


def _woven(rng: random.Random, works: Sequence[str], lengths: Sequence[int]) -> list[Piece]:
    """Two works by turns."""
    pieces: list[Piece] = []
    at = 0
    while at + 100 < min(lengths[:2]):
        end = at + rng.randint(100, 200)
        pieces.extend((work, at, min(end, length)) for work, length in zip(works[:2], lengths, strict=False))
        at = end
    return pieces


def _abridged(rng: random.Random, works: Sequence[str], lengths: Sequence[int]) -> list[Piece]:
    """A work of which every other stretch is left out."""
    return _half(rng, works, lengths)[::2]


MOSAICS: dict[str, Mosaic] = {"half": _half, "inserted": _inserted, "woven": _woven, "abridged": _abridged}
LOOKS = {name: DISGUISES[name] for name in ("none", "trad", "noise10")}
