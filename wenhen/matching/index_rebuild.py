"""Rebuild, compact and verify the indexes of works, pages and rare words."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, islice

import numpy as np

from fingerprinter.features.model import VALUE_BYTES, Features, unpack_features
from matcher.index.postings import limit_repeats
from matcher.index.protocol import Index
from matcher.paraphrase.plain_characters import to_plain_text
from matcher.paraphrase.rare_word_retrieval import extract_rare_words
from wenhen.context.use_cases import Context
from wenhen.crawls.model import Run, RunKind
from wenhen.fingerprints.model import Fingerprint
from wenhen.fingerprints.service import is_current_form
from wenhen.kit.errors import Conflict, IndexNotReady, Message, Unavailable, failure
from wenhen.kit.progress import OwnerKind, Subject, SubjectKind
from wenhen.steps.runner import repeat_in_background

_WORKS_PER_BATCH = 1_000  # works that are read at a time


def index_rare_words(context: Context, owner_ids: Collection[str], *, again: bool = False) -> None:
    """Add the rare words of works to their index, under the fingerprint numbers of the works.

    Entries of an earlier version are removed with its fingerprints. again: see
    `wenhen.fingerprints.service.index_owner`.
    """
    if not context.settings.matcher.suspicions:
        return
    documents = list(_documents_of_works(context, owner_ids))
    with suppress(IndexNotReady):  # the rebuild that creates the index reads all works
        if again:
            context.rare_words.remove(documents)
        context.rare_words.add(documents)


def rebuild_rare_words(context: Context, postings: int) -> None:
    """Rebuild the index of rare words from the texts of all works. postings: capacity of the new index."""
    if not context.settings.matcher.suspicions:
        return
    context.rare_words.create(postings=postings)
    context.rare_words.load(rare_word_documents(context))
    context.rare_words.publish()


def lacks_rare_words(context: Context) -> bool:
    """Return whether the index of rare words is enabled but missing."""
    return context.settings.matcher.suspicions and not context.rare_words.exists()


def _documents_of_works(context: Context, owner_ids: Collection[str]) -> Iterator[tuple[int, Features]]:
    """Yield the rare words of works and common texts, which explain what pages share with works.

    Each piece of a text has the number of the fingerprint of the same piece.
    """
    numbers = context.store.fingerprints.of_all(OwnerKind.WORK, owner_ids)
    works = context.store.works.many(numbers)
    texts = context.store.blobs.get_texts([work.text_digest for work in works.values()])
    for id, work in works.items():
        pieces = extract_rare_words(to_plain_text(texts[work.text_digest]))
        yield from ((document.number, words) for document, words in zip(numbers[id], pieces, strict=False))


def rare_word_documents(context: Context) -> Iterator[tuple[int, Features]]:
    """Yield the number and rare words of each piece of all works."""
    waiting: list[str] = []
    for id in context.store.works.ids():
        waiting.append(id)
        if len(waiting) == _WORKS_PER_BATCH:
            yield from _documents_of_works(context, waiting)
            waiting.clear()
    yield from _documents_of_works(context, waiting)


SIZE_SAMPLE_FINGERPRINTS = 500  # fingerprints from which the total size is estimated
HEARTBEAT_SECONDS = 5.0
REBUILD_LOST_AFTER = timedelta(seconds=30)
MIN_INDEX_POSTINGS = 1_000_000  # minimum capacity of a new index, in postings; unused capacity costs nothing

REBUILD_INTERRUPTED = Message("rebuilding.interrupted")

ProgressCallback = Callable[[int, int], None]


def rebuild_index(context: Context, kind: OwnerKind, progress: ProgressCallback | None = None) -> Run | None:
    """Rebuild one index. Return None if it is being rebuilt already.

    The index is built from the stored fingerprints, and the rare words from the texts of works. Works and pages that
    arrive during the rebuild go to both indexes.
    """
    if _is_being_rebuilt(context, kind):
        return None
    subject = Subject(SubjectKind.INDEX, kind.value)
    try:
        run = context.store.runs.start(RunKind.REBUILD, subject, context.now(), sole=True)
    except Conflict:  # another process was faster
        return None
    done: dict[str, int] = {}
    try:
        with _keep_alive(context, run, done):
            counts = _build_index(context, kind, done, progress)
    except BaseException as error:  # Ctrl-C ends the run as well
        context.store.runs.end(run.id, context.now(), done, _failure_reason(error))
        raise
    context.store.runs.end(run.id, context.now(), counts)
    return context.store.runs.get(run.id)


def request_index_rebuild(context: Context, kind: OwnerKind, progress: ProgressCallback | None = None) -> Run:
    """Rebuild one index from the fingerprints, and switch to it. Look-ups continue meanwhile.

    Raises Conflict if the index is being rebuilt already.
    """
    run = rebuild_index(context, kind, progress)
    if run is None:
        raise Conflict("rebuilding.under_way", kind=str(kind))
    return run


def build_missing_indexes(context: Context) -> None:
    """Build missing indexes, at the first start or after the index server was emptied."""
    for kind in OwnerKind:
        if not context.index(kind).exists() or (kind is OwnerKind.WORK and lacks_rare_words(context)):
            rebuild_index(context, kind)


def compact_indexes(context: Context) -> None:
    """Compact the indexes. An index that has outgrown its buckets is rebuilt."""
    for kind in OwnerKind:
        index = context.index(kind)
        if index.stats().wants_rebuild:
            rebuild_index(context, kind)
        else:
            index.rewrite()
            if kind is OwnerKind.WORK and not lacks_rare_words(context):
                context.rare_words.rewrite()


@contextmanager
def _keep_alive(context: Context, run: Run, done: Mapping[str, int]) -> Iterator[None]:
    """Write a heartbeat with the progress of the run every few seconds."""

    def beat() -> bool:
        with suppress(Unavailable):
            context.store.runs.beat(run.id, context.now(), dict(done))
        return True

    with repeat_in_background(HEARTBEAT_SECONDS, beat, f"rebuild {run.id}"):
        yield


def _build_index(
    context: Context, kind: OwnerKind, counts: dict[str, int], progress: ProgressCallback | None
) -> dict[str, int]:
    index = context.index(kind)
    total = context.store.fingerprints.count(kind)
    fingerprints = context.store.fingerprints.all(kind)
    sample = list(islice(fingerprints, SIZE_SAMPLE_FINGERPRINTS))
    index.create(postings=max(MIN_INDEX_POSTINGS, estimate_postings(sample, total)))

    def documents() -> Iterator[tuple[int, Features]]:
        for done, fingerprint in enumerate(chain(sample, fingerprints), 1):
            yield fingerprint.number, unpack_features(fingerprint.positions, fingerprint.values)
            counts.update(fingerprints=done, of=total)
            if progress:
                progress(done, max(done, total))

    postings = index.load(documents())
    index.publish()
    if kind is OwnerKind.WORK:
        rebuild_rare_words(context, max(MIN_INDEX_POSTINGS, postings))
    return {"fingerprints": total, "postings": postings}


def _failure_reason(error: BaseException) -> Message:
    return failure(error) if isinstance(error, Exception) else REBUILD_INTERRUPTED


def estimate_postings(sample: list[Fingerprint], total: int) -> int:
    """Estimate the number of postings of all fingerprints from a sample, with half as many again for growth."""
    if not sample:
        return 0
    return int(1.5 * total * sum(len(fingerprint.values) // VALUE_BYTES for fingerprint in sample) / len(sample))


def _is_being_rebuilt(context: Context, kind: OwnerKind) -> bool:
    """Return whether the index is being rebuilt. Runs whose process died are ended as lost."""
    context.store.runs.end_lost(RunKind.REBUILD, context.now() - REBUILD_LOST_AFTER)
    subject = Subject(SubjectKind.INDEX, kind.value)
    return any(run.subject == subject for run in context.store.runs.active(RunKind.REBUILD))


@dataclass(frozen=True, slots=True)
class VerifiedIndex:
    """Counts of a verification. hot: features that the index leaves out because too many documents have them."""

    fingerprints: int
    features: int
    hot: int
    missing: int
    outdated: int  # fingerprints of another scheme, or of an earlier conversion to initials


def verify_index(
    context: Context, kind: OwnerKind, progress: Callable[[int, int], None] | None = None
) -> VerifiedIndex:
    """Look up every feature of every live fingerprint in its index, and count the missing ones."""
    total = context.store.fingerprints.count(kind)
    fingerprints = features = hot = missing = outdated = 0
    for fingerprint in context.store.fingerprints.all(kind):
        wanted = limit_repeats(unpack_features(fingerprint.positions, fingerprint.values))
        skipped, lacking = _count_missing(context.index(kind), fingerprint.number, wanted)
        fingerprints += 1
        features += len(wanted)
        hot += skipped
        missing += lacking
        outdated += not is_current_form(fingerprint)
        if progress:
            progress(fingerprints, total)
    return VerifiedIndex(fingerprints, features, hot, missing, outdated)


def _count_missing(index: Index, number: int, wanted: Features) -> tuple[int, int]:
    """Return the number of distinct features of a document that the index leaves out, and that lack a position."""
    hits = index.look_up(wanted)
    own = (hits.numbers == number) & (hits.positions == hits.query_positions)
    indexed = np.isin(wanted.positions, hits.positions[own])
    _, which = np.unique(wanted.values, return_inverse=True)
    places = np.bincount(which)
    counts = np.bincount(which, weights=indexed)
    nowhere, somewhere = int((counts == 0).sum()), int(((counts > 0) & (counts < places)).sum())
    return hits.skipped, somewhere + max(0, nowhere - hits.skipped)
