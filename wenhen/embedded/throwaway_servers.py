"""Servers on a temporary folder that end with the process that uses them."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from store.errors import SetupError
from wenhen.embedded import server_process as processes
from wenhen.embedded.data_folder import layout_of
from wenhen.embedded.servers import Addresses, start_servers


@contextlib.contextmanager
def throwaway_servers(*, mongo: bool = True, redis: bool = True) -> Iterator[Addresses]:
    """Real servers on an empty folder; ended and deleted afterwards, also when this process is killed.

    SetupError as in `start_servers`.
    """
    from wenhen.embedded import end_throwaway_servers  # it brings psutil, and stands in the way of every command

    try:
        folder = Path(tempfile.mkdtemp(prefix="wenhen-")).resolve()
    except OSError as error:
        raise SetupError("server.no_temporary", error=error) from error
    folders = list(dict.fromkeys([folder, layout_of(folder).sockets]))
    guard = subprocess.Popen(
        [sys.executable, "-I", end_throwaway_servers.__file__, str(os.getpid()), *map(str, folders)],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield start_servers(folder, mongo=mongo, redis=redis)
    finally:
        end_throwaway_servers.erase(folders)
        processes.reap()
        guard.terminate()
        guard.wait()
