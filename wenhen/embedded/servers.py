"""Start, find and end the servers of a data folder.

Servers outlive the command that started them, so that several commands share them; a lock file keeps two starts at
once from hurting each other.
"""

import contextlib
import logging
import shutil
import socket
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import SetupError
from store.messages import message
from wenhen.embedded import server_process as processes
from wenhen.embedded.data_folder import DataFolder, layout_of, make_folders
from wenhen.embedded.held_file import held
from wenhen.embedded.mongod import Mongod
from wenhen.embedded.redis_server import RedisServer

if TYPE_CHECKING:  # who finds its servers answering needs it not
    import psutil

START_SECONDS = 120.0  # recovery after a crash reads the journal or the append-only file first
ANSWER_SECONDS = 5.0
STOP_SECONDS = 60.0
SOCKET_SECONDS = 120.0  # a server this old without its socket is not starting any more
_ROOM_BYTES = 100_000_000

Server = Mongod | RedisServer
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Addresses:
    """Where the servers answer; the address of one that was not asked for is empty.

    `redis_url` is for redis-py (append ``?db=N``); `wenhen.redis_addresses.broker_url` makes that of Celery of it.
    """

    mongo_url: str
    redis_url: str


@dataclass(frozen=True)
class ServerInfo:
    """One server of a data folder: `pid` is None where no process of ours runs, `version` where it does not answer.

    died: it ended without having been ended by us.
    """

    name: str
    pid: int | None
    version: str | None
    answers: bool
    died: bool
    log: str


def start_servers(data: Path, *, mongo: bool = True, redis: bool = True, oplog: bool = False) -> Addresses:
    """Make the servers of a data folder answer: those that do are used, the others are started.

    oplog: from its next start on, mongod is a replica set of one, and stays one.

    SetupError with the reason when a server is missing, cannot start, or the folder cannot be used.
    """
    layout = layout_of(data)
    if oplog and not Mongod(layout).is_replica:
        layout = make_folders(data)
        Mongod(layout).keep_oplog()
    if not all(map(_answers, _servers(layout, mongo=mongo, redis=redis))):
        layout = make_folders(data)
        with _lock(layout):
            _start(layout, [server for server in _servers(layout, mongo=mongo, redis=redis) if not _answers(server)])
    return Addresses(
        mongo_url=Mongod(layout).url if mongo else "",
        redis_url=RedisServer(layout).url if redis else "",
    )


def running(data: Path) -> dict[str, ServerInfo]:
    """What runs in a data folder, by "mongo" and "redis"; starts and writes nothing."""
    layout = layout_of(data)
    servers: dict[str, Server] = {"mongo": Mongod(layout), "redis": RedisServer(layout)}
    return {key: _info(server) for key, server in servers.items()}


def stop_servers(data: Path) -> None:
    """End the servers of a data folder, redis-server before mongod; their clients should have ended before.

    Only processes are ended that a pid file of this folder names and whose command line names this folder.
    """
    layout = layout_of(data)
    if not layout.run.is_dir():
        return
    with _lock(layout):
        for server in (RedisServer(layout), Mongod(layout)):
            if ours := processes.named_by(server.pid_file, server.folder):
                processes.end(ours, STOP_SECONDS)
            server.pid_file.unlink(missing_ok=True)  # one that stays tells of a server that died
        if layout.sockets != layout.run:
            with contextlib.suppress(OSError):  # not empty, or gone already
                layout.sockets.rmdir()


def servers_of(layout: DataFolder) -> list[Server]:
    """All that a data folder may have, whether they run or not."""
    return _servers(layout, mongo=True, redis=True)


def _servers(layout: DataFolder, *, mongo: bool, redis: bool) -> list[Server]:
    return [*([Mongod(layout)] if mongo else []), *([RedisServer(layout)] if redis else [])]


def _info(server: Server) -> ServerInfo:
    ours = processes.named_by(server.pid_file, server.folder)
    version = _version(server)
    died = ours is None and version is None and server.pid_file.exists()
    return ServerInfo(server.name, ours.pid if ours else None, version, version is not None, died, str(server.log))


def _version(server: Server) -> str | None:
    """The version of a server that answers."""
    return server.version(ANSWER_SECONDS) if _listens(server) else None


def _answers(server: Server) -> bool:
    return _listens(server) and server.answers(ANSWER_SECONDS)


def _listens(server: Server) -> bool:
    """A cheap question, because most often there is no socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(ANSWER_SECONDS)
        try:
            probe.connect(str(server.socket))
        except OSError:
            return False
    return True


def _lock(layout: DataFolder) -> AbstractContextManager[None]:
    file = layout.run / "start.lock"
    return held(file, 2 * START_SECONDS, SetupError("server.locked", file=file))


def _start(layout: DataFolder, servers: list[Server]) -> None:
    import psutil

    free = shutil.disk_usage(layout.data).free
    if free < _ROOM_BYTES:
        raise SetupError("server.no_room", free=free // 1000000, folder=layout.data, least=_ROOM_BYTES // 1000000)
    launched: list[psutil.Process] = []
    try:
        starting = [(server, _process_of(server, launched)) for server in servers]
        for server, process in starting:
            try:
                _wait_for_answer(server, process)
            except SetupError:
                if not _begun_anew(server):
                    raise
                _wait_for_answer(server, _process_of(server, launched))
            if isinstance(server, Mongod) and server.is_replica:
                server.become_primary()
    except BaseException:
        for process in launched:
            processes.end(process, STOP_SECONDS)
        raise


def _process_of(server: Server, launched: "list[psutil.Process]") -> "psutil.Process":
    """The process of a server that does not answer yet: one that is still starting, or a new one."""
    import psutil

    found = processes.named_by(server.pid_file, server.folder)
    if found and not server.socket.exists() and time.time() - found.create_time() > SOCKET_SECONDS:
        processes.end(found, STOP_SECONDS)  # somebody removed its socket; nobody can reach it any more
        found = None
    if found is None:
        program = server.program()
        try:
            found = processes.launch([str(program.path), *server.arguments()], program.environment, server.log)
        except (OSError, psutil.Error) as error:
            raise SetupError("server.not_startable", server=server.name, path=program.path, error=error) from error
        launched.append(found)
    return found


def _begun_anew(server: Server) -> bool:
    """Whether its files could not be read and were set aside: Redis holds nothing that is not made again from MongoDB;
    what MongoDB holds is never touched.
    """
    if not isinstance(server, RedisServer) or (damage := server.damage()) is None:
        return False
    logger.warning("%s", message("server.begun_anew", server=server.name, error=damage, folder=server.set_aside()))
    return True


def _wait_for_answer(server: Server, process: "psutil.Process") -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _answers(server):
        if not processes.alive(process):
            raise SetupError(
                "server.ended_starting",
                server=server.name,
                folder=server.folder,
                error=processes.last_complaint(server.log),
                log=server.log,
                hint=server.hint,
            )
        if time.monotonic() > deadline:
            raise SetupError(
                "server.silent_starting",
                server=server.name,
                process=process.pid,
                socket=server.socket,
                seconds=f"{START_SECONDS:.0f}",
                error=processes.last_complaint(server.log),
                log=server.log,
            )
        time.sleep(0.02)
