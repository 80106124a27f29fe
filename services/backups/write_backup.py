"""A backup written while the system works: the collections as of one moment, what they name, the archive, the settings.

The indexes are left out: they are made again from the fingerprints.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from crawler.evidence.warc_read_back import whole_length
from services.archive_folder import files_in, folder_of
from services.backup_under_way import note_whole, under_way
from services.backups.backup_key import BackupKey
from services.backups.manifest import FORM, BackupPart, Manifest
from services.backups.sealed_files import writing
from services.context import Product
from store.errors import BadInput, NotFound
from store.ports.upkeep.copying import Moment

COLLECTIONS: Final = "mongo"
ARCHIVE: Final = "warc"
LOG: Final = "log"
SETTINGS: Final = "settings"
PIECE: Final = 1 << 20

Progress = Callable[[int, int], None]


def key_of(product: Product) -> BackupKey | None:
    """What one backup is sealed under, if anything."""
    key = product.settings.backup.key
    return BackupKey(key.get_secret_value()) if key else None


def back_up(product: Product, folder: Path, settings: Mapping[str, str], progress: Progress | None = None) -> Manifest:
    """Write a backup into an empty folder. settings: all of them, as variables, secrets among them.

    Where MongoDB is no replica set, writes wait while the collections are read; bodies and texts, which never change,
    are read afterwards. BadInput: the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInput("backup.not_empty", folder=folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key, copying = key_of(product), product.store.copying
    told = Manifest(FORM, version("wenhen"), product.now().isoformat(), None)
    names, contents = copying.collections(), copying.contents()
    with under_way(product):
        with copying.snapshot() as snapshot:
            for done, name in enumerate(names, 1):
                told.collections.append(_write(folder, f"{COLLECTIONS}/{name}", name, snapshot.read(name), key))
                if progress:
                    progress(done, len(names) + len(contents))
            told.moment = snapshot.moment
        for done, name in enumerate(contents, 1):
            told.contents.append(_write(folder, f"{COLLECTIONS}/{name}", name, copying.read(name), key))
            if progress:
                progress(len(names) + done, len(names) + len(contents))
        _copy_archive(product, folder, told, key)
    _write(folder, SETTINGS, SETTINGS, [json.dumps(dict(settings), indent=2).encode()], key)
    told.keep(folder, key)
    note_whole(product)
    return told


def add_log(product: Product, folder: Path) -> Manifest:
    """Add to a backup what was written since, so that it can be restored as of any moment up to now.

    Raises `NotFound` where MongoDB keeps no log (it is no replica set), or no longer from there on.
    """
    key, copying = key_of(product), product.store.copying
    told = Manifest.of(folder, key)
    if told.logged_until is None:
        raise NotFound("backup.without_log", folder=folder)
    following = _Following(copying.log(told.logged_until), told.logged_until)
    name = f"{len(told.logs) + 1:05}"
    with under_way(product):
        part = _write(folder, f"{LOG}/{name}", name, following, key)
        told.logs.append((part, following.moment))
        _copy_archive(product, folder, told, key)
    told.keep(folder, key)
    note_whole(product)
    return told


class _Following:
    """The entries of a log; and the moment of the last that was taken."""

    def __init__(self, entries: Iterator[tuple[Moment, bytes]], moment: Moment) -> None:
        self._entries = entries
        self.moment = moment

    def __iter__(self) -> Iterator[bytes]:
        for moment, entry in self._entries:
            yield entry
            self.moment = moment


def _write(folder: Path, file: str, name: str, pieces: Iterable[bytes], key: BackupKey | None) -> BackupPart:
    size = 0
    try:
        with writing(folder / file, key) as part:
            for piece in pieces:
                part.write(piece)
                size += 1
    except OSError as error:  # a write says what is wrong, and not where
        error.filename = error.filename or str(folder / file)
        raise
    return BackupPart(name, size, part.digest)


def _copy_archive(product: Product, folder: Path, told: Manifest, key: BackupKey | None) -> None:
    """Files that are not there yet, or grew since."""
    source = folder_of(product.settings)
    before = {part.name: part for part in told.archive}
    for path in files_in(source) if source else ():
        length = whole_length(path)
        if path.name not in before or before[path.name].size != length:
            part = _write(folder, f"{ARCHIVE}/{path.name}", path.name, _pieces(path, length), key)
            before[path.name] = BackupPart(path.name, length, part.digest)
    told.archive = sorted(before.values(), key=lambda part: part.name)


def _pieces(path: Path, length: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while length and (piece := file.read(min(PIECE, length))):
            length -= len(piece)
            yield piece
