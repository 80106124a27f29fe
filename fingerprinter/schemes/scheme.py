"""The interface of every fingerprint scheme: text -> fingerprint -> similarity, and an index to look up in."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from fingerprinter.schemes.buckets import KeyBuckets
from fingerprinter.schemes.words.text import SchemeText

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


def ranked(numbers: NDArray[np.int64], scores: NDArray[np.float64], comparisons: int) -> SchemeHits:
    """An answer, its matches most similar first and of equal ones the earliest."""
    order = np.lexsort((numbers, -scores))
    return SchemeHits(tuple(SchemeHit(int(numbers[at]), float(scores[at])) for at in order), comparisons)
