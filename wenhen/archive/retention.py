"""Drop captures and WARC files after their retention period, and hold this back during backups."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Final

from wenhen.archive.integrity import stamp_files_of
from wenhen.crawls.job import warc_files_in, warc_folder
from wenhen.pages.rules import CONTENT_DIGESTS
from wenhen.product.context import Product

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
    WARC files into which no capture points any more. Nothing while a backup copies them.
    """
    if not product.settings.keep.days or is_backup_running(product):
        return RetentionResult(0, 0)
    before = product.now() - timedelta(days=product.settings.keep.days)
    digests = product.store.captures.drop_superseded(before, lambda pages: _cited_bodies(product, pages))
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
    folder = warc_folder(product.settings)
    if folder is None:
        return 0
    pointed_into = product.store.captures.archives()
    old = [
        path
        for path in warc_files_in(folder)
        if path.name not in pointed_into and datetime.fromtimestamp(path.stat().st_mtime, UTC) < before
    ]
    for path in old:
        for file in (*stamp_files_of(path), path):
            file.unlink(missing_ok=True)
    return len(old)


# What is wrong with the archive of responses: each record is read back, as is what each capture points to.
