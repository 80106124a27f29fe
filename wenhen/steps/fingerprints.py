"""A text's fingerprints kept and indexed: the same for works and pages."""

from fingerprinter.packing import pack, unpack
from fingerprinter.production import PARAMETERS, SCHEME
from fingerprinter.reading import read_letters
from store.records import Fingerprint, OwnerKind, Progress
from wenhen.app import App

RETIRED_BATCH = 500


def fingerprint(app: App, kind: OwnerKind, owner_id: str, version: int, text: str) -> int:
    """Keep the fingerprints of this version; the number of its segments, 0 for a text without features.

    What is there already from an earlier try is kept with its numbers: its postings may be in the index.
    """
    present = app.store.fingerprints.of(kind, owner_id)
    if present and all(_is_current(one, version) for one in present):
        return len(present)
    segments = pack(read_letters(text))
    numbers = app.store.fingerprints.numbers(kind, len(segments)) if segments else range(0)
    fingerprints = [
        Fingerprint(
            id=f"{kind}:{owner_id}:{version}:{place}",
            kind=kind,
            owner_id=owner_id,
            owner_version=version,
            segment=place,
            start=segment.start,
            letters=segment.letters,
            number=number,
            scheme=SCHEME,
            parameters=PARAMETERS,
            positions=segment.positions,
            values=segment.values,
        )
        for place, (segment, number) in enumerate(zip(segments, numbers, strict=True))
    ]
    app.store.fingerprints.replace(kind, owner_id, fingerprints)
    return len(fingerprints)


def index(app: App, kind: OwnerKind, owner_id: str, *, again: bool) -> None:
    """Bring the index in line with the owner's fingerprints.

    again: an earlier try may have added some; they are taken out first, so that nothing stands twice.
    """
    take_out_retired(app, kind, owner_id)
    fingerprints = app.store.fingerprints.of(kind, owner_id)
    documents = [(one.number, unpack(one.positions, one.values)) for one in fingerprints]
    if again:
        app.index(kind).remove(documents)
    app.index(kind).add(documents)


def tried_before(progress: Progress) -> bool:
    """An earlier try of this step may have got half-way."""
    return progress.tries > 1 or progress.problem is not None


def take_out_retired(app: App, kind: OwnerKind, owner_id: str | None = None) -> int:
    """Remove the postings of retired fingerprints, of one owner or of all; the number of fingerprints forgotten."""
    forgotten = 0
    while batch := app.store.fingerprints.retired(kind, RETIRED_BATCH, owner_id):
        app.index(kind).remove((one.number, unpack(one.positions, one.values)) for one in batch)
        app.store.fingerprints.forget([one.id for one in batch])
        forgotten += len(batch)
    return forgotten


def _is_current(one: Fingerprint, version: int) -> bool:
    return one.owner_version == version and one.scheme == SCHEME and dict(one.parameters) == PARAMETERS
