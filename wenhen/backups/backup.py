"""Write a backup while the system runs, and list its parts in a manifest."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self

from crawler.warc.reader import WARC_SUFFIX, complete_length
from wenhen.archive.integrity import STAMP_SUFFIXES, answer_path, stamp_files_of
from wenhen.archive.retention import hold_back_retention, note_backup_complete
from wenhen.backups.database_copy import Moment
from wenhen.backups.sealed_files import BackupKey, read_part, write_part
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.job import warc_files_in, warc_folders
from wenhen.kit.errors import BadInput, Message, NotFound, WenhenError, message
from wenhen.kit.mongo.codec import encode, from_document
from wenhen.kit.remote_files import AnyPath, RemotePath, parse_path
from wenhen.kit.rights import Right

# The manifest is written last, so a folder without it is no backup.


MANIFEST_NAME: Final = "backup"
BACKUP_FORM: Final = 1  # form of backups; increased when older releases could not read a newer one


@dataclass(frozen=True, slots=True)
class BackupPart:
    """One file of a backup: its number of pieces or bytes, and their SHA-256."""

    name: str  # of the collection or the file
    size: int
    digest: str


@dataclass(slots=True)
class Manifest:
    """The parts of a backup. moment: oplog time from which `logs` continue; None without an oplog."""

    form: int
    version: str
    made_at: str
    moment: Moment | None
    collections: list[BackupPart] = field(default_factory=list)
    contents: list[BackupPart] = field(default_factory=list)  # contents that never change; newer ones may be included
    archive: list[BackupPart] = field(default_factory=list)
    logs: list[tuple[BackupPart, Moment]] = field(default_factory=list)  # each with the time of its last entry

    @classmethod
    def of(cls, folder: AnyPath, key: BackupKey | None) -> Self:
        """Read the manifest of a folder. Raises BadInput if it is missing or unreadable."""
        if not (folder / MANIFEST_NAME).is_file():
            raise BadInput("backup.none", folder=folder)
        with read_part(folder / MANIFEST_NAME, key) as part:
            manifest = json.load(part)
        if manifest["form"] > BACKUP_FORM:
            raise BadInput("backup.newer", folder=folder, version=manifest["version"])
        for name in ("collections", "contents", "archive"):
            manifest[name] = [BackupPart(**part_fields) for part_fields in manifest[name]]
        manifest["logs"] = [(BackupPart(**log), _parse_moment(till)) for log, till in manifest["logs"]]
        return cls(**{**manifest, "moment": manifest["moment"] and _parse_moment(manifest["moment"])})

    def keep(self, folder: AnyPath, key: BackupKey | None) -> None:
        """Write the manifest into a folder."""
        with write_part(folder / MANIFEST_NAME, key) as part:
            part.write(json.dumps(asdict(self)).encode())

    @property
    def logged_until(self) -> Moment | None:
        """Return the time up to which the backup can be restored."""
        return self.logs[-1][1] if self.logs else self.moment


def _parse_moment(numbers: list[int]) -> Moment:
    seconds, number = numbers
    return seconds, number


# A backup while the system runs: the collections as of one time, the contents they refer to, the archive, the settings.
# Indexes are left out, because they are rebuilt from the fingerprints.


COLLECTIONS_FOLDER: Final = "mongo"
ARCHIVE_FOLDER: Final = "warc"
LOG_FOLDER: Final = "log"
SETTINGS_PART: Final = "settings"
COPY_PIECE_BYTES: Final = 1 << 20

BackupProgress = Callable[[int, int], None]


def make_backup_key(product: Product) -> BackupKey | None:
    """Return the key of one backup, or None without encryption."""
    key = product.settings.backup.key
    return BackupKey(key.get_secret_value()) if key else None


def create_backup(
    product: Product, folder: AnyPath, settings: Mapping[str, str], progress: BackupProgress | None = None
) -> Manifest:
    """Write a backup into an empty folder.

    settings: all settings as variables, including secrets. If MongoDB is no replica set, writes wait while the
    collections are read. Bodies and texts never change, and are read afterwards. Raises BadInput if the folder is not
    empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInput("backup.not_empty", folder=folder)
    if isinstance(folder, Path):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key, copying = make_backup_key(product), product.store.copying
    manifest = Manifest(BACKUP_FORM, version("wenhen"), product.now().isoformat(), None)
    names, contents = copying.collections(), copying.contents()
    with hold_back_retention(product):
        with copying.snapshot() as snapshot:
            for done, name in enumerate(names, 1):
                manifest.collections.append(
                    _write_backup_part(folder, f"{COLLECTIONS_FOLDER}/{name}", name, snapshot.read(name), key)
                )
                if progress:
                    progress(done, len(names) + len(contents))
            manifest.moment = snapshot.moment
        for done, name in enumerate(contents, 1):
            manifest.contents.append(
                _write_backup_part(folder, f"{COLLECTIONS_FOLDER}/{name}", name, copying.read(name), key)
            )
            if progress:
                progress(len(names) + done, len(names) + len(contents))
        _copy_archive(product, folder, manifest, key)
    _write_backup_part(folder, SETTINGS_PART, SETTINGS_PART, [json.dumps(dict(settings), indent=2).encode()], key)
    manifest.keep(folder, key)
    note_backup_complete(product)
    return manifest


