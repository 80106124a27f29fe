"""A file in the data folder that one process holds at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.errors import SetupError, WenhenError
from store.private_files import make_private


@contextmanager
def held(file: Path, seconds: float, taken: WenhenError) -> Iterator[None]:
    """Raises `taken` where another one holds it for so long, `SetupError` where that cannot be known."""
    from filelock import FileLock, Timeout

    lock = FileLock(file, timeout=seconds)
    try:
        make_private(file.parent)
        lock.acquire()
    except Timeout as error:
        raise taken from error
    except OSError as error:
        raise SetupError("server.not_lockable", file=file, error=error.strerror) from error
    try:
        yield
    finally:
        lock.release()
