"""An index made again from the fingerprints, beside the old one, and switched to while queries go on."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain, islice

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.segments import unpack
from pipeline.context import Context
from pipeline.matching.rare_words_of_works import lacks_rare_words, rebuild_rare_words
from pipeline.repeat_in_background import every
from store.errors import Conflict, Unavailable
from store.failures import failure
from store.messages import Message
from store.records import Fingerprint, OwnerKind, Run, RunKind, Subject, SubjectKind
from store.rules.library.packed_features import VALUE_BYTES

SAMPLE = 500  # fingerprints from which the size of all is judged
HEARTBEAT_SECONDS = 5.0
LOST_AFTER = timedelta(seconds=30)
SMALLEST = 1_000_000  # postings that a new index is made for at least; room costs nothing until it is used

INTERRUPTED = Message("rebuilding.interrupted")

Progress = Callable[[int, int], None]


def rebuild_index(context: Context, kind: OwnerKind, progress: Progress | None = None) -> Run | None:
    """Build one index anew; None when somebody else is at it.

    The fingerprints hold all that the index needs; the rare words of works are read from their texts. Works and pages
    that come in meanwhile go to both indexes.
    """
    if _is_being_rebuilt(context, kind):
        return None
    subject = Subject(SubjectKind.INDEX, kind.value)
    try:
        run = context.store.runs.start(RunKind.REBUILD, subject, context.now(), sole=True)
    except Conflict:  # somebody else was quicker
        return None
    done: dict[str, int] = {}
    try:
        with _beating(context, run, done):
            counts = _build(context, kind, done, progress)
    except BaseException as error:  # Ctrl-C ends the run as well
        context.store.runs.end(run.id, context.now(), done, _why(error))
        raise
    context.store.runs.end(run.id, context.now(), counts)
    return context.store.runs.get(run.id)


def make_missing_indexes(context: Context) -> None:
    """At the first start, and after the index's server was emptied: build what is not there."""
    for kind in OwnerKind:
        if not context.index(kind).exists() or (kind is OwnerKind.WORK and lacks_rare_words(context)):
            rebuild_index(context, kind)


def tidy_indexes(context: Context) -> None:
    """Give back what adding and removing left over; an index that has outgrown its buckets is built anew."""
    for kind in OwnerKind:
        index = context.index(kind)
        if index.stats().wants_rebuild:
            rebuild_index(context, kind)
        else:
            index.rewrite()
            if kind is OwnerKind.WORK and not lacks_rare_words(context):
                context.rare_words.rewrite()


@contextmanager
def _beating(context: Context, run: Run, done: Mapping[str, int]) -> Iterator[None]:
    """Say every few seconds that the run is alive, and how far it is."""

    def beat() -> bool:
        with suppress(Unavailable):
            context.store.runs.beat(run.id, context.now(), dict(done))
        return True

    with every(HEARTBEAT_SECONDS, beat, f"rebuild {run.id}"):
        yield


def _build(context: Context, kind: OwnerKind, counts: dict[str, int], progress: Progress | None) -> dict[str, int]:
    index = context.index(kind)
    total = context.store.fingerprints.count(kind)
    fingerprints = context.store.fingerprints.all(kind)
    sample = list(islice(fingerprints, SAMPLE))
    index.create(postings=max(SMALLEST, estimate(sample, total)))

    def documents() -> Iterator[tuple[int, Features]]:
        for done, one in enumerate(chain(sample, fingerprints), 1):
            yield one.number, unpack(one.positions, one.values)
            counts.update(fingerprints=done, of=total)
            if progress:
                progress(done, max(done, total))

    postings = index.load(documents())
    index.publish()
    if kind is OwnerKind.WORK:
        rebuild_rare_words(context, max(SMALLEST, postings))
    return {"fingerprints": total, "postings": postings}


def _why(error: BaseException) -> Message:
    return failure(error) if isinstance(error, Exception) else INTERRUPTED


def estimate(sample: list[Fingerprint], total: int) -> int:
    """Postings of all, judged by the first ones, with room to grow by half."""
    if not sample:
        return 0
    return int(1.5 * total * sum(len(one.values) // VALUE_BYTES for one in sample) / len(sample))


def _is_being_rebuilt(context: Context, kind: OwnerKind) -> bool:
    """Whether somebody is at it; one whose process died is ended with that reason."""
    context.store.runs.end_lost(RunKind.REBUILD, context.now() - LOST_AFTER)
    subject = Subject(SubjectKind.INDEX, kind.value)
    return any(run.subject == subject for run in context.store.runs.active(RunKind.REBUILD))
