"""The dashboard as a child process."""

import os
import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

from store.errors import SetupError
from store.private_files import make_private
from wenhen.child_environment import child_environment, python
from wenhen.embedded.data_folder import layout_of
from wenhen.embedded.mongod import Mongod
from wenhen.embedded.redis_server import RedisServer
from wenhen.embedded.servers import Server
from wenhen.processes.dashboard_admission import check
from wenhen.processes.supervise import Child
from wenhen.settings import Settings
from wenhen.wiring import App

THREADS = 8
_CONFIG = ("--config", "python:wenhen.processes.gunicorn_config")
STARTS = 60.0  # seconds that a dashboard may take to start
LOOKS = 0.1  # seconds between two looks whether it has


def dashboard_child(app: App, *, port: int | None = None) -> tuple[str, Child]:
    """Its address, and the process to start.

    Raises `SetupError` for an open address that asks nobody to sign in, and for one that cannot be had.
    """
    settings = app.settings.dashboard
    check(settings)
    port = _free_port(settings.host, settings.port if port is None else port)
    log = app.settings.data / "log"
    make_private(log)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    child = Child(
        name="dashboard",
        argv=(
            *python("wenhen.processes.program", "gunicorn", *_CONFIG, "wenhen.processes.wsgi:app()"),
            *("--bind", f"{shown}:{port}", "--worker-class", "gthread", "--threads", str(THREADS)),
        ),
        env=child_environment(app.settings),
        log=log / "dashboard.log",
    )
    return f"http://{shown}:{port}/", child


def wait_until_served(address: str, seconds: float = STARTS) -> None:
    """Wait until the address takes connections; one that never does is the supervisor's to tell of."""
    parts = urlsplit(address)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection((parts.hostname, parts.port), timeout=1):
            return
        time.sleep(LOOKS)


def keeper_child(settings: Settings) -> list[Child]:
    """The process that starts an embedded server again when it dies; none where every server was given."""
    names = [name for name, url in (("mongo", settings.mongo.url), ("redis", settings.redis.url)) if url is None]
    layout = layout_of(settings.data)
    if not names:
        return []
    servers: dict[str, Server] = {"mongo": Mongod(layout), "redis": RedisServer(layout)}
    watches = [servers[name].log for name in names]
    argv = python("wenhen.embedded.restart_dead_servers", str(settings.data), *names)
    return [Child(name="keeper", argv=argv, env=os.environ, log=layout.log / "keeper.log", watches=watches)]


def _free_port(host: str, port: int) -> int:
    """The port, where nobody listens there yet; for 0 any free one."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise SetupError("server.cannot_listen", host=host, port=port, error=error.strerror) from None
