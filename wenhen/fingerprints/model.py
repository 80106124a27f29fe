"""Describe the packed fingerprints of texts, and rank those of concurrent workers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wenhen.kit.progress import OwnerKind
from wenhen.works.model import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The packed features of one segment of a text, from which the index can be rebuilt.

    A long text is cut into segments, so that positions fit 16 bits and a record fits MongoDB. `number` is what
    the index stores: unique per side, never used twice. A retired fingerprint belongs to an earlier version or a
    removed owner:
    its number counts for nothing, and its postings wait to be taken out of the index.
    """

    id: str  # `wenhen.kit.progress.fingerprint_id`
    kind: OwnerKind
    owner_id: str
    owner_version: int
    segment: int
    start: int  # letter index at which the segment begins
    letters: int  # letters in the segment
    number: int
    scheme: str
    parameters: Mapping[str, object]
    positions: bytes = field(repr=False)  # of its features, letters from `start`: `fingerprinter.features.model`
    values: bytes = field(repr=False)  # of its features, as packed there
    retired: bool = False


class WorkSegment(NamedTuple):
    """What a fingerprint of a work is of: a segment of its text. length: of the whole text, in code points."""

    work_id: str
    segment: int
    text_digest: str
    length: int


class NumberedWork(NamedTuple):
    """The work, as it is now, that a fingerprint was made of. version: of the work, that was fingerprinted.

    text: the work's, where it is short.
    """

    version: int
    work: Work
    text: str | None


def fingerprint_rank(version: int, numbers: Collection[int]) -> tuple[int, int]:
    """The rank of one set of fingerprints of a text: the later version counts and, of one version, the later numbers.

    >>> fingerprint_rank(2, [7, 8]) > fingerprint_rank(1, [9]), fingerprint_rank(1, [7, 9]) > fingerprint_rank(1, [8])
    (True, True)
    """
    return version, max(numbers)
