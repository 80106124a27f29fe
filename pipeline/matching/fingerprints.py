"""A text's fingerprints kept and indexed: the same for works and pages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.index_features import PARAMETERS, SCHEME
from fingerprinter.features.segments import Segment, pack, unpack
from pipeline.context import Context
from pipeline.matching.outdated_fingerprints import is_current
from pipeline.matching.retired_words import take_out_retired_words
from pipeline.matching.text_with_letters import Reading
from store.errors import Conflict
from store.records import Fingerprint, Owner, OwnerKind, Progress
from store.rules.record_ids import fingerprint_id

RETIRED_BATCH = 500


@dataclass(frozen=True, slots=True)
class VersionText:
    """One version of an owner's text."""

    owner_id: str
    version: int
    reading: Reading


def fingerprint(context: Context, kind: OwnerKind, owner_id: str, version: int, text: str) -> int:
    """Keep the fingerprints of this version; the number of its segments, 0 for a text without features.

    Raises `Conflict` where those of a later version are kept already.
    """
    made = fingerprint_all(context, kind, [VersionText(owner_id, version, Reading(text))])
    if owner_id not in made:
        raise Conflict("store.later_fingerprints", kind=kind, id=owner_id, version=version)
    return made[owner_id]


def fingerprint_all(context: Context, kind: OwnerKind, texts: Sequence[VersionText]) -> dict[str, int]:
    """Keep the fingerprints of these versions, no owner twice: by owner, the number of segments, 0 for a text without
    features. Owners that others stored a later version of are absent.

    What is there already from an earlier try is kept with its numbers: its postings may be in the index.
    """
    present = context.store.fingerprints.of_all(kind, [one.owner_id for one in texts])
    made = {
        one.owner_id: len(present[one.owner_id])
        for one in texts
        if one.owner_id in present and all(_is_current(some, one.version) for some in present[one.owner_id])
    }
    packed = {one: pack(one.reading.letters) for one in texts if one.owner_id not in made}
    numbers = iter(context.store.fingerprints.numbers(kind, sum(map(len, packed.values()))))
    new = {
        one.owner_id: [_record(kind, one, place, segment, next(numbers)) for place, segment in enumerate(segments)]
        for one, segments in packed.items()
        if segments
    }
    void = context.store.fingerprints.replace_all(kind, new)
    for one, segments in packed.items():
        if not segments and one.owner_id in present:
            context.store.fingerprints.replace(kind, one.owner_id, [])
    made |= {one.owner_id: len(segments) for one, segments in packed.items() if one.owner_id not in void}
    return made


def _record(kind: OwnerKind, text: VersionText, place: int, segment: Segment, number: int) -> Fingerprint:
    return Fingerprint(
        id=fingerprint_id(Owner(kind, text.owner_id), text.version, place),
        kind=kind,
        owner_id=text.owner_id,
        owner_version=text.version,
        segment=place,
        start=segment.start,
        letters=segment.letters,
        number=number,
        scheme=SCHEME,
        parameters=PARAMETERS,
        positions=segment.positions,
        values=segment.values,
    )


def index(context: Context, kind: OwnerKind, owner_id: str, *, again: bool) -> None:
    """Bring the index in line with the owner's fingerprints.

    again: an earlier try may have added some; they are taken out first, so that nothing stands twice.
    """
    take_out_retired(context, kind, [owner_id])
    documents = _documents(context, kind, [owner_id])
    if again:
        context.index(kind).remove(documents)
    context.index(kind).add(documents)


def index_all(context: Context, kind: OwnerKind, owner_ids: Collection[str]) -> None:
    """The same for many owners, none of which was tried before."""
    take_out_retired(context, kind, owner_ids)
    context.index(kind).add(_documents(context, kind, owner_ids))


def _documents(context: Context, kind: OwnerKind, owner_ids: Collection[str]) -> list[tuple[int, Features]]:
    found = context.store.fingerprints.of_all(kind, owner_ids)
    return [(one.number, unpack(one.positions, one.values)) for some in found.values() for one in some]


def tried_before(progress: Progress) -> bool:
    """An earlier try of this step may have got half-way."""
    return progress.tries > 1 or progress.problem is not None


def take_out_retired(context: Context, kind: OwnerKind, owner_ids: Collection[str] | None = None) -> int:
    """Remove the postings of retired fingerprints, of these owners or of all; the number of fingerprints forgotten."""
    forgotten = 0
    while batch := context.store.fingerprints.retired(kind, RETIRED_BATCH, owner_ids):
        context.index(kind).remove((one.number, unpack(one.positions, one.values)) for one in batch)
        if kind is OwnerKind.WORK:
            take_out_retired_words(context, batch)
        context.store.fingerprints.forget(kind, [one.number for one in batch])
        forgotten += len(batch)
    return forgotten


def _is_current(one: Fingerprint, version: int) -> bool:
    return one.owner_version == version and is_current(one)
