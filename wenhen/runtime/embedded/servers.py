"""Start, find and stop the embedded servers of a data folder."""

import contextlib
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wenhen.kit.errors import SetupError, message
from wenhen.runtime.embedded.data_folder import DataFolder, data_folder_layout, hold_file_lock, make_data_folders
from wenhen.runtime.embedded.server_programs import Mongod, RedisServer

if TYPE_CHECKING:
    import psutil

_MAX_LOG_BYTES = 10_000_000
_launched_servers: list[subprocess.Popen[bytes]] = []  # kept so that servers that end before this process are reaped


def launch_server(command: Sequence[str], environment: Mapping[str, str], log: Path) -> "psutil.Process":
    """Start a program in its own session, with its output appended to `log`. Raises OSError."""
    import psutil

    reap_servers()
    if log.exists() and log.stat().st_size > _MAX_LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as output:
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    _launched_servers.append(started)
    return psutil.Process(started.pid)


def reap_servers() -> None:
    """Reap the ended servers that this process started, so that no zombies stay."""
    _launched_servers[:] = [process for process in _launched_servers if process.poll() is None]


def is_process_alive(process: "psutil.Process") -> bool:
    """Return whether a process runs. A zombie does not."""
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find_server_process(pid_file: Path, folder: Path) -> "psutil.Process | None":
    """Return the living process of a pid file, if its command line contains `folder`.

    After a crash, the number in a pid file may belong to an unrelated process.
    """
    import psutil

    try:
        process = psutil.Process(int(pid_file.read_text(encoding="ascii")))
        return process if is_process_alive(process) and str(folder) in process.cmdline() else None
    except (OSError, ValueError, psutil.Error):
        return None


def end_server_process(process: "psutil.Process", grace: float) -> None:
    """Send SIGTERM, and SIGKILL after `grace` seconds. Return when the process has ended.

    It may stay a zombie of process 1, which in many containers reaps nothing, so its pid may still be in use.
    """
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        if not _has_ended_within(process, grace):
            process.kill()
            _has_ended_within(process, grace)
    reap_servers()


