"""Prove that WARC files are whole: a time stamp over each, and verification of the captures that point into them.

An RFC 3161 time stamp stands over each closed file, kept beside it.
"""

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from crawler.capture import Capture
from crawler.warc.reader import check_records, read_body
from wenhen.context.use_cases import Product
from wenhen.crawls.job import warc_files_in, warc_folder, warc_folders
from wenhen.evidence.signing import stamp_digest, verify_stamp_in_child
from wenhen.kit.errors import BadInput, Message, NotFound, WenhenError, message
from wenhen.kit.remote_files import COPY_PIECE_BYTES, AnyPath, RemotePath

if TYPE_CHECKING:
    from wenhen.evidence.timestamp_tokens import VerifiedStamp

ANSWER_SUFFIX: Final = ".tsr"  # behind the name of the WARC file: the TimeStampResp as the authority sent it
CHAIN_SUFFIX: Final = ".tsr.pem"  # the certificates from its signer to the root
STAMP_SUFFIXES: Final = (CHAIN_SUFFIX, ANSWER_SUFFIX)
SECONDS_WITHOUT_LOCKS: Final = 86_400.0
MAX_FILES_AFTER_CRAWL: Final = 20  # files; the daily run stamps the rest


def stamp_closed_files(product: Product, most: int | None = None) -> int:
    """Have each closed WARC file of this machine stamped that has no time stamp, oldest first, and count them.

    most: files. A later call goes on. Raises `Unavailable` if no authority issues a time stamp.
    """
    folder = warc_folder(product.settings)
    if folder is None or not product.settings.evidence.authorities:
        return 0
    done = 0
    for path in warc_files_in(folder):
        if most is not None and done >= most:
            break
        if not answer_path(path).exists() and is_closed(path):
            answer, stamp = stamp_digest(product, digest_of(path))
            _write_whole(path.with_name(path.name + CHAIN_SUFFIX), stamp.chain.encode("ascii"))
            _write_whole(answer_path(path), answer)  # last: it marks the file as stamped
            done += 1
    return done


def is_closed(path: Path) -> bool:
    """Return whether a WARC file has content, and no crawler writes to it: crawlers hold a lock until they end.

    Where the file system knows no locks, a file that nobody wrote to for a day is closed.
    """
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        if not state.st_size:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return time.time() - state.st_mtime > SECONDS_WITHOUT_LOCKS
    return True


def answer_path(path: Path) -> Path:
    """Return where the time stamp of a WARC file is."""
    return path.with_name(path.name + ANSWER_SUFFIX)


def stamp_files_of(path: Path) -> Iterator[Path]:
    """Yield the existing files that belong to the time stamp of a WARC file."""
    for suffix in STAMP_SUFFIXES:
        if (file := path.with_name(path.name + suffix)).is_file():
            yield file


def digest_of(path: Path) -> bytes:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").digest()


def verify_stamp_of(product: Product, path: Path) -> "VerifiedStamp | None":
    """Verify the time stamp of a WARC file, and return what it says; None without one. Raises `WenhenError`."""
    try:
        answer = answer_path(path).read_bytes()
    except FileNotFoundError:
        return None
    chain = ""
    with suppress(OSError, UnicodeDecodeError):
        chain = path.with_name(path.name + CHAIN_SUFFIX).read_text(encoding="ascii")
    return verify_stamp_in_child(product, answer, digest_of(path), chain)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a private file that others never see in part."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    with open(made, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


MAX_SHOWN_PROBLEMS = 100  # problems that are told one by one


@dataclass(slots=True)
class ArchiveVerification:
    """What was read back. again: responses that were fetched once more, since their crawler was not heard of;
    stamped: files with a valid time stamp; problems: the first ones; elsewhere: captures whose file is not in this
    folder.
    """

    files: int = 0
    records: int = 0
    again: int = 0
    stamped: int = 0
    captures: int = 0
    elsewhere: int = 0
    failed: int = 0
    problems: list[Message] = field(default_factory=list)

    def note(self, problem: Message) -> None:
        """Count a problem."""
        self.failed += 1
        if len(self.problems) < MAX_SHOWN_PROBLEMS:
            self.problems.append(problem)


def verify_archive(
    product: Product, folder: AnyPath | None = None, progress: Callable[[int, int], None] | None = None
) -> ArchiveVerification:
    """Read every record of every file in the folder, and every capture that points into one.

    folder: this machine's, and the store of closed files, where none is named; `BadInput` where there is neither.
    Raises `Unavailable`.
    """
    folders = warc_folders(product.settings) if folder is None else [folder]
    if not folders:
        raise BadInput("archive.off")
    verified = ArchiveVerification()
    places: dict[str, AnyPath] = {}
    for place in folders:  # in this order, or a file that moves meanwhile would stand in neither list
        for listed in warc_files_in(place):
            places.setdefault(listed.name, place)
    for name, place in places.items():
        verified.files += 1
        with _local_copy(_find_file(place / name, folders)) as path:
            _verify_stamp(product, path, verified)
            for record in check_records(path):
                verified.records += 1
                verified.again += record.again
                if record.problem:
                    verified.note(message("archive.of_record", file=name, id=record.id, problem=record.problem))
        if progress:
            progress(verified.files, len(places))
    _verify_captures(product.store.captures.each(), places, folders, verified)
    return verified


def _find_file(path: AnyPath, folders: Sequence[AnyPath]) -> AnyPath:
    """Return where a listed file is now: it may have moved to the last folder since."""
    return folders[-1] / path.name if isinstance(path, Path) and not path.exists() else path


@contextmanager
def _local_copy(path: AnyPath) -> Iterator[Path]:
    """Yield a WARC file on this machine, with its time stamp beside it. One from elsewhere is removed afterwards."""
    if isinstance(path, Path):
        yield path
        return
    with TemporaryDirectory() as folder:
        for suffix in ("", *STAMP_SUFFIXES):
            with (
                suppress(NotFound),
                RemotePath(path.url + suffix).open(block=COPY_PIECE_BYTES) as stored,
                Path(folder, path.name + suffix).open("wb") as copy,
            ):
                copyfileobj(stored, copy, COPY_PIECE_BYTES)
        yield Path(folder, path.name)


def _verify_stamp(product: Product, path: Path, verified: ArchiveVerification) -> None:
    """Count the time stamp of a file, or note what is wrong with it. A file without one is no problem."""
    try:
        verified.stamped += verify_stamp_of(product, path) is not None
    except WenhenError as error:
        verified.note(message("archive.of_stamp", file=path.name, problem=error))


def _verify_captures(
    captures: Iterable[Capture],
    places: Mapping[str, AnyPath],
    folders: Sequence[AnyPath],
    verified: ArchiveVerification,
) -> None:
    for capture in captures:
        if capture.warc is None:
            continue
        if capture.warc.file not in places:
            verified.elsewhere += 1
            continue
        verified.captures += 1
        try:
            path = _find_file(places[capture.warc.file] / capture.warc.file, folders)
            body = read_body(path.parent, capture.warc)
        except NotFound as error:
            verified.note(message("archive.of_capture", url=capture.url, problem=error))
            continue
        if hashlib.sha256(body).hexdigest() != capture.body_digest:
            verified.note(message("archive.other_body", url=capture.url, id=capture.warc.record_id))
