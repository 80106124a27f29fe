"""Start servers and workers behind proxies that can cut or delay connections."""

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import psutil
import redis

from benchmarks.chaos.breakpoints import HaltOrders
from benchmarks.chaos.instrumented_celery import CELERY_PROGRAM, CLOCK_FILE, FOLDER_VARIABLE
from wenhen.kit.errors import WenhenError
from wenhen.runtime.embedded.data_folder import data_folder_layout
from wenhen.runtime.embedded.servers import read_server_states, stop_servers
from wenhen.runtime.processes.dashboard_process import server_watchdog_child
from wenhen.runtime.processes.supervisor import Child, Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, open_app, start_missing_servers

CHUNK_BYTES: Final = 1 << 16


class SocketProxy:
    """A proxy to a socket. delay: seconds before each piece."""

    def __init__(self, socket: Path) -> None:
        self.delay = 0.0
        self.port = 0
        self._socket = socket
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()

    def cut_connections(self) -> int:
        """Cut all connections, and return their number."""
        return asyncio.run_coroutine_threadsafe(self._cut_connections(), self._loop).result()

    @contextmanager
    def run_in_thread(self) -> Iterator["SocketProxy"]:
        """Serve at a free port during the block."""
        thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        thread.start()
        self._ready.wait()
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._cut_connections())
        self._loop.run_until_complete(asyncio.gather(*asyncio.all_tasks(self._loop), return_exceptions=True))
        self._loop.close()

    async def _cut_connections(self) -> int:
        several = list(self._open)
        for writer in several:
            writer.transport.abort()
        return len(several) // 2

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            to_reader, to_writer = await asyncio.open_unix_connection(self._socket)
        except OSError:  # the server is down
            writer.transport.abort()
            return
        self._open |= {writer, to_writer}
        await asyncio.gather(self._pass(reader, to_writer), self._pass(to_reader, writer))
        self._open -= {writer, to_writer}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(CHUNK_BYTES):
                if self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(piece)
                await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.close()


# The deployment under test: servers with their watchdog, and workers behind proxies.


LEASE_SECONDS: Final = 5  # seconds
WORKER_OVERRIDES: Final = {"lease_seconds": LEASE_SECONDS, "sweep_seconds": 1, "max_tries": 100, "niceness": 0}
RESTART_SECONDS: Final = (0.2, 1.0)  # seconds before a dead process is restarted
SERVER_NAMES: Final = ("mongo", "redis")
CRAWL_MODULE: Final = "wenhen.runtime.processes.crawl_process"


@dataclass(frozen=True, slots=True)
class Deployment:
    """All parts that can be struck. app: connects to the servers without the proxies. clock: the file that shifts
    it.
    """

    app: App
    children: Supervisor
    proxies: Sequence[SocketProxy]
    orders: HaltOrders
    clock: Path

    def servers(self) -> dict[str, psutil.Process]:
        """Return the running servers, by "mongo" and "redis"."""
        server_states = read_server_states(self.app.settings.data)
        pids = {name: info.pid for name, info in server_states.items() if info.pid is not None}
        return {name: process for name, pid in pids.items() if (process := _find_process(pid))}

    def child(self, name: str) -> psutil.Process | None:
        """Return the process of a child, if it runs."""
        pid = self.children.pids().get(name)
        return _find_process(pid) if pid else None

    def pool(self, name: str) -> list[psutil.Process]:
        """Return the pool processes of a worker."""
        worker = self.child(name)
        try:
            return worker.children(recursive=True) if worker else []
        except psutil.NoSuchProcess:
            return []

    def crawlers(self) -> list[psutil.Process]:
        """Return the processes of running crawls."""
        return [process for process in self.pool("crawler") if _runs_module(process, CRAWL_MODULE)]

    def away(self) -> list[str]:
        """Return the names of children and servers that do not run."""
        away = [name for name, alive in self.children.alive().items() if not alive]
        return away + [name for name in SERVER_NAMES if name not in self.servers()]

    def is_whole(self) -> bool:
        """Return whether everything runs and both servers answer, so that a fault meets its target."""
        assert self.app.settings.redis.url
        if self.away():
            return False
        try:
            with redis.Redis.from_url(self.app.settings.redis.url) as client:
                return bool(client.ping()) and self.app.store.pages.count() >= 0
        except (redis.RedisError, WenhenError):
            return False


@contextmanager
def start_deployment(settings: Settings) -> Iterator[Deployment]:
    """Run servers and workers in a folder of their own during the block."""
    with ExitStack() as stack:
        data = Path(tempfile.mkdtemp(prefix="wenhen-chaos-"))
        stack.callback(shutil.rmtree, data, ignore_errors=True)
        stack.callback(stop_servers, data)
        own = settings.model_copy(
            update={
                "data": data,
                "mongo": settings.mongo.model_copy(update={"url": None}),
                "redis": settings.redis.model_copy(update={"url": None}),
                "index": settings.index.model_copy(update={"url": None, "cluster": False}),
                "worker": type(settings.worker).model_validate({**settings.worker.model_dump(), **WORKER_OVERRIDES}),
            }
        )
        app = open_app(own)
        stack.enter_context(closing(app.store))
        layout = data_folder_layout(data)
        proxies = [
            stack.enter_context(SocketProxy(layout.sockets / name).run_in_thread()) for name in ("m.sock", "v.sock")
        ]
        folder = data / "chaos"
        folder.mkdir()
        (folder / CLOCK_FILE).write_text("0")
        workers = worker_children(replace(app, settings=_route_through_proxies(own, proxies)), schedule=False)
        children = [*server_watchdog_child(own), *(_instrument_child(folder, child) for child in workers)]
        supervisor = Supervisor(children, grace=5.0, pauses=RESTART_SECONDS, say=lambda _: None)
        yield Deployment(app, stack.enter_context(supervisor), proxies, HaltOrders(folder), folder / CLOCK_FILE)


def _route_through_proxies(settings: Settings, proxies: Sequence[SocketProxy]) -> Settings:
    mongo, redis = (f"127.0.0.1:{proxy.port}" for proxy in proxies)
    update = {
        "mongo": settings.mongo.model_copy(update={"url": f"mongodb://{mongo}/?directConnection=true"}),
        "redis": settings.redis.model_copy(update={"url": f"redis://{redis}"}),
    }
    return start_missing_servers(settings.model_copy(update=update))


def _instrument_child(folder: Path, child: Child) -> Child:
    argv = [part if part != CELERY_PROGRAM else "benchmarks.chaos.instrumented_celery" for part in child.argv]
    return replace(child, argv=argv, env={**child.env, FOLDER_VARIABLE: str(folder)})


def _find_process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _runs_module(process: psutil.Process, module: str) -> bool:
    try:
        return module in process.cmdline()
    except psutil.Error:
        return False
