"""Many works stored and fingerprinted at once, for a library that is built in one go; indexing is left to a rebuild."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pipeline.context import Context
from pipeline.matching.fingerprints import VersionText, fingerprint_all
from pipeline.matching.text_with_letters import Reading
from store.records import OwnerKind, Step, WorkDraft

BATCH = 500  # works of one round trip
BATCH_LETTERS = 2_000_000  # at most, unless a single work is longer

Progress = Callable[[int], None]


def batches(drafts: Iterable[WorkDraft]) -> Iterator[list[WorkDraft]]:
    """The drafts in lots that are stored together: no more than fit a message, and no id twice in one."""
    lot: dict[str, WorkDraft] = {}
    letters = 0
    for draft in drafts:
        if lot and (len(lot) == BATCH or letters + len(draft.text) > BATCH_LETTERS or draft.id in lot):
            yield list(lot.values())
            lot, letters = {}, 0
        lot[draft.id] = draft
        letters += len(draft.text)
    if lot:
        yield list(lot.values())


def store_and_fingerprint(context: Context, drafts: Iterable[WorkDraft], progress: Progress | None = None) -> int:
    """Store works and keep their fingerprints, with no step left to do; how many. Raises `BadInput`."""
    done = 0
    for lot in batches(drafts):
        _store(context, lot)
        done += len(lot)
        if progress:
            progress(done)
    return done


def _store(context: Context, lot: Sequence[WorkDraft]) -> None:
    stored = context.store.works.put_all(lot, note=None, step=Step.DONE)
    fingerprint_all(
        context,
        OwnerKind.WORK,
        [VersionText(work.id, work.version, Reading(draft.text)) for (work, _), draft in zip(stored, lot, strict=True)],
    )
