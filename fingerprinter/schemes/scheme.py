"""Define the interface of fingerprint schemes, their buckets and their hash functions."""

import dataclasses
import hashlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, Protocol, cast

import cityhash
import farmhash
import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.hashing import absorb_value, finalize_hash
from fingerprinter.words.text import SchemeText

# The port of the key-value store behind look-ups by key: a key, and the numbers that were put under it.


class KeyBuckets(Protocol):
    """Keys of any bytes; under each a set of numbers below 2**64. Adding one twice changes nothing."""

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Put each number under its key. Raises Unavailable when a server behind it does not answer."""

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        """For each key its numbers, ascending; none for an unknown key."""


class MemoryBuckets:
    """In this process's memory."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, array[int]] = {}

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        for key, number in entries:
            self._numbers.setdefault(key, array("Q")).append(number)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        return [sorted(set(self._numbers.get(key, ()))) for key in keys]


class PrefixedBuckets:
    """A part of other buckets: every key under a prefix, so that many indexes share one store."""

    def __init__(self, buckets: KeyBuckets, prefix: bytes) -> None:
        self._buckets = buckets
        self._prefix = prefix + b"\0"

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        self._buckets.add((self._prefix + key, number) for key, number in entries)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        return self._buckets.get([self._prefix + key for key in keys])


HashFunction = Callable[[bytes], int]  # any bytes -> 64 bits
_SHINGLE_SEED = 0x2545F4914F6CDD1D


def _md5(content: bytes) -> int:
    return int.from_bytes(hashlib.md5(content, usedforsecurity=False).digest()[-8:], "big")


def _sha1(content: bytes) -> int:
    return int.from_bytes(hashlib.sha1(content, usedforsecurity=False).digest()[-8:], "big")


def _blake2b(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")


# Of farmhash the variant that is the same on every processor. Another package's own is added here under its name.
HASH_FUNCTIONS: dict[str, HashFunction] = {
    "md5": _md5,
    "sha1": _sha1,
    "blake2b": _blake2b,
    "farmhash": farmhash.Fingerprint64,
    "cityhash": cityhash.CityHash64,
}


@lru_cache(maxsize=1 << 19)
def word_hash(word: str, name: str = "md5") -> int:
    """64 bits of a word; its low f bits serve a fingerprint of f bits."""
    return HASH_FUNCTIONS[name](word.encode("utf-8", "surrogatepass"))


def word_hashes(words: Sequence[str], name: str = "md5") -> NDArray[np.uint64]:
    """u64[n]: the hash of each word."""
    return np.fromiter((word_hash(word, name) for word in words), np.uint64, len(words))


def character_units(text: str) -> NDArray[np.uint64]:
    """u64[n]: the characters of a text, for any str."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


@compiled("u8[::1](u8[::1], i8)")
def shingle_hashes(units: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """u64[n - k + 1]: a hash of each k units in a row, none for a text of fewer."""
    made = np.empty(max(0, len(units) - k + 1), np.uint64)
    for place in range(len(made)):
        state = np.uint64(_SHINGLE_SEED)
        for offset in range(k):
            state = absorb_value(state, units[place + offset])
        made[place] = finalize_hash(state)
    return made


# The interface of every fingerprint scheme: text -> fingerprint -> similarity, and an index to look up in.


Reads = Literal["characters", "words", "letters"]
Parameters = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True, eq=False)
class SchemeFingerprint:
    """What a scheme keeps of a text, with the settings that made it.

    keys: the hashes, of an unsigned type; weights: f4[n] or f8[n], where the scheme has some (one a key, or a vector
    without keys). length: of the text that was read, in the scheme's unit (characters unless it says otherwise).
    """

    scheme: str
    version: int
    parameters: Parameters
    length: int
    keys: NDArray[Any]
    weights: NDArray[Any] | None = field(default=None)

    @property
    def count(self) -> int:
        """How many single fingerprints it holds."""
        return max(1, len(self.keys))

    @property
    def nbytes(self) -> int:
        """Bytes to store, settings apart."""
        return self.keys.nbytes + (0 if self.weights is None else self.weights.nbytes)


@dataclass(frozen=True, slots=True)
class SchemeHit:
    """A document of an index that a scheme takes for a copy."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class SchemeHits:
    """The documents that a scheme takes for copies, most similar first. comparisons: documents that were compared."""

    matches: tuple[SchemeHit, ...]
    comparisons: int


class SchemeIndex(Protocol):
    """Fingerprints of one scheme, found by its own way of looking up."""

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        """Take a document in; each number once."""

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        """The documents whose similarity reaches the scheme's threshold."""

    def __len__(self) -> int: ...


class Scheme(ABC):
    """One scheme. least: characters below which its answers are not to be trusted, so that it gives none."""

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "characters"
    least: ClassVar[int]

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called, its variant included."""

    @cached_property
    def parameters(self) -> Parameters:
        """Its settings by name: its fields, and what `_fixed` adds; a table of weights goes by its name."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(cast(Any, self))}
        plain = {name: value if isinstance(value, str | int | float) else value.name for name, value in fields.items()}
        return {**self._fixed(), **plain}

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The similarity from which it calls a text a copy."""

    def fingerprint(self, text: SchemeText) -> SchemeFingerprint | None:
        """The fingerprint of a text; None where it is too short, or holds nothing that the scheme reads."""
        if len(text.characters) < self.least:
            return None
        made = self._make(text)
        if made is None:
            return None
        keys, weights = made
        return SchemeFingerprint(self.name, self.version, self.parameters, self._length(text), keys, weights)

    def similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float:
        """How alike two texts are, 1 for the same (an estimate may pass it). ValueError for other settings."""
        for each in (one, other):
            if (each.scheme, each.version, each.parameters) != (self.name, self.version, self.parameters):
                raise ValueError(
                    f"{each.scheme} version {each.version} {dict(each.parameters)} is no fingerprint of {self.name} "
                    f"version {self.version} {dict(self.parameters)}: make it again with these settings"
                )
        return self._similarity(one, other)

    @abstractmethod
    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        """An empty index; schemes that look up by key keep their keys in these buckets."""

    @abstractmethod
    def _make(self, text: SchemeText) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
        """Keys and weights; None for nothing to go by."""

    @abstractmethod
    def _similarity(self, one: SchemeFingerprint, other: SchemeFingerprint) -> float: ...

    def _fixed(self) -> Parameters:
        """Settings that are constants of the scheme."""
        return {}

    def _length(self, text: SchemeText) -> int:
        return len(text.characters)


def rank_hits(numbers: NDArray[np.int64], scores: NDArray[np.float64], comparisons: int) -> SchemeHits:
    """An answer, its matches most similar first and of equal ones the earliest."""
    order = np.lexsort((numbers, -scores))
    return SchemeHits(tuple(SchemeHit(int(numbers[at]), float(scores[at])) for at in order), comparisons)
