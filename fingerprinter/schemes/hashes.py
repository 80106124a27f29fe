"""Hashes that schemes choose among by name, and the hashing of k units in a row."""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache

import cityhash
import farmhash
import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.mixing import absorb, finish

Hash = Callable[[bytes], int]  # any bytes -> 64 bits
_SHINGLE_SEED = 0x2545F4914F6CDD1D


def _md5(content: bytes) -> int:
    return int.from_bytes(hashlib.md5(content, usedforsecurity=False).digest()[-8:], "big")


def _sha1(content: bytes) -> int:
    return int.from_bytes(hashlib.sha1(content, usedforsecurity=False).digest()[-8:], "big")


def _blake2b(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")


# Of farmhash the variant that is the same on every processor. Another package's own is added here under its name.
HASHES: dict[str, Hash] = {
    "md5": _md5,
    "sha1": _sha1,
    "blake2b": _blake2b,
    "farmhash": farmhash.Fingerprint64,
    "cityhash": cityhash.CityHash64,
}


@lru_cache(maxsize=1 << 19)
def word_hash(word: str, name: str = "md5") -> int:
    """64 bits of a word; its low f bits serve a fingerprint of f bits."""
    return HASHES[name](word.encode("utf-8", "surrogatepass"))


def word_hashes(words: Sequence[str], name: str = "md5") -> NDArray[np.uint64]:
    """u64[n]: the hash of each word."""
    return np.fromiter((word_hash(word, name) for word in words), np.uint64, len(words))


def code_points(text: str) -> NDArray[np.uint64]:
    """u64[n]: the characters of a text, for any str."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


@compiled("u8[::1](u8[::1], i8)")
def shingle_hashes(units: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """u64[n - k + 1]: a hash of each k units in a row, none for a text of fewer."""
    made = np.empty(max(0, len(units) - k + 1), np.uint64)
    for place in range(len(made)):
        state = np.uint64(_SHINGLE_SEED)
        for offset in range(k):
            state = absorb(state, units[place + offset])
        made[place] = finish(state)
    return made
