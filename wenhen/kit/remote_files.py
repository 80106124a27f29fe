"""Read and write files by URL through fsspec: local, S3, HTTP or in memory."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from heapq import merge
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, TypeAlias, cast

from wenhen.kit.errors import NotFound, SetupError, Unavailable

READ_AHEAD_BYTES = 1 << 20  # bytes that are read ahead; many files are read at the same time


_CREDENTIALS = re.compile(r"://[^/@\s]{1,300}@")


def mask_credentials(text: object) -> str:
    """Return a text without the user and password of URLs.

    >>> mask_credentials("sftp://anna:secret@a.test/warc is away")
    'sftp://***@a.test/warc is away'
    """
    return _CREDENTIALS.sub("://***@", str(text))


@contextmanager
def _translate_errors(url: str) -> Iterator[None]:
    """Translate the errors of any storage library into errors of this package."""
    try:
        yield
    except FileNotFoundError as error:
        is_answer = hasattr(error.__cause__, "response")  # of S3, which says that there is no such file
        if is_answer or isinstance(error.__cause__, FileNotFoundError | KeyError | None):  # KeyError: of memory://
            raise NotFound("bulk.no_file", url=mask_credentials(url)) from error
        raise _unavailable(url, error.__cause__) from error  # the server does not exist
    except ImportError as error:  # the library for a URL scheme is missing
        raise SetupError("bulk.extra", error=error) from error
    except Exception as error:
        if isinstance(error, OSError | ValueError) or type(error).__module__.startswith(("aiohttp", "botocore")):
            raise _unavailable(url, error) from error
        raise


def _unavailable(url: str, error: object) -> Unavailable:
    return Unavailable("bulk.silent", url=mask_credentials(url), error=mask_credentials(error))


@cache
def _load_fsspec() -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise SetupError("bulk.extra", error=error) from error
    return fsspec


def _open_filesystem(url: str) -> tuple[Any, str]:
    with _translate_errors(url):
        system, path = _load_fsspec().core.url_to_fs(url)
    return system, path


def join_url(folder: str, name: str) -> str:
    """Return the URL of a file in a folder."""
    return f"{folder.rstrip('/')}/{name}"


def expand_url(url: str) -> list[str]:
    """Return the files that a URL with wildcards, or of a folder, stands for. The URL of a file stands for itself."""
    system, path = _open_filesystem(url)
    if url.startswith(("http://", "https://")):
        return [url]
    with _translate_errors(url):
        paths = system.glob(path) if any(sign in path for sign in "*?[") else system.find(path)
    if not paths:
        raise NotFound("bulk.no_file", url=url)
    return [system.unstrip_protocol(path) for path in sorted(paths)]


def file_size(url: str) -> int:
    """Return the size of a file in bytes.

    Raises NotFound, or Unavailable, also if the server does not tell the size.
    """
    system, path = _open_filesystem(url)
    with _translate_errors(url):
        size = system.size(path)
        if size is None:
            raise ValueError("no Content-Length")
    return int(size)


def read_range(url: str, begin: int, end: int) -> bytes:
    """Read the bytes of a file from `begin` to `end`, or to the end of the file."""
    system, path = _open_filesystem(url)
    with _translate_errors(url):
        return bytes(system.cat_file(path, start=begin, end=end))


@contextmanager
def open_file(url: str) -> Iterator[Any]:
    """Open a file for random access."""
    system, path = _open_filesystem(url)
    with _translate_errors(url), system.open(path, "rb") as file:
        yield file


def read_whole_file(url: str) -> bytes:
    """Read a whole file."""
    system, path = _open_filesystem(url)
    with _translate_errors(url):
        return bytes(system.cat_file(path))


def write_whole_file(url: str, content: bytes) -> None:
    """Write a whole file, replacing an existing one. Its folder is created."""
    system, path = _open_filesystem(url)
    with _translate_errors(url):
        _make_folder(system, path)
        system.pipe_file(path, content)


def read_lines(url: str) -> Iterator[bytes]:
    """Yield the lines of a file lazily."""
    system, path = _open_filesystem(url)
    with _translate_errors(url), system.open(path, "rb", block_size=READ_AHEAD_BYTES) as file:
        yield from file


def write_all_lines(url: str, content: Iterable[bytes]) -> None:
    """Write lines as they arrive, replacing an existing file."""
    system, path = _open_filesystem(url)
    with _translate_errors(url), system.open(path, "wb") as file:
        file.writelines(content)


MAX_MERGED_FILES: Final = 200  # files that are open together: many systems allow a process 1,024


def merge_sorted_files(urls: Sequence[str], key: Callable[[bytes], Any]) -> Iterator[bytes]:
    """Yield the lines of sorted files in the order of their keys.

    If there are more than `MAX_MERGED_FILES`, they are first merged into temporary files on this machine.
    """
    with TemporaryDirectory(prefix="wenhen-merge-") as folder:
        while len(urls) > MAX_MERGED_FILES:
            groups = [urls[begin : begin + MAX_MERGED_FILES] for begin in range(0, len(urls), MAX_MERGED_FILES)]
            merged = [f"{folder}/{len(urls)}-{number}" for number in range(len(groups))]
            for file_url, group in zip(merged, groups, strict=True):
                write_all_lines(file_url, merge(*map(read_lines, group), key=key))
            urls = merged
        yield from merge(*map(read_lines, urls), key=key)


def list_names(folder: str) -> set[str]:
    """Return the names of the files in a folder; none if the folder does not exist."""
    system, path = _open_filesystem(folder)
    system.invalidate_cache()
    with _translate_errors(folder):
        try:
            return {name.rpartition("/")[2] for name in system.ls(path, detail=False)}
        except FileNotFoundError:
            return set()


def download_file(url: str, path: str) -> None:
    """Copy a remote file to this machine."""
    system, remote_path = _open_filesystem(url)
    with _translate_errors(url):
        system.get_file(remote_path, path)


def upload_file(path: str, url: str) -> None:
    """Copy a file of this machine to a URL."""
    system, remote_path = _open_filesystem(url)
    with _translate_errors(url):
        _make_folder(system, remote_path)
        system.put_file(path, remote_path)


def _make_folder(system: Any, path: str) -> None:
    if not _is_s3(system):  # which has no folders, and where that would make a bucket that is gone anew
        system.makedirs(path.rpartition("/")[0], exist_ok=True)


def _is_s3(system: Any) -> bool:
    return "s3" in system.protocol


def local_path(url: str) -> str | None:
    """Return the local path of a file, or None if it is not on this machine."""
    system, path = _open_filesystem(url)
    return path if "file" in system.protocol else None


# Paths at a URL, with the part of pathlib's interface that archives and backups need.


COPY_PIECE_BYTES: Final = 8 << 20  # bytes of one request where a file is read from end to end


@dataclass(frozen=True, slots=True, order=True, repr=False)
class RemotePath:
    """A file or folder at a URL. Every method may raise `Unavailable` and `SetupError`."""

    url: str

    def __str__(self) -> str:
        """Return the URL, without credentials."""
        return mask_credentials(self.url)

    __repr__ = __str__

    def __truediv__(self, name: str) -> "RemotePath":
        """Return the path of a file in this folder."""
        return RemotePath(join_url(self.url, name))

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.url.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> "RemotePath":
        """Return the folder that holds this."""
        return RemotePath(self.url.rstrip("/").rpartition("/")[0])

    def iterdir(self) -> Iterator["RemotePath"]:
        """Yield what the folder holds. A missing folder holds nothing."""
        names: Iterable[str] = ()
        with suppress(NotFound), self._reach() as (system, path):
            names = {name.rpartition("/")[2] for name in system.ls(path, detail=False)}
        return (self / name for name in sorted(names) if name)

    def exists(self) -> bool:
        """Return whether a file or folder is here."""
        return bool(self._info())

    def is_file(self) -> bool:
        """Return whether a file is here."""
        return self._info().get("type") == "file"

    def _info(self) -> dict[str, Any]:
        with suppress(NotFound), self._reach() as (system, path):
            return dict(system.info(path))
        return {}

    @contextmanager
    def _reach(self) -> Iterator[tuple[Any, str]]:
        """Yield the store and the path in it. What was listed before is forgotten, because other machines write too."""
        system, path = _open_filesystem(self.url)
        system.invalidate_cache()
        with self._name_missing_bucket(system, path), _translate_errors(self.url):
            yield system, path

    @contextmanager
    def _name_missing_bucket(self, system: Any, path: str) -> Iterator[None]:
        """Tell a bucket that is gone from a file that is not there."""
        try:
            yield
        except NotFound as error:
            bucket = path.partition("/")[0]
            if _is_s3(system) and not system.exists(bucket):
                raise Unavailable("bulk.no_bucket", bucket=bucket) from error
            raise

    def size(self) -> int:
        """Return the size in bytes. Raises `NotFound`."""
        with self._reach():
            return file_size(self.url)

    def modified(self) -> datetime:
        """Return when the file was last written. Raises `NotFound`."""
        with self._reach() as (system, path):
            return cast("datetime", system.modified(path))

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove the file. Raises `NotFound`."""
        try:
            with self._reach() as (system, path):
                system.rm_file(path)
        except NotFound:
            if not missing_ok:
                raise

    def open(self, mode: str = "rb", block: int = READ_AHEAD_BYTES) -> io.BufferedReader:  # noqa: ARG002  as pathlib's
        """Open the file for random access. Only what is read is fetched, `block` bytes at a time. Raises `NotFound`."""
        with self._reach() as (system, path):
            file = system.open(path, "rb", block_size=block)
        return io.BufferedReader(_RemoteFile(file, self.url))

    @contextmanager
    def create(self) -> Iterator[BinaryIO]:
        """Write the file. It appears whole when the block ends, and never after an error."""
        system, path = _open_filesystem(self.url)
        with self._name_missing_bucket(system, path):
            with _translate_errors(self.url):
                _make_folder(system, path)
                file = system.open(path, "wb", autocommit=False)
            try:
                yield cast("BinaryIO", _RemoteFile(file, self.url))
                with _translate_errors(self.url):
                    file.close()
                    file.commit()
            except BaseException:
                with suppress(Exception):  # the server may be away
                    file.discard()
                file.closed = True
                raise


AnyPath: TypeAlias = Path | RemotePath


def parse_path(text: str) -> AnyPath:
    """Return the path of a file or folder, on this machine or at a URL.

    >>> parse_path("s3://bucket/warc").name, parse_path("backup/1").name
    ('warc', '1')
    """
    return RemotePath(text.rstrip("/")) if "://" in text else Path(text)


class _RemoteFile(io.RawIOBase):
    """An open file of fsspec, whose errors are ours."""

    def __init__(self, file: Any, url: str) -> None:
        self._file = file
        self.name = url

    def readable(self) -> bool:
        return bool(self._file.readable())

    def writable(self) -> bool:
        return bool(self._file.writable())

    def seekable(self) -> bool:
        return self.readable()

    def readinto(self, buffer: Any) -> int:
        with _translate_errors(self.name):
            read = self._file.read(len(buffer))
        buffer[: len(read)] = read
        return len(read)

    def write(self, data: Any) -> int:
        with _translate_errors(self.name):
            return int(self._file.write(data))

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _translate_errors(self.name):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed and self.readable():  # `create` closes what is written
            self._file.close()
        super().close()
