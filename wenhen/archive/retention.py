"""Drop captures and WARC files after their time, move closed ones to a store, and hold both back during backups."""

import errno
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import file_digest
from itertools import chain
from pathlib import Path
from shutil import copyfileobj
from typing import Final

from wenhen.archive.integrity import STAMP_SUFFIXES, answer_path, digest_of, is_closed, stamp_files_of
from wenhen.context.use_cases import Product
from wenhen.crawls.job import warc_files_in, warc_folder, warc_folders, warc_store
from wenhen.kit.errors import NotFound, Unavailable
from wenhen.kit.remote_files import COPY_PIECE_BYTES, AnyPath, RemotePath
from wenhen.pages.rules import CONTENT_DIGESTS

# Whether a backup is being written, until it has what its moment names nothing of that may be dropped; and when the
# last one was whole.


_BACKUP_MARK: Final = "backup"
_MAX_BACKUP_DURATION: Final = timedelta(hours=12)  # a backup whose process died holds back no longer than this


def is_backup_running(product: Product) -> bool:
    """Whether one is being written now."""
    since = (product.store.marks.get(_BACKUP_MARK) or {}).get("since")
    return isinstance(since, datetime) and product.now() - since < _MAX_BACKUP_DURATION


@contextmanager
def hold_back_retention(product: Product) -> Iterator[None]:
    """Keep what could be dropped until the block ends."""
    _note_backup_start(product, since=product.now())
    try:
        yield
    finally:
        _note_backup_start(product, since=None)


def note_backup_complete(product: Product) -> None:
    """Note that one has all that it needs, as of now."""
    _note_backup_start(product, last=product.now())


def last_complete_backup(product: Product) -> datetime | None:
    """When the last one was; None: none ever was."""
    last = (product.store.marks.get(_BACKUP_MARK) or {}).get("last")
    return last if isinstance(last, datetime) else None


def _note_backup_start(product: Product, **what: datetime | None) -> None:
    product.store.marks.set(_BACKUP_MARK, {**(product.store.marks.get(_BACKUP_MARK) or {}), **what})


RETENTION_BATCH = 500


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """What the policy let go."""

    bodies: int
    files: int


def drop_old_captures(product: Product) -> RetentionResult:
    """Drop what is older than `keep.days`: captures that a later one superseded and no case cites, with their bodies;
    those from regions of pages without a case, if a later one got an answer; WARC files into which no capture points
    any more. Nothing while a backup copies them.
    """
    if not product.settings.keep.days or is_backup_running(product):
        return RetentionResult(0, 0)
    before = product.now() - timedelta(days=product.settings.keep.days)
    digests = product.store.captures.drop_superseded(before, lambda pages: _cited_bodies(product, pages))
    regional = product.store.captures.drop_superseded_regional(before, product.store.cases.of_pages)
    digests = [*digests, *regional]
    bodies = sum(
        product.store.blobs.drop(digests[start : start + RETENTION_BATCH], before)
        for start in range(0, len(digests), RETENTION_BATCH)
    )
    return RetentionResult(bodies, _drop_warc_files(product, before))


def _cited_bodies(product: Product, page_ids: Collection[str]) -> set[str]:
    """The bodies that cases of these pages cite."""
    cases = chain.from_iterable(product.store.cases.of_pages(page_ids).values())
    return {digest for case in cases for name in CONTENT_DIGESTS if (digest := getattr(case.capture, name))}


def _drop_warc_files(product: Product, before: datetime) -> int:
    pointed_into = product.store.captures.archives()
    dropped = 0
    for folder in warc_folders(product.settings):
        for path in [*warc_files_in(folder)]:
            if path.name not in pointed_into and _modified(path) < before:
                for suffix in (*STAMP_SUFFIXES, ""):
                    (folder / (path.name + suffix)).unlink(missing_ok=True)
                dropped += 1
    return dropped


def _modified(path: AnyPath) -> datetime:
    """Return when a file was last written; the end of time where another process just moved or dropped it."""
    try:
        return path.modified() if isinstance(path, RemotePath) else datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (FileNotFoundError, NotFound):
        return datetime.max.replace(tzinfo=UTC)


def store_closed_files(product: Product, most: int | None = None) -> int:
    """Move the closed WARC files of this machine to the store, oldest first, and count them.

    A file is removed here once the store gives the same bytes back. Where authorities are set, it is stamped first.
    What the store holds is never replaced: a file that has other bytes there stays, and the next ones go on.
    most: files. A later call goes on, and one during a backup does nothing. Raises `Unavailable`; then nothing is lost,
    and the next call tries again.
    """
    folder, store = warc_folder(product.settings), warc_store(product.settings)
    if folder is None or store is None:
        return 0
    done, conflict = 0, None
    for path in warc_files_in(folder):
        if done == most or is_backup_running(product):
            break
        try:
            done += _move_file(path, store, stamped=bool(product.settings.evidence.authorities))
        except FileExistsError as error:
            conflict = error
        except FileNotFoundError:  # another process moved it
            continue
    if conflict:
        raise Unavailable("archive.stored_otherwise", url=conflict.filename) from conflict
    return done


def _move_file(path: Path, store: RemotePath, *, stamped: bool) -> bool:
    """Return whether a WARC file and its time stamp moved. Raises `FileExistsError` and `FileNotFoundError`."""
    if not is_closed(path) or (stamped and not answer_path(path).exists()):
        return False
    files = [*stamp_files_of(path), path]
    for file in files:
        _store_file(file, store / file.name)
    for file in reversed(files):  # the WARC file first: without its stamp it would be stamped anew
        file.unlink(missing_ok=True)
    return True


def _store_file(path: Path, at: RemotePath) -> None:
    if not at.exists():
        with path.open("rb") as file, at.create() as stored:
            copyfileobj(file, stored, COPY_PIECE_BYTES)
    with at.open(block=COPY_PIECE_BYTES) as stored:
        if file_digest(stored, "sha256").digest() != digest_of(path):
            raise FileExistsError(errno.EEXIST, "other bytes", str(at))
