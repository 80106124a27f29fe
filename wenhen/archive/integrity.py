"""Prove that WARC files are whole: a time stamp over each, and verification of the captures that point into them.

An RFC 3161 time stamp stands over each closed file, kept beside it.
"""

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.capture import Capture
from crawler.warc.reader import check_records, read_body
from wenhen.crawls.job import warc_files_in, warc_folder
from wenhen.evidence.signing import stamp_digest, verify_stamp_in_child
from wenhen.kit.errors import BadInput, Message, NotFound, WenhenError, message
from wenhen.product.context import Product

if TYPE_CHECKING:
    from wenhen.evidence.timestamp_tokens import VerifiedStamp

ANSWER_SUFFIX: Final = ".tsr"  # behind the name of the WARC file: the TimeStampResp as the authority sent it
CHAIN_SUFFIX: Final = ".tsr.pem"  # the certificates from its signer to the root
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
    for suffix in (CHAIN_SUFFIX, ANSWER_SUFFIX):
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
    product: Product, folder: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> ArchiveVerification:
    """Read every record of every file in the folder, and every capture that points into one.

    folder: this machine's where none is named; `BadInput` where its crawls keep no files.
    """
    folder = folder or warc_folder(product.settings)
    if folder is None:
        raise BadInput("archive.off")
    verified = ArchiveVerification()
    files = warc_files_in(folder)
    for path in files:
        verified.files += 1
        _verify_stamp(product, path, verified)
        for record in check_records(path):
            verified.records += 1
            verified.again += record.again
            if record.problem:
                verified.note(message("archive.of_record", file=path.name, id=record.id, problem=record.problem))
        if progress:
            progress(verified.files, len(files))
    _verify_captures(product.store.captures.each(), folder, {path.name for path in files}, verified)
    return verified


def _verify_stamp(product: Product, path: Path, verified: ArchiveVerification) -> None:
    """Count the time stamp of a file, or note what is wrong with it. A file without one is no problem."""
    try:
        verified.stamped += verify_stamp_of(product, path) is not None
    except WenhenError as error:
        verified.note(message("archive.of_stamp", file=path.name, problem=error))


def _verify_captures(captures: Iterable[Capture], folder: Path, here: set[str], verified: ArchiveVerification) -> None:
    for capture in captures:
        if capture.warc is None:
            continue
        if capture.warc.file not in here:
            verified.elsewhere += 1
            continue
        verified.captures += 1
        try:
            body = read_body(folder, capture.warc)
        except NotFound as error:
            verified.note(message("archive.of_capture", url=capture.url, problem=error))
            continue
        if hashlib.sha256(body).hexdigest() != capture.body_digest:
            verified.note(message("archive.other_body", url=capture.url, id=capture.warc.record_id))
