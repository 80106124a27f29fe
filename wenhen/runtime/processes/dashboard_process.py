"""Start the dashboard as a child process, and check who may reach it."""

import os
import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

from wenhen.accounts.users import (
    FIRST_LINK_LIFETIME,
    FIRST_USER_NAME,
    first_administrator,
    make_password_link,
    password_link_address,
)
from wenhen.kit.errors import BadInput, SetupError
from wenhen.kit.files import make_private_folder
from wenhen.kit.python_process import python_command
from wenhen.kit.web import LOOPBACK_HOSTS
from wenhen.runtime.embedded.data_folder import data_folder_layout
from wenhen.runtime.embedded.server_programs import Mongod, RedisServer
from wenhen.runtime.embedded.servers import Server
from wenhen.runtime.processes.supervisor import Child
from wenhen.runtime.settings_sources import Settings, child_environment
from wenhen.runtime.wiring import App
from wenhen.settings.dashboard_and_sign_in import DashboardSettings

# Access to a dashboard, checked before it is served: sign-in is required, and an administrator exists.


def make_first_administrator(app: App) -> str | None:
    """Create an administrator if there is no user. Return the generated password, to be shown once, or None.

    The password of the settings is used if there is one. Raises `SetupError` if it is too easy to guess.
    """
    given = app.settings.dashboard.password
    try:
        made = first_administrator(app, given.get_secret_value() if given else None)
    except BadInput as error:
        raise SetupError("people.first_password", reason=error.message) from None
    return None if given else made


def first_password_address(app: App, address: str) -> str:
    """Return the one-time address at which the first administrator chooses a password."""
    link = make_password_link(app, app.store.users.get(FIRST_USER_NAME), FIRST_LINK_LIFETIME)
    return password_link_address(address, link)


def check_dashboard_access(settings: DashboardSettings) -> None:
    """Raise `SetupError` if strangers could reach a dashboard without sign-in."""
    if settings.host not in LOOPBACK_HOSTS and not settings.sign_in:
        raise SetupError("server.open_to_all", host=settings.host)


DASHBOARD_THREADS = 8
_GUNICORN_CONFIG = ("--config", "python:wenhen.runtime.processes.gunicorn_config")
MAX_START_SECONDS = 60.0  # seconds that the dashboard may take to start
START_POLL_SECONDS = 0.1  # seconds between checks


def dashboard_child(app: App, *, port: int | None = None) -> tuple[str, Child]:
    """Return the address of the dashboard, and the process to start.

    Raises `SetupError` for a public address without sign-in, and if the port is taken.
    """
    settings = app.settings.dashboard
    check_dashboard_access(settings)
    port = _free_port(settings.host, settings.port if port is None else port)
    log = app.settings.data / "log"
    make_private_folder(log)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    child = Child(
        name="dashboard",
        argv=(
            *python_command(
                "wenhen.pipeline.isolated_program", "gunicorn", *_GUNICORN_CONFIG, "wenhen.runtime.processes.wsgi:app()"
            ),
            *("--bind", f"{shown}:{port}", "--worker-class", "gthread", "--threads", str(DASHBOARD_THREADS)),
        ),
        env=child_environment(app.settings),
        log=log / "dashboard.log",
    )
    return f"http://{shown}:{port}/", child


def wait_until_served(address: str, seconds: float = MAX_START_SECONDS) -> None:
    """Wait until the address accepts connections. The supervisor reports one that never does."""
    parts = urlsplit(address)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection((parts.hostname, parts.port), timeout=1):
            return
        time.sleep(START_POLL_SECONDS)


def server_watchdog_child(settings: Settings) -> list[Child]:
    """Return the process that restarts embedded servers; none if all servers are external."""
    names = [name for name, url in (("mongo", settings.mongo.url), ("redis", settings.redis.url)) if url is None]
    layout = data_folder_layout(settings.data)
    if not names:
        return []
    servers: dict[str, Server] = {"mongo": Mongod(layout), "redis": RedisServer(layout)}
    watches = [servers[name].log for name in names]
    argv = python_command("wenhen.runtime.embedded.watchdog", "restart", str(settings.data), *names)
    return [Child(name="keeper", argv=argv, env=os.environ, log=layout.log / "keeper.log", watches=watches)]


def _free_port(host: str, port: int) -> int:
    """Return the port if it is free; for 0 any free port. Raises SetupError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise SetupError("server.cannot_listen", host=host, port=port, error=error.strerror) from None
