"""Lay out and lock the data folder of the embedded servers."""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wenhen.kit.errors import Conflict, SetupError, WenhenError
from wenhen.kit.files import ANY_NAME, make_private_folder

if TYPE_CHECKING:
    from filelock import FileLock

# The layout of a data folder.
#
# ::
#
#     DATA/mongo        files of mongod               DATA/log/mongod.log, redis.log
#     DATA/redis        the append-only file          DATA/run    sockets, pid files, start.lock
#
# The path of a unix socket is limited to about 100 bytes (``sun_path`` in unix(7): 108 on Linux, 104 on macOS, with the
# final zero byte). If the path of the data folder is too long, the sockets are in a short private folder, whose path is
# in ``DATA/run/sockets-are-in``.


MONGOD_PORT = 27999  # only part of a socket name; nothing listens on TCP
DATA_FOLDER_ENTRIES = (
    "mongo*",
    "redis*",
    "log",
    "run",
    "warc",
    "figures",
    "secret.key",
    "restored-*",
    ".*",
)  # allowed entries of a data folder
_LONGEST_SOCKET_NAME = f"mongodb-{MONGOD_PORT}.sock"
_MAX_SOCKET_PATH_BYTES = 103


@dataclass(frozen=True)
class DataFolder:
    """The paths of one data folder, all absolute."""

    data: Path
    sockets: Path

    @property
    def mongo(self) -> Path:
        return self.data / "mongo"

    @property
    def redis(self) -> Path:
        return self.data / "redis"

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def run(self) -> Path:
        return self.data / "run"


def data_folder_layout(data: Path) -> DataFolder:
    """Return the layout of a data folder, which need not exist. Nothing is written."""
    data = data.expanduser().absolute().resolve()
    run = data / "run"
    if _fits_socket_path(run):
        return DataFolder(data, run)
    return DataFolder(data, _recorded_folder(run) or _short_folder(data))


def make_data_folders(data: Path) -> DataFolder:
    """Make the folders of a data folder. Raises SetupError if one cannot be made or written."""
    layout = data_folder_layout(data)
    try:
        for folder in (layout.data, layout.mongo, layout.redis, layout.log, layout.run):
            make_private_folder(folder, DATA_FOLDER_ENTRIES if folder == layout.data else ANY_NAME)
            _probe_writable(folder)
        if layout.sockets != layout.run:
            layout = DataFolder(layout.data, _make_private_sockets(layout))
            _socket_record(layout.run).write_text(str(layout.sockets), encoding="utf-8")
    except OSError as error:
        raise SetupError(
            "server.data_folder", folder=layout.data, error=error.strerror, path=error.filename or layout.data
        ) from error
    return layout


def _fits_socket_path(folder: Path) -> bool:
    return len(os.fsencode(folder / _LONGEST_SOCKET_NAME)) <= _MAX_SOCKET_PATH_BYTES


def _socket_record(run: Path) -> Path:
    return run / "sockets-are-in"


def _recorded_folder(run: Path) -> Path | None:
    try:
        folder = Path(_socket_record(run).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return folder if folder.is_absolute() and _fits_socket_path(folder) else None


def _short_folder(data: Path) -> Path:
    name = f"wenhen-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}-{os.getuid()}"
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir()):
        if parent and Path(parent).is_dir() and os.access(parent, os.W_OK) and _fits_socket_path(Path(parent) / name):
            return Path(parent) / name
    return Path("/tmp") / name  # noqa: S108  it is made private, or refused, before use


def _probe_writable(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    probe.write_bytes(b"wenhen")
    probe.unlink(missing_ok=True)  # another thread of this process may have removed it


def _make_private_sockets(layout: DataFolder) -> Path:
    """Make the short folder private, or refuse it: another user could have made it first in a shared folder."""
    folder = layout.sockets if layout.sockets.parent.is_dir() else _short_folder(layout.data)
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o077:
        raise SetupError("server.foreign_folder", folder=folder)
    return folder


@contextmanager
def hold_file_lock(file: Path, seconds: float, taken: WenhenError) -> Iterator[None]:
    """Hold a file lock. Raises `taken` if another process holds it for so long, `SetupError` if locking fails."""
    from filelock import FileLock, Timeout

    lock = FileLock(file, timeout=seconds)
    try:
        make_private_folder(file.parent)
        lock.acquire()
    except Timeout as error:
        raise taken from error
    except OSError as error:
        raise SetupError("server.not_lockable", file=file, error=error.strerror) from error
    try:
        yield
    finally:
        lock.release()


# One `wenhen up` per data folder: two would write the same logs, and the first to end would stop the servers.


def instance_lock(data: Path) -> AbstractContextManager[None]:
    """Lock the data folder. Raises `Conflict` if another instance runs on it, `SetupError` if locking fails."""
    return hold_file_lock(data_folder_layout(data).run / "up.lock", 0, Conflict("server.up_already", folder=data))


# Workers of one data folder compile machine code one after the other, and the next finds it on disk. Commands and
# `wenhen up` see by the lock that a worker compiles, while they wait for it.


def compiling_lock(data: Path) -> "FileLock":
    """Return the lock that a worker holds while it compiles. The operating system releases it if the worker dies."""
    from filelock import FileLock

    file = _compiling_lock_file(data)
    make_private_folder(file.parent)
    return FileLock(file)


def is_compiling(data: Path) -> bool:
    """Return whether a worker of the data folder compiles now. Nothing is written where none ever did."""
    if not _compiling_lock_file(data).exists():
        return False
    from filelock import Timeout

    lock = compiling_lock(data)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def _compiling_lock_file(data: Path) -> Path:
    return data_folder_layout(data).run / "compiling.lock"
