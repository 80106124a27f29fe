"""One `wenhen up` a data folder: two would write the same logs, and the first to end would take the servers along."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from store.errors import Conflict, SetupError
from store.private_files import make_private
from wenhen.embedded.data_folder import layout_of


@contextmanager
def alone_on(data: Path) -> Iterator[None]:
    """Raises `Conflict` while another one runs on this folder, `SetupError` where that cannot be known."""
    run = layout_of(data).run
    lock = FileLock(run / "up.lock", timeout=0)
    try:
        make_private(run)
        lock.acquire()
    except Timeout as error:
        raise Conflict("server.up_already", folder=data) from error
    except OSError as error:
        raise SetupError("server.not_lockable", file=lock.lock_file, error=error.strerror) from error
    try:
        yield
    finally:
        lock.release()
