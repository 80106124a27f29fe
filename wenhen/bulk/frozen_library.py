"""Freeze the library to files, and open the frozen library from a local copy."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import file_digest, sha256
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import Final, cast

from filelock import FileLock
from platformdirs import user_cache_path

from fingerprinter.features.model import FEATURE_PARAMETERS, FEATURE_SCHEME, Features, unpack_features
from matcher.index.memory_and_file_index import MemoryIndex, SegmentIndex, write_segments
from matcher.index.postings import HOT_WORD_POSTINGS
from matcher.phrases.phrase_index import PhraseIndex
from wenhen.bulk.snapshot_file import SnapshotWriter, to_json_line
from wenhen.bulk.snapshot_store import (
    EXCLUSIONS_FACT,
    HOLDERS_FACT,
    LICENCES_FACT,
    MARKS_FACT,
    RESERVED_FACT,
    SAMPLE_FACT,
    SHORT_FACT,
    SnapshotStore,
)
from wenhen.cases.calibration import CALIBRATION_MARK, load_calibration_mark
from wenhen.context.store_and_queue import Queue, Store
from wenhen.context.use_cases import Context
from wenhen.exclusions.model import Exclusion
from wenhen.fingerprints.letter_file import LetterFile, WorkLetters, letter_file_name
from wenhen.fingerprints.model import Fingerprint
from wenhen.fingerprints.reading import TextReading
from wenhen.holders.model import Holder
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.progress import OwnerKind
from wenhen.kit.remote_files import download_file, join_url, local_path, read_whole_file, upload_file, write_whole_file
from wenhen.licences.model import Licence
from wenhen.matching.candidates import MAX_SHORT_LETTERS
from wenhen.matching.index_rebuild import estimate_postings, rare_word_documents
from wenhen.matching.paraphrases import BACKGROUND_SAMPLE_WORKS
from wenhen.settings.all_sections import CoreSettings
from wenhen.settings.matching import MatcherSettings

# Freezing: write the library as immutable files, two indexes and a snapshot of what matching needs.


WORKS_INDEX_FOLDER: Final = "works"  # folders of the two indexes
RARE_WORDS_FOLDER: Final = "rare-words"
FEATURES_FILE: Final = "features.json"  # how texts were read; among others, copies would be missed
MATCHER_FACT: Final = "matcher"  # fact with the matcher settings
FREEZE_BATCH_SIZE: Final = 500  # works at a time
SIZE_SAMPLE_FINGERPRINTS: Final = 500  # fingerprints from which the total size is estimated

ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FreezeResult:
    """Counts of what was written."""

    works: int
    fingerprints: int
    postings: int
    bytes: int


def freeze_library(context: Context, folder: Path, progress: ProgressCallback | None = None) -> FreezeResult:
    """Write the current library into an empty folder. Raises DiskFull.

    A work that changes during the run is written in its old or its new version.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = context.store.fingerprints.count(OwnerKind.WORK)
    sized = estimate_postings(
        list(islice(context.store.fingerprints.all(OwnerKind.WORK), SIZE_SAMPLE_FINGERPRINTS)), total
    )
    with SnapshotWriter(folder) as file:
        stats = write_segments(
            folder / WORKS_INDEX_FOLDER, _index_documents(context, file, total, progress), postings=sized
        )
        if context.settings.matcher.suspicions:
            write_segments(
                folder / RARE_WORDS_FOLDER, rare_word_documents(context), postings=stats.postings, hot=HOT_WORD_POSTINGS
            )
        works = _write_works(context, file, LetterFile(folder, str))
        _write_facts(context, file)
    (folder / FEATURES_FILE).write_bytes(_describe_features())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return FreezeResult(works, total, stats.postings, size)


def _describe_features() -> bytes:
    return json.dumps({"scheme": FEATURE_SCHEME, "parameters": FEATURE_PARAMETERS}, sort_keys=True).encode()


def _index_documents(
    context: Context, file: SnapshotWriter, total: int, progress: ProgressCallback | None
) -> Iterator[tuple[int, Features]]:
    """Yield the documents for the index, and record the owner of each fingerprint in the snapshot."""
    waiting: list[Fingerprint] = []
    done = 0
    for fingerprint in context.store.fingerprints.all(OwnerKind.WORK):
        waiting.append(fingerprint)
        if len(waiting) == FREEZE_BATCH_SIZE:
            yield from _record_fingerprints(file, waiting)
            done += len(waiting)
            waiting.clear()
            if progress:
                progress(done, max(done, total))
    yield from _record_fingerprints(file, waiting)


def _record_fingerprints(file: SnapshotWriter, fingerprints: list[Fingerprint]) -> Iterator[tuple[int, Features]]:
    file.fingerprints(
        (fingerprint.number, fingerprint.owner_id, fingerprint.owner_version, fingerprint.segment)
        for fingerprint in fingerprints
    )
    for fingerprint in fingerprints:
        yield fingerprint.number, unpack_features(fingerprint.positions, fingerprint.values)


def _write_works(context: Context, file: SnapshotWriter, letters: LetterFile) -> int:
    ids, count = context.store.works.ids(), 0
    while batch := list(islice(ids, FREEZE_BATCH_SIZE)):
        works = [work for work in context.store.works.many(batch).values() if work.removed_at is None]
        file.works(works)
        texts = context.store.blobs.get_texts([work.text_digest for work in works])
        file.texts(texts.items())
        readings = ((work, TextReading(texts[work.text_digest])) for work in works)
        letters.put({(work.id, work.version): WorkLetters.of(read.text, read.letters) for work, read in readings})
        count += len(works)
    letters.seal()
    return count


