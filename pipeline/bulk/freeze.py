"""A library made into files that are never changed: two indexes and a snapshot of what a look at a text asks."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.segments import unpack
from matcher.index.feature_limits import HOT_WORD
from matcher.index.segments import write_segments
from pipeline.context import Context
from pipeline.library.rebuild_index import estimate
from pipeline.matching.calibration_mark import NAME as CALIBRATION
from pipeline.matching.calibration_mark import last_calibration
from pipeline.matching.learn_background import SAMPLE as BACKGROUND
from pipeline.matching.rare_words_of_works import rare_word_documents
from store.records import Exclusion, Fingerprint, Holder, Licence, OwnerKind
from store.snapshot.file import SnapshotWriter
from store.snapshot.record_json import as_json
from store.snapshot.store import EXCLUSIONS, HOLDERS, LICENCES, MARKS, RESERVED, SAMPLE

WORKS: Final = "works"  # folders of the two indexes
RARE_WORDS: Final = "rare-words"
MATCHER: Final = "matcher"  # fact: the settings by which cases open
BATCH: Final = 500  # works at a time
SIZED_BY: Final = 500  # fingerprints from which the size of all is judged

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Frozen:
    """What was written."""

    works: int
    fingerprints: int
    postings: int
    bytes: int


def freeze(context: Context, folder: Path, progress: Progress | None = None) -> Frozen:
    """Write the library, as it is now, into an empty folder. Raises DiskFull.

    A work that changes meanwhile is in it as it was or as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = context.store.fingerprints.count(OwnerKind.WORK)
    sized = estimate(list(islice(context.store.fingerprints.all(OwnerKind.WORK), SIZED_BY)), total)
    with SnapshotWriter(folder) as file:
        stats = write_segments(folder / WORKS, _documents(context, file, total, progress), postings=sized)
        if context.settings.matcher.suspicions:
            write_segments(folder / RARE_WORDS, rare_word_documents(context), postings=stats.postings, hot=HOT_WORD)
        works = _put_works(context, file)
        _put_facts(context, file)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Frozen(works, total, stats.postings, size)


def _documents(
    context: Context, file: SnapshotWriter, total: int, progress: Progress | None
) -> Iterator[tuple[int, Features]]:
    """What the index takes; whose it is goes into the file beside it."""
    waiting: list[Fingerprint] = []
    done = 0
    for one in context.store.fingerprints.all(OwnerKind.WORK):
        waiting.append(one)
        if len(waiting) == BATCH:
            yield from _told(file, waiting)
            done += len(waiting)
            waiting.clear()
            if progress:
                progress(done, max(done, total))
    yield from _told(file, waiting)


def _told(file: SnapshotWriter, some: list[Fingerprint]) -> Iterator[tuple[int, Features]]:
    file.fingerprints((one.number, one.owner_id, one.owner_version, one.segment) for one in some)
    for one in some:
        yield one.number, unpack(one.positions, one.values)


def _put_works(context: Context, file: SnapshotWriter) -> int:
    ids, count = context.store.works.ids(), 0
    while some := list(islice(ids, BATCH)):
        works = [work for work in context.store.works.many(some).values() if work.removed_at is None]
        file.works(works)
        file.texts(context.store.blobs.get_texts([work.text_digest for work in works]).items())
        count += len(works)
    return count


def _put_facts(context: Context, file: SnapshotWriter) -> None:
    mark = last_calibration(context.store.marks)
    marks = {CALIBRATION: {**_plain(mark.calibration), "at": mark.at.isoformat()}} if mark else {}
    file.fact(MARKS, json.dumps(marks))
    file.fact(HOLDERS, as_json(Holder, context.store.holders.all()))
    file.fact(LICENCES, as_json(Licence, context.store.licences.all()))
    file.fact(EXCLUSIONS, as_json(Exclusion, context.store.exclusions.all()))
    file.fact(RESERVED, str(context.store.fingerprints.reserved(OwnerKind.WORK)))
    file.fact(SAMPLE, json.dumps([work.id for work in context.store.works.sample(BACKGROUND)]))
    file.fact(MATCHER, context.settings.matcher.model_dump_json())


def _plain(calibration: object) -> dict[str, float]:
    return {name: getattr(calibration, name) for name in ("intercept", "slope", "decisions")}
