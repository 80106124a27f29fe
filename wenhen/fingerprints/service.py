"""Make, store and index the fingerprints of works and pages, and make those of an earlier scheme anew."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from fingerprinter.features.index_features import pack_text
from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME, Features, Segment, unpack_features
from matcher.paraphrase.plain_characters import to_plain_text
from matcher.paraphrase.rare_word_retrieval import extract_rare_words
from wenhen.context.store_and_queue import BACKGROUND_SHARE
from wenhen.context.use_cases import Context
from wenhen.fingerprints.letter_file import LetterCheck, WorkLetters, WorkVersion
from wenhen.fingerprints.model import Fingerprint
from wenhen.fingerprints.reading import TextReading
from wenhen.kit.errors import Conflict, IndexNotReady, NotFound
from wenhen.kit.progress import Owner, OwnerKind, Progress, Step, fingerprint_id
from wenhen.steps.runner import step_records
from wenhen.works.model import WorkDraft
from wenhen.works.service import batch_drafts

OWNERS_PER_BATCH: Final = 200  # owners per batch; new texts go first
_OUTDATED_MARK: Final = "outdated"


def is_current_form(fingerprint: Fingerprint) -> bool:
    """Return whether the current code would make a fingerprint of this form."""
    return fingerprint.scheme == FEATURE_SCHEME and list(fingerprint.parameters.items()) == list(
        FEATURE_PARAMETERS.items()
    )


def count_outdated(context: Context, kind: OwnerKind) -> int:
    """Count the live fingerprints of this kind that must be made again."""
    return context.store.fingerprints.count_other(kind, FEATURE_SCHEME, FEATURE_PARAMETERS)


def remake_outdated(context: Context, kind: OwnerKind) -> int:
    """Restart the next owners of outdated fingerprints at the fingerprint step.

    Owners that are being processed or were set aside are skipped until the next round.

    Returns the number of owners that were restarted.
    """
    name = f"{_OUTDATED_MARK}:{kind}"
    mark = context.store.marks.get(name)
    after = str(mark["after"]) if mark else ""
    owners = context.store.fingerprints.owners_of_other(
        kind, FEATURE_SCHEME, FEATURE_PARAMETERS, after=after, limit=OWNERS_PER_BATCH
    )
    records = step_records(context, kind)
    sent = [id for id in owners if records.restart(id, Step.FINGERPRINT, only_from={Step.DONE})]
    if sent:
        context.enqueue(kind, sent, Step.FINGERPRINT, BACKGROUND_SHARE)
    following = owners[-1] if len(owners) == OWNERS_PER_BATCH else ""
    if following != after:
        context.store.marks.set(name, {"after": following})
    return len(sent)


def _remove_rare_words(context: Context, fingerprints: Sequence[Fingerprint]) -> None:
    """Remove the rare words of these fingerprints of works from their index.

    If the text was lost from the store, its words stay until the next rebuild. Look-ups ignore them.
    """
    if context.settings.matcher.suspicions:
        with suppress(IndexNotReady):
            context.rare_words.remove(_rare_word_documents(context, fingerprints))


def _rare_word_documents(context: Context, fingerprints: Sequence[Fingerprint]) -> Iterator[tuple[int, Features]]:
    works = context.store.works.many({fingerprint.owner_id for fingerprint in fingerprints})
    digests = {(id, version.version): version.text_digest for id, work in works.items() for version in work.versions}
    pieces: dict[str, list[Features]] = {}
    for fingerprint in fingerprints:
        digest = digests.get((fingerprint.owner_id, fingerprint.owner_version))
        if digest is None:
            continue
        if digest not in pieces:
            pieces = {digest: _rare_word_pieces(context, digest)}  # fingerprints of one text are adjacent
        if fingerprint.segment < len(pieces[digest]):
            yield fingerprint.number, pieces[digest][fingerprint.segment]


def _rare_word_pieces(context: Context, digest: str) -> list[Features]:
    try:
        return extract_rare_words(to_plain_text(context.store.blobs.get_text(digest)))
    except NotFound:
        return []


# Storing and indexing the fingerprints of a text, for works and pages.


RETIRED_BATCH_SIZE = 500
LETTERS_BATCH_SIZE = 500  # works


@dataclass(frozen=True, slots=True)
class VersionText:
    """One version of the text of an owner."""

    owner_id: str
    version: int
    reading: TextReading


def fingerprint_text(context: Context, kind: OwnerKind, owner_id: str, version: int, text: str) -> int:
    """Store the fingerprints of this version. Return the number of segments; 0 for a text without features.

    Raises `Conflict` if those of a later version are stored already.
    """
    made = fingerprint_texts(context, kind, [VersionText(owner_id, version, TextReading(text))])
    if owner_id not in made:
        raise Conflict("store.later_fingerprints", kind=kind, id=owner_id, version=version)
    return made[owner_id]


def fingerprint_texts(
    context: Context, kind: OwnerKind, texts: Sequence[VersionText], *, unindex: bool = True
) -> dict[str, int]:
    """Store the fingerprints of these versions, at most one version for each owner.

    Current fingerprints of an earlier pass stay with their numbers. unindex: remove their postings, as the next step
    adds all postings of these texts, and a posting that is there twice counts twice.

    Returns the number of segments by owner; 0 for a text without features. Owners with a later stored version are
    absent.
    """
    present = context.store.fingerprints.of_all(kind, [text.owner_id for text in texts])
    made = {
        text.owner_id: len(present[text.owner_id])
        for text in texts
        if text.owner_id in present
        and all(_is_current_fingerprint(fingerprint, text.version) for fingerprint in present[text.owner_id])
    }
    if made and unindex:
        _remove_postings(context, kind, list(chain.from_iterable(present[owner_id] for owner_id in made)))
    packed = {text: pack_text(text.reading.letters) for text in texts if text.owner_id not in made}
    numbers = iter(context.store.fingerprints.numbers(kind, sum(map(len, packed.values()))))
    new = {
        owner.owner_id: [
            _make_fingerprint(kind, owner, place, segment, next(numbers)) for place, segment in enumerate(segments)
        ]
        for owner, segments in packed.items()
        if segments
    }
    void = context.store.fingerprints.replace_all(kind, new)
    for owner, segments in packed.items():
        if not segments and owner.owner_id in present:
            context.store.fingerprints.replace(kind, owner.owner_id, [])
    made |= {owner.owner_id: len(segments) for owner, segments in packed.items() if owner.owner_id not in void}
    if kind is OwnerKind.WORK:
        numbered = (fingerprint for fingerprints in new.values() for fingerprint in fingerprints)
        _keep_letters(context, packed, {each.number: (each.owner_id, each.owner_version) for each in numbered})
    return made


def _keep_letters(context: Context, texts: Iterable[VersionText], names: Mapping[int, WorkVersion]) -> None:
    """Store the initials of works on this machine, for comparison, and the owners of numbers in the index."""
    if context.work_letters is not None:
        context.work_letters.put(
            {(text.owner_id, text.version): WorkLetters.of(text.reading.text, text.reading.letters) for text in texts},
            names,
        )


def rebuild_letters(context: Context, progress: Callable[[int, int], None] | None = None) -> int:
    """Rebuild the initials on this machine from the stored texts. Return the number of works.

    Comparison works meanwhile, from the texts of works whose initials are missing.
    """
    assert context.work_letters is not None
    context.work_letters.clear()
    total, done = context.store.works.count(), 0
    ids = context.store.works.ids()
    while batch := list(islice(ids, LETTERS_BATCH_SIZE)):
        works = [work for work in context.store.works.many(batch).values() if work.removed_at is None]
        texts = context.store.blobs.get_texts({work.text_digest for work in works})
        _keep_letters(
            context,
            [VersionText(work.id, work.version, TextReading(texts[work.text_digest])) for work in works],
            context.store.fingerprints.names_of(OwnerKind.WORK, [work.id for work in works]),
        )
        done += len(works)
        if progress:
            progress(done, max(done, total))
    return done


def check_letters(context: Context) -> LetterCheck:
    """Check the initials of all works on this machine."""
    assert context.work_letters is not None
    ids, counts = context.store.works.ids(), LetterCheck(0, 0, 0)
    while batch := list(islice(ids, LETTERS_BATCH_SIZE)):
        works = [work for work in context.store.works.many(batch).values() if work.removed_at is None]
        checked = context.work_letters.check((work.id, work.version) for work in works)
        counts = LetterCheck(*(before + now for before, now in zip(counts, checked, strict=True)))
    return counts


def _make_fingerprint(kind: OwnerKind, text: VersionText, place: int, segment: Segment, number: int) -> Fingerprint:
    return Fingerprint(
        id=fingerprint_id(Owner(kind, text.owner_id), text.version, place),
        kind=kind,
        owner_id=text.owner_id,
        owner_version=text.version,
        segment=place,
        start=segment.start,
        letters=segment.letters,
        number=number,
        scheme=FEATURE_SCHEME,
        parameters=FEATURE_PARAMETERS,
        positions=segment.positions,
        values=segment.values,
    )


def index_owner(context: Context, kind: OwnerKind, owner_id: str, *, again: bool) -> None:
    """Bring the index in line with the fingerprints of an owner.

    again: an earlier try may have added some. They are removed first, so that no posting is added twice.
    """
    remove_retired_fingerprints(context, kind, [owner_id])
    documents = _index_documents(context, kind, [owner_id])
    if again:
        context.index(kind).remove(documents)
    context.index(kind).add(documents)


def index_owners(context: Context, kind: OwnerKind, owner_ids: Collection[str]) -> None:
    """Index many owners, none of which was tried before."""
    remove_retired_fingerprints(context, kind, owner_ids)
    context.index(kind).add(_index_documents(context, kind, owner_ids))


def _index_documents(context: Context, kind: OwnerKind, owner_ids: Collection[str]) -> list[tuple[int, Features]]:
    return [
        (number, unpack_features(positions, values))
        for number, positions, values in context.store.fingerprints.packed_features(kind, owner_ids)
    ]


def was_tried_before(progress: Progress) -> bool:
    """Return whether an earlier try of this step may have done part of it."""
    return progress.tries > 1 or progress.problem is not None


def remove_retired_fingerprints(context: Context, kind: OwnerKind, owner_ids: Collection[str] | None = None) -> int:
    """Remove retired fingerprints of these owners, or of all, with their postings. Return how many were deleted."""
    forgotten = 0
    while batch := context.store.fingerprints.find_retired(kind, RETIRED_BATCH_SIZE, owner_ids):
        _remove_postings(context, kind, batch)
        context.store.fingerprints.forget(kind, [fingerprint.number for fingerprint in batch])
        forgotten += len(batch)
    return forgotten


def _remove_postings(context: Context, kind: OwnerKind, fingerprints: Sequence[Fingerprint]) -> None:
    context.index(kind).remove(
        (fingerprint.number, unpack_features(fingerprint.positions, fingerprint.values)) for fingerprint in fingerprints
    )
    if kind is OwnerKind.WORK:
        _remove_rare_words(context, fingerprints)


def _is_current_fingerprint(fingerprint: Fingerprint, version: int) -> bool:
    return fingerprint.owner_version == version and is_current_form(fingerprint)


# Loading of a whole library at once. Indexing is left to a rebuild.


LoadProgress = Callable[[int], None]


def store_and_fingerprint(context: Context, drafts: Iterable[WorkDraft], progress: LoadProgress | None = None) -> int:
    """Store works and their fingerprints, with no step left to run. Return the number of works. Raises `BadInput`."""
    done = 0
    for batch in batch_drafts(drafts):
        _store_batch(context, batch)
        done += len(batch)
        if progress:
            progress(done)
    return done


def _store_batch(context: Context, drafts: Sequence[WorkDraft]) -> None:
    stored = context.store.works.put_all(drafts, note=None, step=Step.DONE)
    fingerprint_texts(
        context,
        OwnerKind.WORK,
        [
            VersionText(work.id, work.version, TextReading(draft.text))
            for (work, _), draft in zip(stored, drafts, strict=True)
        ],
        unindex=False,
    )