def _write_facts(context: Context, file: SnapshotWriter) -> None:
    mark = load_calibration_mark(context.store.marks)
    marks = {CALIBRATION_MARK: {**_calibration_values(mark.calibration), "at": mark.at.isoformat()}} if mark else {}
    file.fact(MARKS_FACT, json.dumps(marks))
    file.fact(HOLDERS_FACT, to_json_line(Holder, context.store.holders.all()))
    file.fact(LICENCES_FACT, to_json_line(Licence, context.store.licences.all()))
    file.fact(EXCLUSIONS_FACT, to_json_line(Exclusion, context.store.exclusions.all()))
    file.fact(RESERVED_FACT, str(context.store.fingerprints.count_reserved(OwnerKind.WORK)))
    file.fact(SAMPLE_FACT, json.dumps([work.id for work in context.store.works.sample(BACKGROUND_SAMPLE_WORKS)]))
    own = context.store.works.with_shortest_below(MAX_SHORT_LETTERS)
    file.fact(SHORT_FACT, json.dumps({"length": context.store.works.sum_lengths(), "ids": [work.id for work in own]}))
    file.fact(MATCHER_FACT, context.settings.matcher.model_dump_json())


def _calibration_values(calibration: object) -> dict[str, float]:
    return {name: getattr(calibration, name) for name in ("intercept", "slope", "decisions")}


# Opening: a context over a frozen library, in which pages are matched without a server.


# Timestamps are constant, so that a repeated job writes the same bytes.
FROZEN_TIME: Final = datetime(2000, 1, 1, tzinfo=UTC)


class FrozenLibrary:
    """A frozen library folder, memory-mapped. It may be used by one thread.

    shortest: minimum length of a passage in letters; overrides the frozen setting.
    """

    def __init__(self, folder: Path, shortest: int | None = None) -> None:
        self.store = SnapshotStore(folder)
        matcher = MatcherSettings.model_validate_json(self.store.file.fact(MATCHER_FACT))
        if shortest is not None:
            matcher = matcher.model_copy(update={"shortest_passage": shortest})
        self.context = Context(
            # Only the settings and the stores that matching uses are present.
            settings=cast("CoreSettings", SimpleNamespace(matcher=matcher)),
            store=cast("Store", self.store),
            works_index=SegmentIndex(folder / WORKS_INDEX_FOLDER),
            pages_index=MemoryIndex(),  # never queried: a job looks for works only
            rare_words=SegmentIndex(folder / RARE_WORDS_FOLDER) if matcher.suspicions else MemoryIndex(),
            work_letters=LetterFile(folder, str, frozen=True),
            phrases=cast("PhraseIndex", None),  # phrase search is not used
            queue=cast("Queue", None),  # no task is queued
            now=lambda: FROZEN_TIME,
        )


# Local copies: a library on this machine is mapped in place, and a remote one is copied to the cache once.


MANIFEST_FILE: Final = "manifest.json"  # written last; sizes and digests of the other files by name
CACHE_VARIABLE: Final = "WENHEN_BULK_CACHE"  # folder for copies


def freeze_to_url(context: Context, url: str, progress: ProgressCallback | None = None) -> FreezeResult:
    """Freeze the library to a URL. Raises DiskFull, Unavailable."""
    folder = Path(mkdtemp(prefix="wenhen-bulk-"))
    try:
        frozen = freeze_library(context, folder, progress)
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        for name in names:
            upload_file(str(folder / name), join_url(url, name))
        files = {name: [(folder / name).stat().st_size, _file_digest(folder / name)] for name in names}
        write_whole_file(join_url(url, MANIFEST_FILE), json.dumps(files).encode())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return frozen


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def library_digest(url: str) -> str:
    """Return the digest that identifies the frozen library at a URL.

    Raises NotFound, and BadInput if a release froze it that reads texts otherwise.
    """
    try:
        manifest = read_whole_file(join_url(url, MANIFEST_FILE))
    except NotFound as error:
        raise NotFound("bulk.no_library", url=url) from error
    files = json.loads(manifest)
    _, features = files.get(FEATURES_FILE, (0, None))
    # Releases up to 0.3.0 wrote no description, but named the letter file by the reading.
    same = features == sha256(_describe_features()).hexdigest() if features else letter_file_name() in files
    if not same:
        raise BadInput("bulk.older_library", url=url)
    return sha256(manifest).hexdigest()


@lru_cache(1)
def open_library(url: str, digest: str, shortest: int | None = None) -> FrozenLibrary:
    """Open the frozen library at a URL, once per process. shortest: as for `FrozenLibrary`."""
    here = local_path(url)
    return FrozenLibrary(Path(here) if here is not None else _copy_to_cache(url, digest), shortest)


def _copy_to_cache(url: str, digest: str) -> Path:
    """Return the copy in the cache of this machine. The first caller makes it, under a lock."""
    cache = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("wenhen") / "bulk")
    cache.mkdir(parents=True, exist_ok=True)
    whole = cache / digest
    with FileLock(cache / f"{digest}.lock"):
        if not whole.exists():
            coming = cache / f"{digest}.coming"
            shutil.rmtree(coming, ignore_errors=True)
            for name, (size, content) in json.loads(read_whole_file(join_url(url, MANIFEST_FILE))).items():
                if not (coming / name).resolve().is_relative_to(coming.resolve()):
                    raise BadInput("bulk.copy_damaged", url=url, name=name)
                (coming / name).parent.mkdir(parents=True, exist_ok=True)
                download_file(join_url(url, name), str(coming / name))
                if (coming / name).stat().st_size != size or _file_digest(coming / name) != content:
                    raise BadInput("bulk.copy_damaged", url=url, name=name)
            coming.rename(whole)
    return whole
