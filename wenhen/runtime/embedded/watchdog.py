"""Stop embedded servers that are idle, and restart those that died."""

import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from wenhen.kit.errors import SetupError
from wenhen.kit.python_process import python_command
from wenhen.runtime.embedded.data_folder import DataFolder, data_folder_layout
from wenhen.runtime.embedded.servers import all_servers, find_server_process, launch_server, start_servers, stop_servers

# Idle watch: stop idle servers of a data folder. Run as `python -m wenhen.runtime.embedded.watchdog idle DATA`.
# Commands leave their servers running for the next command. A server is in use while a client is connected to its
# socket, which the kernel reports without a query to the server.


IDLE_SECONDS: Final = 30 * 60.0
IDLE_POLL_SECONDS: Final = 10.0
_UNIX_SOCKETS_FILE: Final = Path("/proc/net/unix")
_CONNECTED_STATE: Final = "03"  # SS_CONNECTED in linux/net.h


def idle_lock_path(layout: DataFolder) -> Path:
    """Return the path of the lock that the idle watch holds."""
    return layout.run / "idle.lock"


def stop_when_idle(data: Path, *, idle_seconds: float = IDLE_SECONDS, look_seconds: float = IDLE_POLL_SECONDS) -> None:
    """Return once the servers have ended, or stop them after `idle_seconds` without clients."""
    layout = data_folder_layout(data)
    with suppress(Timeout, OSError, SetupError), FileLock(idle_lock_path(layout), timeout=0):
        used = time.monotonic()
        while any(
            find_server_process(server.pid_file, server.folder) for server in all_servers(layout)
        ):  # without a query to the servers
            if _count_clients(layout):
                used = time.monotonic()
            elif time.monotonic() - used > idle_seconds:
                stop_servers(data)
                return
            time.sleep(look_seconds)


def _count_clients(layout: DataFolder) -> int:
    """Count the clients of the sockets of the servers. /proc/net/unix has a line for each socket, with the path
    last.
    """
    own_sockets = {str(server.socket) for server in all_servers(layout)}
    lines = (line.split() for line in _UNIX_SOCKETS_FILE.read_text(encoding="utf-8", errors="replace").splitlines()[1:])
    return sum(1 for line in lines if len(line) > 7 and line[5] == _CONNECTED_STATE and line[7] in own_sockets)


def start_idle_watch(data: Path) -> None:
    """Start the idle watch of a data folder, unless it runs."""
    layout = data_folder_layout(data)
    if not layout.run.is_dir():
        return
    with suppress(Timeout, OSError):
        with FileLock(idle_lock_path(layout), timeout=0):
            pass
        launch_server(
            python_command("wenhen.runtime.embedded.watchdog", "idle", str(data)), {}, layout.log / "idle.log"
        )


# Restart watch: restart embedded servers that died. Run as `python -m wenhen.runtime.embedded.watchdog restart DATA
# NAME…`.


RESTART_POLL_SECONDS = 3.0


def keep_servers_running(data: Path, over: threading.Event, *, mongo: bool, redis: bool) -> None:
    """Restart servers that died until `over` is set. A server that cannot start (a full disk) is reported, and
    retried.
    """
    said = None
    while not over.wait(RESTART_POLL_SECONDS):
        try:
            start_servers(data, mongo=mongo, redis=redis)
            said = None
        except (SetupError, OSError) as error:
            if str(error) != said:
                said = str(error)
                _print_error(said)


def _print_error(text: str) -> None:
    with suppress(OSError):  # the log may be on the full disk; the watch must continue
        print(text, file=sys.stderr, flush=True)


def run_restarts(data: str, *names: str) -> None:
    """Keep the named servers running until SIGTERM."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: over.set())
    keep_servers_running(Path(data), over, mongo="mongo" in names, redis="redis" in names)


if __name__ == "__main__":
    if sys.argv[1] == "idle":
        stop_when_idle(Path(sys.argv[2]))
    else:
        run_restarts(*sys.argv[2:])
