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
from fingerprinter.features.model import absorb_value, finalize_hash
from fingerprinter.words.text import SchemeText

# The port of the key-value store for look-ups by key.


class KeyBuckets(Protocol):
    """A set of numbers below 2**64 under each key of bytes. Adding a number twice changes nothing."""

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Add each number under its key. Raise Unavailable if a server does not answer."""

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        """Return the ascending numbers of each key, none for an unknown key."""


class MemoryBuckets:
    """Buckets in memory."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, array[int]] = {}

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        for key, number in entries:
            self._numbers.setdefault(key, array("Q")).append(number)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        return [sorted(set(self._numbers.get(key, ()))) for key in keys]


class PrefixedBuckets:
    """A part of other buckets: a prefix on every key lets many indexes share a store."""

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


# The variant of farmhash is the same on every processor. Functions of other packages are added here under their names.
HASH_FUNCTIONS: dict[str, HashFunction] = {
    "md5": _md5,
    "sha1": _sha1,
    "blake2b": _blake2b,
    "farmhash": farmhash.Fingerprint64,
    "cityhash": cityhash.CityHash64,
}


@lru_cache(maxsize=1 << 19)
def word_hash(word: str, name: str = "md5") -> int:
    """Return a hash of 64 bits. Its low f bits serve fingerprints of f bits."""
    return HASH_FUNCTIONS[name](word.encode("utf-8", "surrogatepass"))


def word_hashes(words: Sequence[str], name: str = "md5") -> NDArray[np.uint64]:
    """Return the hash of each word, u64[n]."""
    return np.fromiter((word_hash(word, name) for word in words), np.uint64, len(words))


def character_units(text: str) -> NDArray[np.uint64]:
    """Return the characters of any string, u64[n]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


@compiled("u8[::1](u8[::1], i8)")
def shingle_hashes(units: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """Return a hash of each k units in a row, u64[n - k + 1], none for fewer units."""
    made = np.empty(max(0, len(units) - k + 1), np.uint64)
    for place in range(len(made)):
        state = np.uint64(_SHINGLE_SEED)
        for offset in range(k):
            state = absorb_value(state, units[place + offset])
        made[place] = finalize_hash(state)
    return made


# The interface of fingerprint schemes: text -> fingerprint -> similarity, and an index.


Reads = Literal["characters", "words", "letters"]
Parameters = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True, eq=False)
class SchemeFingerprint:
    """The fingerprint of a text with its settings.

    keys: the hashes, of an unsigned type. weights: f4[n] or f8[n], one a key, or a vector without keys. length: of the
    text in the scheme's unit, by default characters.
    """

    scheme: str
    version: int
    parameters: Parameters
    length: int
    keys: NDArray[Any]
    weights: NDArray[Any] | None = field(default=None)

    @property
    def count(self) -> int:
        """Return the number of single fingerprints."""
        return max(1, len(self.keys))

    @property
    def nbytes(self) -> int:
        """Return the stored bytes without the settings."""
        return self.keys.nbytes + (0 if self.weights is None else self.weights.nbytes)


@dataclass(frozen=True, slots=True)
class SchemeHit:
    """A document that a scheme takes for a copy."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class SchemeHits:
    """The documents that a scheme takes for copies, most similar first. comparisons: compared documents."""

    matches: tuple[SchemeHit, ...]
    comparisons: int


class SchemeIndex(Protocol):
    """The fingerprints of one scheme, with its own look-up."""

    def add(self, number: int, fingerprint: SchemeFingerprint) -> None:
        """Add a document. Each number comes once."""

    def look_up(self, fingerprint: SchemeFingerprint) -> SchemeHits:
        """Return the documents whose similarity reaches the scheme's threshold."""

    def __len__(self) -> int: ...


class Scheme(ABC):
    """A scheme. least: characters below which its answers are unreliable, so that it gives none."""

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "characters"
    least: ClassVar[int]

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name of the scheme and its variant."""

    @cached_property
    def parameters(self) -> Parameters:
        """Return the settings by name: the fields, and those of `_fixed_parameters`. A weight table appears by its
        name.
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(cast(Any, self))}
        plain = {name: value if isinstance(value, str | int | float) else value.name for name, value in fields.items()}
        return {**self._fixed_parameters(), **plain}

    @property
    @abstractmethod
    def threshold(self) -> float:
        """Return the least similarity of a copy."""

    def fingerprint(self, text: SchemeText) -> SchemeFingerprint | None:
        """Return the fingerprint of a text, or None if the text is too short or has nothing to read."""
        if len(text.characters) < self.least:
            return None
        made = self._make(text)
        if made is None:
            return None
        keys, weights = made
        return SchemeFingerprint(self.name, self.version, self.parameters, self._length(text), keys, weights)

    def similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float:
        """Return the similarity of two texts, 1 for equal ones. An estimate may exceed 1. Raise ValueError for other
        settings.
        """
        for each in (first, second):
            if (each.scheme, each.version, each.parameters) != (self.name, self.version, self.parameters):
                raise ValueError(
                    f"{each.scheme} version {each.version} {dict(each.parameters)} is no fingerprint of {self.name} "
                    f"version {self.version} {dict(self.parameters)}: make it again with these settings"
                )
        return self._similarity(first, second)

    @abstractmethod
    def index(self, buckets: KeyBuckets) -> SchemeIndex:
        """Return an empty index. Schemes with look-up by key store their keys in these buckets."""

    @abstractmethod
    def _make(self, text: SchemeText) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
        """Return keys and weights, or None."""

    @abstractmethod
    def _similarity(self, first: SchemeFingerprint, second: SchemeFingerprint) -> float: ...

    def _fixed_parameters(self) -> Parameters:
        """Return the constant settings of the scheme."""
        return {}

    def _length(self, text: SchemeText) -> int:
        return len(text.characters)


def rank_hits(numbers: NDArray[np.int64], scores: NDArray[np.float64], comparisons: int) -> SchemeHits:
    """Return the hits, most similar first, equal ones in order of their numbers."""
    order = np.lexsort((numbers, -scores))
    return SchemeHits(
        tuple(SchemeHit(int(numbers[position]), float(scores[position])) for position in order), comparisons
    )