def check_backup(folder: AnyPath, key: BackupKey | None) -> Manifest:
    """Read every part of a backup and compare it with its digest. Raises `BadInput` for one that differs."""
    manifest = Manifest.of(folder, key)
    for where, parts in (
        (COLLECTIONS_FOLDER, [*manifest.collections, *manifest.contents]),
        (ARCHIVE_FOLDER, manifest.archive),
        (LOG_FOLDER, [log for log, _ in manifest.logs]),
    ):
        for part in parts:
            with read_part(folder / where / part.name, key) as content:
                if file_digest(content, "sha256").hexdigest() != part.digest:  # type: ignore[arg-type]
                    raise BadInput("backup.differs", name=part.name)
    return manifest


def drop_old_backups(
    folder: AnyPath, key: BackupKey | None, most: int, is_own: Callable[[Mapping[str, str]], bool]
) -> list[AnyPath]:
    """Remove the oldest backups beside this one until `most` are left, and return them.

    is_own: tells a backup of this installation by its settings. One of another installation, under another key,
    unfinished or damaged is left alone. This one is read first, and stays. Raises `BadInput` if it is damaged.
    """
    made_at = check_backup(folder, key).made_at
    older: list[tuple[str, AnyPath]] = []
    for beside in folder.parent.iterdir():
        with suppress(BadInput, NotFound):
            if beside.name != folder.name and (manifest := Manifest.of(beside, key)).made_at < made_at:
                with read_part(beside / SETTINGS_PART, key) as part:
                    if is_own(json.load(part)):
                        older.append((manifest.made_at, beside))
    dropped = [path for _, path in sorted(older)[: max(0, len(older) + 1 - most)]]
    for path in dropped:
        _remove_backup(path)
    return dropped


def _remove_backup(folder: AnyPath) -> None:
    """Remove what a backup consists of. Anything else in its folder stays."""
    (folder / MANIFEST_NAME).unlink()  # first: what is left of a removal that broke off is no backup
    (folder / SETTINGS_PART).unlink(missing_ok=True)
    places = [folder / name for name in (COLLECTIONS_FOLDER, ARCHIVE_FOLDER, LOG_FOLDER)]
    for place in places:
        for file in [*place.iterdir()] if place.exists() else ():
            file.unlink(missing_ok=True)
    for place in (*places, folder):
        if isinstance(place, Path):
            with suppress(OSError):  # it holds something else
                place.rmdir()


def append_log(product: Product, folder: AnyPath) -> Manifest:
    """Add the oplog since the backup, so that it can be restored as of any time up to now.

    Raises `NotFound` if MongoDB has no oplog (it is no replica set), or its oplog no longer reaches back to the backup.
    """
    key, copying = make_backup_key(product), product.store.copying
    manifest = Manifest.of(folder, key)
    if manifest.logged_until is None:
        raise NotFound("backup.without_log", folder=folder)
    following = _LogFollower(copying.log(manifest.logged_until), manifest.logged_until)
    name = f"{len(manifest.logs) + 1:05}"
    with hold_back_retention(product):
        part = _write_backup_part(folder, f"{LOG_FOLDER}/{name}", name, following, key)
        manifest.logs.append((part, following.moment))
        _copy_archive(product, folder, manifest, key)
    manifest.keep(folder, key)
    note_backup_complete(product)
    return manifest


class _LogFollower:
    """The entries of an oplog, and the time of the last entry that was consumed."""

    def __init__(self, entries: Iterator[tuple[Moment, bytes]], moment: Moment) -> None:
        self._entries = entries
        self.moment = moment

    def __iter__(self) -> Iterator[bytes]:
        for moment, entry in self._entries:
            yield entry
            self.moment = moment


def _write_backup_part(
    folder: AnyPath, file: str, name: str, pieces: Iterable[bytes], key: BackupKey | None
) -> BackupPart:
    size = 0
    try:
        with write_part(folder / file, key) as part:
            for piece in pieces:
                part.write(piece)
                size += 1
    except OSError as error:  # errors of writes do not name the file
        error.filename = error.filename or str(folder / file)
        raise
    return BackupPart(name, size, part.digest)


def _copy_archive(product: Product, folder: AnyPath, manifest: Manifest, key: BackupKey | None) -> None:
    """Copy the archive files that are new, or have grown, of this machine and of the store of closed ones."""
    before = {part.name: part for part in manifest.archive}
    for path in _archive_files(product):
        try:
            length = _length_of(path)
            if path.name not in before or before[path.name].size != length:
                part = _write_backup_part(
                    folder, f"{ARCHIVE_FOLDER}/{path.name}", path.name, _file_pieces(path, length), key
                )
                before[path.name] = BackupPart(path.name, length, part.digest)
        except FileNotFoundError:
            if path.exists():
                raise
            continue  # it moved to the store, which is read next
    manifest.archive = sorted(before.values(), key=lambda part: part.name)


