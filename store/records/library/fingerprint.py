"""The packed features of a text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from store.records.library.work import Work
from store.records.upkeep.progress import OwnerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The packed features of one segment of a text, from which the index can be rebuilt.

    A long text is cut into segments, so that positions fit 16 bits and a record fits MongoDB. `number` is what
    the index stores: unique per side, never used twice. A retired fingerprint belongs to an earlier version or a
    removed owner:
    its number counts for nothing, and its postings wait to be taken out of the index.
    """

    id: str  # `store.rules.record_ids.fingerprint_id`
    kind: OwnerKind
    owner_id: str
    owner_version: int
    segment: int
    start: int  # letter index at which the segment begins
    letters: int  # letters in the segment
    number: int
    scheme: str
    parameters: Mapping[str, object]
    positions: bytes = field(repr=False)  # of its features, letters from `start`: `store.rules.library.packed_features`
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
