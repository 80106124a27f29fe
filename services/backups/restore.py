"""A backup put back into an empty place, and held against what was written: each collection, each file, the indexes."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from pipeline.library.rebuild_index import rebuild_index
from pipeline.library.verify_index import verify_index
from services.archive_folder import folder_of
from services.backups.backup_key import BackupKey
from services.backups.manifest import BackupPart, Manifest
from services.backups.sealed_files import Digested, digest_of, documents_in, reading
from services.backups.write_backup import ARCHIVE, COLLECTIONS, LOG, PIECE, SETTINGS, Progress, key_of
from services.context import Product
from store.errors import BadInput, Conflict
from store.records import OwnerKind

SETTINGS_FILE: Final = "restored-settings.json"


class Restored(NamedTuple):
    """What was put back. replayed: entries of the log."""

    made_at: str
    documents: int
    files: int
    replayed: int
    settings: Path


def settings_in(folder: Path, key: BackupKey | None) -> dict[str, str]:
    """The settings that a backup was made with, as variables."""
    with reading(folder / SETTINGS, key) as part:
        told: dict[str, str] = json.load(part)
    return told


def restore(
    product: Product, folder: Path, until: datetime | None = None, progress: Progress | None = None
) -> Restored:
    """Put a backup back, and compare. until: as of that moment, where the backup has logs up to it.

    Raises `Conflict` where something is stored already, `BadInput` for a backup that is damaged, sealed under another
    key, or does not reach as far; then nothing of it counts, and the place is to be emptied.
    """
    key, copying = key_of(product), product.store.copying
    told = Manifest.of(folder, key)
    _reaches(told, folder, until)
    if not copying.is_empty():
        raise Conflict("backup.place_taken")
    copying.clear()
    parts = [*told.collections, *told.contents]
    documents = 0
    for done, part in enumerate(parts, 1):
        documents += _put_back(product, folder, part, key)
        if progress:
            progress(done, len(parts))
    for part in told.collections:
        if digest_of(copying.read(part.name)) != part.digest:
            raise _differs(part)
    files = sum(_copy_file(product, folder, part, key) for part in told.archive)
    replayed = sum(_replay(product, folder, part, key, until) for part, _ in told.logs)
    product.store.prepare()  # what a newer release than that of the backup asks for
    _make_indexes(product)
    settings = product.settings.data / SETTINGS_FILE
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.touch(mode=0o600)
    settings.write_text(json.dumps(settings_in(folder, key), indent=2), encoding="utf-8")
    return Restored(told.made_at, documents, files, replayed, settings)


def _reaches(told: Manifest, folder: Path, until: datetime | None) -> None:
    if until is None:
        return
    first, last = told.moment, told.logged_until
    if first is None or last is None or not first[0] <= until.timestamp() <= last[0] + 1:
        span = ("-", "-") if first is None or last is None else (_shown(first[0]), _shown(last[0]))
        raise BadInput("backup.not_so_far", folder=folder, first=span[0], last=span[1])


def _shown(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat()


def _put_back(product: Product, folder: Path, part: BackupPart, key: BackupKey | None) -> int:
    with reading(folder / COLLECTIONS / part.name, key) as content:
        documents = Digested(documents_in(content))
        try:
            count = product.store.copying.write(part.name, documents)
        except BadInput as error:  # a byte that was changed may leave no document at all
            raise error if error.message.code.startswith("backup.") else _differs(part) from error
    if documents.digest != part.digest:
        raise _differs(part)
    return count


def _differs(part: BackupPart) -> BadInput:
    return BadInput("backup.differs", name=part.name)


def _copy_file(product: Product, folder: Path, part: BackupPart, key: BackupKey | None) -> bool:
    target = folder_of(product.settings)
    if target is None:
        return False
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with reading(folder / ARCHIVE / part.name, key) as content, (target / part.name).open("xb") as file:
        digest = digest_of(_passing(content, file))
    if digest != part.digest:
        raise _differs(part)
    return True


def _passing(content: BinaryIO, file: BinaryIO) -> Iterator[bytes]:
    while piece := content.read(PIECE):
        file.write(piece)
        yield piece


def _replay(product: Product, folder: Path, part: BackupPart, key: BackupKey | None, until: datetime | None) -> int:
    with reading(folder / LOG / part.name, key) as content:
        return product.store.copying.replay(documents_in(content), until)


def _make_indexes(product: Product) -> None:
    for kind in OwnerKind:
        rebuild_index(product, kind)
        if missing := verify_index(product, kind).missing:
            raise BadInput("rebuilding.missing", count=missing)