def _has_ended_within(process: "psutil.Process", seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_process_alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def last_log_error(log: Path) -> str:
    """Return the last error in a log: of mongod's JSON lines the last error, else the last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]
    except OSError as error:
        return f"no log ({error.strerror})"
    complaints = [line for line in map(_log_error, lines) if line]
    return (
        complaints[-1] if complaints else next((line for line in reversed(lines) if line.strip()), "the log is empty")
    )


def _log_error(line: str) -> str | None:
    try:
        entry = json.loads(line)
        if entry["s"] not in "EF":
            return None
    except (ValueError, KeyError, TypeError):
        return None
    detail = entry.get("attr", {})
    return f"{entry['msg']}: {detail.get('error', json.dumps(detail))}"


# Start, find and stop the servers of a data folder. Servers outlive the command that started them, so that commands
# share them. A lock file serialises starts.


MAX_SERVER_START_SECONDS = 120.0  # after a crash, recovery first reads the journal or the append-only file
MAX_SERVER_ANSWER_SECONDS = 5.0
MAX_SERVER_STOP_SECONDS = 60.0
MAX_SOCKETLESS_SECONDS = 120.0  # a server of this age without its socket is no longer starting
_MIN_FREE_BYTES = 100_000_000

Server = Mongod | RedisServer
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerAddresses:
    """The addresses of the servers; empty for a server that was not asked for.

    `redis_url` is for redis-py (append ``?db=N``). `servers_and_logs.broker_url` converts it for Celery.
    """

    mongo_url: str
    redis_url: str


@dataclass(frozen=True)
class ServerInfo:
    """The state of one server of a data folder.

    pid: None if no process of ours runs. version: None if it does not answer. died: it ended without being stopped.
    """

    name: str
    pid: int | None
    version: str | None
    answers: bool
    died: bool
    log: str


def start_servers(data: Path, *, mongo: bool = True, redis: bool = True, oplog: bool = False) -> ServerAddresses:
    """Start those servers of a data folder that do not answer yet.

    oplog: from its next start on, mongod is, and stays, a replica set of one. Raises SetupError if a server is missing
    or cannot start, or if the folder cannot be used.
    """
    layout = data_folder_layout(data)
    if oplog and not Mongod(layout).is_replica:
        layout = make_data_folders(data)
        Mongod(layout).keep_oplog()
    if not all(map(_is_answering, _select_servers(layout, mongo=mongo, redis=redis))):
        layout = make_data_folders(data)
        with _start_lock(layout):
            _start_and_wait(
                layout,
                [server for server in _select_servers(layout, mongo=mongo, redis=redis) if not _is_answering(server)],
            )
    return ServerAddresses(
        mongo_url=Mongod(layout).url if mongo else "",
        redis_url=RedisServer(layout).url if redis else "",
    )


def read_server_states(data: Path) -> dict[str, ServerInfo]:
    """Return the states of the servers by "mongo" and "redis". Nothing is started or written."""
    layout = data_folder_layout(data)
    servers: dict[str, Server] = {"mongo": Mongod(layout), "redis": RedisServer(layout)}
    return {key: _server_info(server) for key, server in servers.items()}


def stop_servers(data: Path) -> None:
    """Stop the servers of a data folder, Redis before mongod. Their clients should have ended before.

    A process is only stopped if a pid file of this folder names it, and its command line contains this folder.
    """
    layout = data_folder_layout(data)
    if not layout.run.is_dir():
        return
    with _start_lock(layout):
        for server in (RedisServer(layout), Mongod(layout)):
            if process := find_server_process(server.pid_file, server.folder):
                end_server_process(process, MAX_SERVER_STOP_SECONDS)
            server.pid_file.unlink(missing_ok=True)  # a pid file that stays means that the server died
        if layout.sockets != layout.run:
            with contextlib.suppress(OSError):  # not empty, or already removed
                layout.sockets.rmdir()


def all_servers(layout: DataFolder) -> list[Server]:
    """Return all servers that a data folder may have, running or not."""
    return _select_servers(layout, mongo=True, redis=True)


def _select_servers(layout: DataFolder, *, mongo: bool, redis: bool) -> list[Server]:
    return [*([Mongod(layout)] if mongo else []), *([RedisServer(layout)] if redis else [])]


def _server_info(server: Server) -> ServerInfo:
    process = find_server_process(server.pid_file, server.folder)
    version = _server_version(server)
    died = process is None and version is None and server.pid_file.exists()
    return ServerInfo(
        server.name, process.pid if process else None, version, version is not None, died, str(server.log)
    )


def _server_version(server: Server) -> str | None:
    """Return the version of a server, or None if it does not answer."""
    return server.version(MAX_SERVER_ANSWER_SECONDS) if _is_listening(server) else None


def _is_answering(server: Server) -> bool:
    return _is_listening(server) and server.answers(MAX_SERVER_ANSWER_SECONDS)


def _is_listening(server: Server) -> bool:
    """Return whether the socket accepts connections: a cheap test, because mostly there is no socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(MAX_SERVER_ANSWER_SECONDS)
        try:
            probe.connect(str(server.socket))
        except OSError:
            return False
    return True


def _start_lock(layout: DataFolder) -> AbstractContextManager[None]:
    file = layout.run / "start.lock"
    return hold_file_lock(file, 2 * MAX_SERVER_START_SECONDS, SetupError("server.locked", file=file))


def _start_and_wait(layout: DataFolder, servers: list[Server]) -> None:
    import psutil

    free = shutil.disk_usage(layout.data).free
    if free < _MIN_FREE_BYTES:
        raise SetupError("server.no_room", free=free // 1000000, folder=layout.data, least=_MIN_FREE_BYTES // 1000000)
    launched: list[psutil.Process] = []
    try:
        starting = [(server, _find_or_launch(server, launched)) for server in servers]
        for server, process in starting:
            try:
                _wait_until_answering(server, process)
            except SetupError:
                if not _set_damaged_files_aside(server):
                    raise
                _wait_until_answering(server, _find_or_launch(server, launched))
            if isinstance(server, Mongod) and server.is_replica:
                server.become_primary()
    except BaseException:
        for process in launched:
            end_server_process(process, MAX_SERVER_STOP_SECONDS)
        raise


def _find_or_launch(server: Server, launched: "list[psutil.Process]") -> "psutil.Process":
    """Return the process of a server that does not answer yet: one that is still starting, or a new one."""
    import psutil

    process = find_server_process(server.pid_file, server.folder)
    if process and not server.socket.exists() and time.time() - process.create_time() > MAX_SOCKETLESS_SECONDS:
        end_server_process(process, MAX_SERVER_STOP_SECONDS)  # its socket was removed, so that no client can reach it
        process = None
    if process is None:
        program = server.program()
        try:
            process = launch_server([str(program.path), *server.arguments()], program.environment, server.log)
        except (OSError, psutil.Error) as error:
            raise SetupError("server.not_startable", server=server.name, path=program.path, error=error) from error
        launched.append(process)
    return process


def _set_damaged_files_aside(server: Server) -> bool:
    """Set damaged files of Redis aside, and return whether there were any.

    Redis holds nothing that cannot be rebuilt from MongoDB. Files of MongoDB are never touched.
    """
    if not isinstance(server, RedisServer) or (damage := server.damage()) is None:
        return False
    logger.warning("%s", message("server.begun_anew", server=server.name, error=damage, folder=server.set_aside()))
    return True


def _wait_until_answering(server: Server, process: "psutil.Process") -> None:
    deadline = time.monotonic() + MAX_SERVER_START_SECONDS
    while not _is_answering(server):
        if not is_process_alive(process):
            raise SetupError(
                "server.ended_starting",
                server=server.name,
                folder=server.folder,
                error=last_log_error(server.log),
                log=server.log,
                hint=server.hint,
            )
        if time.monotonic() > deadline:
            raise SetupError(
                "server.silent_starting",
                server=server.name,
                process=process.pid,
                socket=server.socket,
                seconds=f"{MAX_SERVER_START_SECONDS:.0f}",
                error=last_log_error(server.log),
                log=server.log,
            )
        time.sleep(0.02)


@contextlib.contextmanager
def throwaway_servers(*, mongo: bool = True, redis: bool = True) -> Iterator[ServerAddresses]:
    """Run servers on an empty folder for the block. They are stopped and deleted, even if this process is killed.

    Raises SetupError as `start_servers` does.
    """
    from wenhen.runtime.embedded import throwaway_watchdog
    from wenhen.runtime.embedded.throwaway_watchdog import (
        remove_servers,  # imports psutil, which most commands do not need
    )

    try:
        folder = Path(tempfile.mkdtemp(prefix="wenhen-")).resolve()
    except OSError as error:
        raise SetupError("server.no_temporary", error=error) from error
    folders = list(dict.fromkeys([folder, data_folder_layout(folder).sockets]))
    guard = subprocess.Popen(
        [sys.executable, "-I", throwaway_watchdog.__file__, str(os.getpid()), *map(str, folders)],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield start_servers(folder, mongo=mongo, redis=redis)
    finally:
        remove_servers(folders)
        reap_servers()
        guard.terminate()
        guard.wait()
