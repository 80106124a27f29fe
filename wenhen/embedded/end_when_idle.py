"""Ends the servers of a data folder that nobody has used for a while: `python -m wenhen.embedded.end_when_idle DATA`.

Commands leave their servers running, so that the next one finds them; whoever walks away leaves none behind. A server
is in use while anybody is connected to its socket, which the kernel tells without asking the server.
"""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from store.errors import SetupError
from wenhen.embedded.data_folder import DataFolder, layout_of
from wenhen.embedded.server_process import named_by
from wenhen.embedded.servers import servers_of, stop_servers

IDLE_SECONDS: Final = 30 * 60.0
LOOK_SECONDS: Final = 10.0
_SOCKETS: Final = Path("/proc/net/unix")
_CONNECTED: Final = "03"  # SS_CONNECTED in linux/net.h


def lock_of(layout: DataFolder) -> Path:
    """What is held by whoever looks after the servers."""
    return layout.run / "idle.lock"


def end_when_idle(data: Path, *, idle_seconds: float = IDLE_SECONDS, look_seconds: float = LOOK_SECONDS) -> None:
    """Return once the servers have ended: by themselves, or because nobody was connected for so long."""
    layout = layout_of(data)
    with suppress(Timeout, OSError, SetupError), FileLock(lock_of(layout), timeout=0):
        used = time.monotonic()
        while any(named_by(server.pid_file, server.folder) for server in servers_of(layout)):  # asks no server
            if _clients(layout):
                used = time.monotonic()
            elif time.monotonic() - used > idle_seconds:
                stop_servers(data)
                return
            time.sleep(look_seconds)


def _clients(layout: DataFolder) -> int:
    """How many are connected to the sockets of the servers. The kernel's list has a line a socket, its path last."""
    ours = {str(server.socket) for server in servers_of(layout)}
    lines = (line.split() for line in _SOCKETS.read_text(encoding="utf-8", errors="replace").splitlines()[1:])
    return sum(1 for line in lines if len(line) > 7 and line[5] == _CONNECTED and line[7] in ours)


if __name__ == "__main__":
    end_when_idle(Path(sys.argv[1]))
