"""Restore a backup into an empty installation, and verify it."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from wenhen.backups.backup import (
    ARCHIVE_FOLDER,
    COLLECTIONS_FOLDER,
    COPY_PIECE_BYTES,
    LOG_FOLDER,
    SETTINGS_PART,
    BackupPart,
    BackupProgress,
    Manifest,
    end_restored_request,
    make_backup_key,
)
from wenhen.backups.sealed_files import BackupKey, DigestedPieces, digest_pieces, read_documents, read_part
from wenhen.context.use_cases import Product
from wenhen.crawls.job import warc_folder
from wenhen.fingerprints.letter_file import forget_library_name
from wenhen.kit.errors import BadInput, Conflict
from wenhen.kit.progress import OwnerKind
from wenhen.kit.remote_files import AnyPath
from wenhen.matching.index_rebuild import rebuild_index, verify_index

SETTINGS_FILE: Final = "restored-settings.json"


class RestoreResult(NamedTuple):
    """The counts of a restore. replayed: oplog entries."""

    made_at: str
    documents: int
    files: int
    replayed: int
    settings: Path


def read_backup_settings(folder: AnyPath, key: BackupKey | None) -> dict[str, str]:
    """Return the settings at the time of the backup, as variables."""
    with read_part(folder / SETTINGS_PART, key) as part:
        settings: dict[str, str] = json.load(part)
    return settings


def restore_backup(
    product: Product, folder: AnyPath, until: datetime | None = None, progress: BackupProgress | None = None
) -> RestoreResult:
    """Restore a backup and compare it with its digests. until: restore as of this time, if the oplog reaches it.

    Raises `Conflict` if the installation is not empty; `BadInput` for a backup that is damaged, has another key, or
    does not reach `until`. After an error, the installation is invalid and must be emptied.
    """
    key, copying = make_backup_key(product), product.store.copying
    manifest = Manifest.of(folder, key)
    _check_reach(manifest, folder, until)
    if not copying.is_empty():
        raise Conflict("backup.place_taken")
    copying.clear()
    parts = [*manifest.collections, *manifest.contents]
    documents = 0
    for done, part in enumerate(parts, 1):
        documents += _restore_collection(product, folder, part, key)
        if progress:
            progress(done, len(parts))
    for part in manifest.collections:
        if digest_pieces(copying.read(part.name)) != part.digest:
            raise _damaged_part(part)
    files = sum(_restore_file(product, folder, part, key) for part in manifest.archive)
    replayed = sum(_replay_log(product, folder, part, key, until) for part, _ in manifest.logs)
    product.store.prepare()  # a newer release may need more than the backup has
    _make_indexes(product)
    forget_library_name(product.store.marks)
    end_restored_request(product)
    settings = product.settings.data / SETTINGS_FILE
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.touch(mode=0o600)
    settings.write_text(json.dumps(read_backup_settings(folder, key), indent=2), encoding="utf-8")
    return RestoreResult(manifest.made_at, documents, files, replayed, settings)


def _check_reach(manifest: Manifest, folder: AnyPath, until: datetime | None) -> None:
    if until is None:
        return
    first, last = manifest.moment, manifest.logged_until
    if first is None or last is None or not first[0] <= until.timestamp() <= last[0] + 1:
        span = ("-", "-") if first is None or last is None else (_format_seconds(first[0]), _format_seconds(last[0]))
        raise BadInput("backup.not_so_far", folder=folder, first=span[0], last=span[1])


def _format_seconds(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat()


def _restore_collection(product: Product, folder: AnyPath, part: BackupPart, key: BackupKey | None) -> int:
    with read_part(folder / COLLECTIONS_FOLDER / part.name, key) as content:
        documents = DigestedPieces(read_documents(content))
        try:
            count = product.store.copying.write(part.name, documents)
        except BadInput as error:  # a changed byte may make a document unreadable
            raise error if error.message.code.startswith("backup.") else _damaged_part(part) from error
    if documents.digest != part.digest:
        raise _damaged_part(part)
    return count


def _damaged_part(part: BackupPart) -> BadInput:
    return BadInput("backup.differs", name=part.name)


def _restore_file(product: Product, folder: AnyPath, part: BackupPart, key: BackupKey | None) -> bool:
    target = warc_folder(product.settings)
    if target is None:
        return False
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with read_part(folder / ARCHIVE_FOLDER / part.name, key) as content, (target / part.name).open("xb") as file:
        digest = digest_pieces(_copy_pieces(content, file))
    if digest != part.digest:
        raise _damaged_part(part)
    return True


def _copy_pieces(content: BinaryIO, file: BinaryIO) -> Iterator[bytes]:
    while piece := content.read(COPY_PIECE_BYTES):
        file.write(piece)
        yield piece


def _replay_log(
    product: Product, folder: AnyPath, part: BackupPart, key: BackupKey | None, until: datetime | None
) -> int:
    with read_part(folder / LOG_FOLDER / part.name, key) as content:
        return product.store.copying.replay(read_documents(content), until)


def _make_indexes(product: Product) -> None:
    for kind in OwnerKind:
        rebuild_index(product, kind)
        if missing := verify_index(product, kind).missing:
            raise BadInput("rebuilding.missing", count=missing)
