"""The house that is struck: servers with their keeper, workers behind proxies that are struck."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import psutil
import redis

from lab.chaos.halt import HaltOrders
from lab.chaos.proxy import SocketProxy
from lab.chaos.struck_program import CLOCK, PROGRAM, VARIABLE
from store.errors import WenhenError
from wenhen.embedded import running, stop_servers
from wenhen.embedded.data_folder import layout_of
from wenhen.processes.dashboard_process import keeper_child
from wenhen.processes.supervise import Child, Supervisor
from wenhen.processes.workers import worker_children
from wenhen.settings import Settings
from wenhen.wiring import App, open_app, with_servers

LEASE: Final = 5  # seconds
SOON: Final = {"lease_seconds": LEASE, "sweep_seconds": 1, "max_tries": 100, "niceness": 0}
PAUSES: Final = (0.2, 1.0)  # seconds before what died is started again
SERVERS: Final = ("mongo", "redis")
CRAWL: Final = "wenhen.processes.crawl_process"


@dataclass(frozen=True, slots=True)
class House:
    """Everything that can be struck. app: straight to the servers, past the proxies; clock: the file that moves it."""

    app: App
    children: Supervisor
    proxies: Sequence[SocketProxy]
    orders: HaltOrders
    clock: Path

    def servers(self) -> dict[str, psutil.Process]:
        """The servers that run, by "mongo" and "redis"."""
        found = running(self.app.settings.data)
        pids = {name: info.pid for name, info in found.items() if info.pid is not None}
        return {name: process for name, pid in pids.items() if (process := _process(pid))}

    def child(self, name: str) -> psutil.Process | None:
        """The process of a child of ours, where it runs."""
        pid = self.children.pids().get(name)
        return _process(pid) if pid else None

    def pool(self, name: str) -> list[psutil.Process]:
        """The processes that do what this worker is sent."""
        worker = self.child(name)
        try:
            return worker.children(recursive=True) if worker else []
        except psutil.NoSuchProcess:
            return []

    def crawlers(self) -> list[psutil.Process]:
        """The processes in which a crawl goes on."""
        return [process for process in self.pool("crawler") if _runs(process, CRAWL)]

    def away(self) -> list[str]:
        """Children and servers that do not run at this moment."""
        away = [name for name, alive in self.children.alive().items() if not alive]
        return away + [name for name in SERVERS if name not in self.servers()]

    def is_whole(self) -> bool:
        """Whether everything runs and both servers answer, so that a fault finds what it is to fall on."""
        assert self.app.settings.redis.url
        if self.away():
            return False
        try:
            with redis.Redis.from_url(self.app.settings.redis.url) as client:
                return bool(client.ping()) and self.app.store.pages.count() >= 0
        except (redis.RedisError, WenhenError):
            return False


@contextmanager
def built(settings: Settings) -> Iterator[House]:
    """Servers and workers on a folder of their own, for the block."""
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
                "worker": type(settings.worker).model_validate({**settings.worker.model_dump(), **SOON}),
            }
        )
        app = open_app(own)
        stack.enter_context(closing(app.store))
        layout = layout_of(data)
        proxies = [stack.enter_context(SocketProxy(layout.sockets / name).running()) for name in ("m.sock", "v.sock")]
        folder = data / "chaos"
        folder.mkdir()
        (folder / CLOCK).write_text("0")
        workers = worker_children(replace(app, settings=_behind(own, proxies)), schedule=False)
        children = [*keeper_child(own), *(_struck(folder, child) for child in workers)]
        supervisor = Supervisor(children, grace=5.0, pauses=PAUSES, say=lambda _: None)
        yield House(app, stack.enter_context(supervisor), proxies, HaltOrders(folder), folder / CLOCK)


def _behind(settings: Settings, proxies: Sequence[SocketProxy]) -> Settings:
    mongo, redis = (f"127.0.0.1:{proxy.port}" for proxy in proxies)
    update = {
        "mongo": settings.mongo.model_copy(update={"url": f"mongodb://{mongo}/?directConnection=true"}),
        "redis": settings.redis.model_copy(update={"url": f"redis://{redis}"}),
    }
    return with_servers(settings.model_copy(update=update))


def _struck(folder: Path, child: Child) -> Child:
    argv = [part if part != PROGRAM else "lab.chaos.struck_program" for part in child.argv]
    return replace(child, argv=argv, env={**child.env, VARIABLE: str(folder)})


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _runs(process: psutil.Process, module: str) -> bool:
    try:
        return module in process.cmdline()
    except psutil.Error:
        return False
