"""How long captures, their bodies and the archive's files are kept, and what is dropped afterwards."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain

from services.archive_folder import files_in, folder_of
from services.backup_under_way import is_under_way
from services.context import Product
from store.rules.web.page_after_capture import CONTENT

BATCH = 500


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the policy let go."""

    bodies: int
    files: int


def drop_old(product: Product) -> Dropped:
    """Drop what is older than `keep.days`: captures that a later one superseded and no case cites, with their bodies;
    WARC files into which no capture points any more. Nothing while a backup copies them.
    """
    if not product.settings.keep.days or is_under_way(product):
        return Dropped(0, 0)
    before = product.now() - timedelta(days=product.settings.keep.days)
    digests = product.store.captures.drop_superseded(before, lambda pages: _cited(product, pages))
    bodies = sum(product.store.blobs.drop(digests[at : at + BATCH], before) for at in range(0, len(digests), BATCH))
    return Dropped(bodies, _drop_files(product, before))


def _cited(product: Product, page_ids: Collection[str]) -> set[str]:
    """The bodies that cases of these pages cite."""
    cases = chain.from_iterable(product.store.cases.of_pages(page_ids).values())
    return {digest for case in cases for name in CONTENT if (digest := getattr(case.capture, name))}


def _drop_files(product: Product, before: datetime) -> int:
    folder = folder_of(product.settings)
    if folder is None:
        return 0
    pointed_into = product.store.captures.archives()
    old = [
        path
        for path in files_in(folder)
        if path.name not in pointed_into and datetime.fromtimestamp(path.stat().st_mtime, UTC) < before
    ]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)
