"""Define the packed fingerprints of texts, and the order between those of concurrent workers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wenhen.kit.progress import OwnerKind
from wenhen.works.model import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The packed features of one segment of a text. The index can be rebuilt from them.

    A long text is cut into segments, so that positions fit 16 bits and a record fits MongoDB. The index stores
    `number`, which is unique per kind of owner and is never reused. A retired fingerprint belongs to an earlier version
    or a removed owner. Look-ups ignore its number, and its postings wait to be removed from the index.
    """

    id: str  # `wenhen.kit.progress.fingerprint_id`
    kind: OwnerKind
    owner_id: str
    owner_version: int
    segment: int
    start: int  # index of the first letter of the segment
    letters: int  # letters in the segment
    number: int
    scheme: str
    parameters: Mapping[str, object]
    positions: bytes = field(repr=False)  # of its features, in letters from `start`: `fingerprinter.features.model`
    values: bytes = field(repr=False)  # of its features, packed as in that module
    retired: bool = False


class WorkSegment(NamedTuple):
    """The segment of a work that a fingerprint was made of. length: of the whole text, in code points."""

    work_id: str
    segment: int
    text_digest: str
    length: int


class NumberedWork(NamedTuple):
    """The current record of the work that a fingerprint was made of.

    version: version of the work that was fingerprinted. text: text of the work if it is short.
    """

    version: int
    work: Work
    text: str | None


def fingerprint_rank(version: int, numbers: Collection[int]) -> tuple[int, int]:
    """Return the rank of one set of fingerprints of a text: the later version wins, then the later numbers.

    >>> fingerprint_rank(2, [7, 8]) > fingerprint_rank(1, [9]), fingerprint_rank(1, [7, 9]) > fingerprint_rank(1, [8])
    (True, True)
    """
    return version, max(numbers)