def _archive_files(product: Product) -> Iterator[AnyPath]:
    for folder in warc_folders(product.settings):
        if isinstance(folder, RemotePath):
            yield from (path for path in folder.iterdir() if path.name.endswith((WARC_SUFFIX, *STAMP_SUFFIXES)))
        else:
            yield from (file for path in warc_files_in(folder) for file in (path, *stamp_files_of(path)))


def _length_of(path: AnyPath) -> int:
    if isinstance(path, RemotePath):
        return path.size()
    is_open = path.name.endswith(WARC_SUFFIX) and not answer_path(path).exists()
    return complete_length(path) if is_open else path.stat().st_size


def _file_pieces(path: AnyPath, length: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while length and (piece := file.read(min(COPY_PIECE_BYTES, length))):
            length -= len(piece)
            yield piece


# Backups that an administrator begins on screen. A worker makes them.


_REQUEST_MARK: Final = "backup:request"
_MAX_BACKUP_TIME: Final = timedelta(hours=12)  # the time limit of tasks


class BackupState(StrEnum):
    """The state of a requested backup."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedBackup:
    """The last backup that was begun on screen. done, total: its parts; 0 while MongoDB is read as of one moment."""

    by: str
    asked_at: datetime
    target: str
    state: BackupState = BackupState.WAITING
    done: int = 0
    total: int = 0
    folder: str | None = None
    ended_at: datetime | None = None
    problem: Message | None = None

    @property
    def is_open(self) -> bool:
        """Return whether it waits or runs."""
        return self.state in (BackupState.WAITING, BackupState.RUNNING)


def requested_backup(product: Product) -> RequestedBackup | None:
    """Return the last backup that was begun on screen. One whose worker died has failed."""
    request = _read_request(product)
    if request is not None and request.is_open and product.now() - request.asked_at > _MAX_BACKUP_TIME:
        return replace(request, state=BackupState.FAILED, problem=message("backup.lost"))
    return request


@audited("backup.begin")
def request_backup(acting: Acting) -> ChangeResult[RequestedBackup]:
    """Have a worker make a backup in a new folder of the target. One that waits or runs stays.

    Raises `BadInput` without a target, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    product = acting.product
    if not product.settings.backup.target:
        raise BadInput("backup.no_target")
    if (present := requested_backup(product)) and present.is_open:
        return change_result(present)
    request = RequestedBackup(by=acting.who, asked_at=product.now(), target=product.settings.backup.target)
    _note_request(product, request)
    product.queue.backup()
    return change_result(request, AuditLine("backup", new=request.target))


def run_requested_backup(product: Product, settings: Mapping[str, str]) -> None:
    """Make the backup that waits, if any, and note its progress and how it ended. settings: as in `create_backup`."""
    request = requested_backup(product)
    if request is None or request.state is not BackupState.WAITING:
        return
    if not product.store.marks.claim(_REQUEST_MARK, product.now(), _MAX_BACKUP_TIME):
        return  # another worker is at it
    folder = parse_path(request.target) / f"wenhen-{request.asked_at:%Y%m%d-%H%M%S}"
    running = replace(request, state=BackupState.RUNNING, folder=str(folder))
    _note_request(product, running)
    unlocked_from = len(product.store.copying.collections()) + 1

    def note(done: int, total: int) -> None:
        if done >= unlocked_from:  # a server without an oplog is locked before, and a write would wait for ever
            _note_request(product, replace(running, done=done, total=total))

    try:
        find_backup_target(product, request.target)
        create_backup(product, folder, settings, note)
    except WenhenError as error:
        ended = replace(running, state=BackupState.FAILED, problem=error.message)
    except OSError as error:
        problem = message("backup.not_written", folder=error.filename or folder, error=error.strerror or error)
        ended = replace(running, state=BackupState.FAILED, problem=problem)
    else:
        ended = replace(running, state=BackupState.DONE)
    _note_request(product, replace(ended, ended_at=product.now()))
    product.store.marks.release(_REQUEST_MARK)


def find_backup_target(product: Product, target: str | None) -> AnyPath:
    """Return the folder in which backups are made. Raises `BadInput` without one.

    A local folder has to be there. At a URL only sealed backups are made.
    """
    if not target:
        raise BadInput("backup.no_target")
    folder = parse_path(target)
    if isinstance(folder, RemotePath) and product.settings.backup.key is None:
        raise BadInput("backup.not_sealed")
    if isinstance(folder, Path) and not folder.is_dir():
        raise BadInput("backup.no_folder", folder=folder)
    return folder


def end_restored_request(product: Product) -> None:
    """Note that the backup that has just been restored was whole. It holds itself as one that runs."""
    request = _read_request(product)
    if request is not None and request.is_open:
        _note_request(product, replace(request, state=BackupState.DONE, ended_at=product.now()))
        product.store.marks.release(_REQUEST_MARK)


def _read_request(product: Product) -> RequestedBackup | None:
    value = product.store.marks.get(_REQUEST_MARK)
    return None if value is None else from_document(RequestedBackup, value)


def _note_request(product: Product, request: RequestedBackup) -> None:
    product.store.marks.set(_REQUEST_MARK, encode(request))
