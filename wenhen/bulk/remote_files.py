"""Read and write files by URL through fsspec: local, S3, HTTP or in memory."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from wenhen.kit.errors import NotFound, SetupError, Unavailable

READ_AHEAD_BYTES = 1 << 20  # bytes that are read ahead; many files are read at the same time


@contextmanager
def _translate_errors(url: str) -> Iterator[None]:
    """Translate the errors of any storage library into errors of this package."""
    try:
        yield
    except FileNotFoundError as error:
        if isinstance(error.__cause__, FileNotFoundError | None):
            raise NotFound("bulk.no_file", url=url) from error
        raise Unavailable("bulk.silent", url=url, error=error.__cause__) from error  # the server does not exist
    except ImportError as error:  # the library for a URL scheme is missing
        raise SetupError("bulk.extra", error=error) from error
    except Exception as error:
        if isinstance(error, OSError | ValueError) or type(error).__module__.startswith(("aiohttp", "botocore")):
            raise Unavailable("bulk.silent", url=url, error=error) from error
        raise


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
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
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
        system.makedirs(remote_path.rpartition("/")[0], exist_ok=True)
        system.put_file(path, remote_path)


def local_path(url: str) -> str | None:
    """Return the local path of a file, or None if it is not on this machine."""
    system, path = _open_filesystem(url)
    return path if "file" in system.protocol else None
