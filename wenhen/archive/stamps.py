"""Date the WARC files: one RFC 3161 time stamp over each closed file, kept beside it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wenhen.crawls.job import warc_files_in, warc_folder
from wenhen.evidence.signing import stamp_digest, verify_stamp_in_child
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
