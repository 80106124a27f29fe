"""sif (Manber, Finding similar files in a large file system, 1993): fingerprints of 50-byte substrings.

A substring t1 … t50 of the UTF-8 text is worth F = t1 p^49 + t2 p^48 + … + t50 mod M, p prime and M = 2^30, and the
next one follows by F' = p F + t51 - t1 p^50 mod M. Two ways to choose what is kept, so that both copies keep the same:
- anchors: the 50 bytes that begin at certain common words;
- all: every substring is hashed, and those whose 8 lowest bits are zero are kept, none that overlaps the one before.
The estimate is shared fingerprints times the bytes that one stands for, over the bytes of the shorter text; it may
pass 100 %.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.schemes.indexes.inverted_index import Numbers
from fingerprinter.schemes.scheme import Parameters, SchemeFingerprint
from fingerprinter.schemes.shared import SharedScheme
from fingerprinter.schemes.words.text import SchemeText

WIDTH = 50  # bytes
P = 1_000_003
M = 1 << 30
MASK = 0xFF  # of the bits that must be zero
# Common enough to stand in every text, and far enough apart: modern and classical.
ANCHORS = (
    "一个 没有 自己 我们 他们 这个 什么 知道 可以 时候 因为 不是 "
    "出来 起来 以为 不可 天下 之所 其人 不能 大夫 於是 于是 所谓"
)
_ABSENT = -1


@compiled("i8[::1](u1[::1])")
def rolling(content: NDArray[np.uint8]) -> NDArray[np.int64]:
    """i64[n - 49]: the fingerprint of every 50-byte substring, none for fewer bytes."""
    made = np.empty(max(0, len(content) - WIDTH + 1), np.int64)
    power = np.int64(1)
    for _ in range(WIDTH):
        power = power * P % M
    value = np.int64(0)
    for place in range(len(content)):
        value = (value * P + content[place]) % M
        if place >= WIDTH:
            value = (value - content[place - WIDTH] * power) % M
        if place >= WIDTH - 1:
            made[place - WIDTH + 1] = value
    return made


@compiled("i8[::1](i8[::1], i8)")
def _selected(values: NDArray[np.int64], mask: int) -> NDArray[np.int64]:
    """Those whose masked bits are zero, without overlaps."""
    made = np.empty(len(values) // WIDTH + 1, np.int64)
    count = 0
    place = 0
    while place < len(values):
        if values[place] & mask == 0:
            made[count] = values[place]
            count += 1
            place += WIDTH
        else:
            place += 1
    return made[:count].copy()


def _bytes_of(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8).copy()


@cache
def _anchor_starts() -> tuple[bytes, ...]:
    return tuple(anchor.encode() for anchor in ANCHORS.split())


def anchor_places(content: bytes) -> list[int]:
    """The bytes at which an anchor begins, ascending."""
    places = []
    for anchor in _anchor_starts():
        place = content.find(anchor)
        while place != _ABSENT:
            places.append(place)
            place = content.find(anchor, place + 1)
    return sorted(places)


@dataclass(frozen=True)
class _Sif(SharedScheme):
    least_estimate: float = 0.1

    def _fixed(self) -> Parameters:
        return {"width": WIDTH, "p": P, "modulus": M, "mask": MASK}

    @property
    def threshold(self) -> float:
        return self.least_estimate

    def _length(self, text: SchemeText) -> int:
        """In bytes."""
        return len(text.characters.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class SifAll(_Sif):
    """All substrings, one in 256 kept."""

    least: ClassVar[int] = 300  # characters, for about three fingerprints
    name = "sif-all"

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:  # noqa: ARG002  the estimate goes by lengths
        spacing = MASK + WIDTH  # bytes from one kept substring to the next, on average
        return shared * spacing / np.minimum(lengths, query.length)

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        keys = np.unique(_selected(rolling(_bytes_of(text.characters)), MASK)).astype(np.uint32)
        return (keys, None) if len(keys) else None


@dataclass(frozen=True)
class SifAnchors(_Sif):
    """The substrings that begin at an anchor; each stands for its share of the text."""

    anchors: str = ANCHORS
    least: ClassVar[int] = 300
    name = "sif-anchors"

    def scores(self, shared: Numbers, query: SchemeFingerprint, sizes: Numbers, lengths: Numbers) -> Numbers:
        shorter_has = np.where(lengths < query.length, sizes, len(query.keys))
        return shared / shorter_has

    def _make(self, text: SchemeText) -> tuple[NDArray[Any], None] | None:
        content = _bytes_of(text.characters)
        values = rolling(content)
        places = [place for place in anchor_places(content.tobytes()) if place < len(values)]
        return (np.unique(values[places]).astype(np.uint32), None) if places else None
