"""The dashboard as gunicorn serves it: `gunicorn wenhen.web:app()`."""

import secrets
from collections.abc import Callable, Mapping

from flask import Flask

from dashboard.app import create_app
from dashboard.services import ServerState
from store.errors import SetupError, WenhenError
from wenhen.app import App, utc_now
from wenhen.operating import Operations
from wenhen.settings import DashboardSettings
from wenhen.wiring import worker_app

LOOPBACK = ("127.0.0.1", "localhost", "::1")
KEY_MARK = "dashboard:secret_key"


def app() -> Flask:
    """The dashboard over the servers that the environment names."""
    opened = worker_app()
    settings = opened.settings.dashboard
    check(settings)
    return create_app(
        opened.store,
        secret_key=_secret_key(opened),
        password=settings.password.get_secret_value() if settings.password else None,
        health=lambda: health(opened),
        enqueue=opened.enqueue,
        actions=Operations(opened),
        clock=utc_now,
    )


def check(settings: DashboardSettings) -> None:
    """Raise `SetupError` where strangers could reach a dashboard that asks nobody for a password."""
    if settings.host not in LOOPBACK and settings.password is None:
        raise SetupError(
            f"the dashboard would listen on {settings.host} without a password: set WENHEN_DASHBOARD_PASSWORD"
        )


def health(app: App) -> Mapping[str, ServerState]:
    """Every server and worker: whether it answers, with its version or what is wrong."""
    asked: dict[str, Callable[[], str]] = {
        "MongoDB": app.store.ping,
        "Redis": app.queue.ping,
        "works index": lambda: f"{app.works_index.stats().postings} postings",
        "pages index": lambda: f"{app.pages_index.stats().postings} postings",
    }
    states = {name: _state(ask) for name, ask in asked.items()}
    workers = _workers(app)
    return {**states, **workers}


def _state(ask: Callable[[], str]) -> ServerState:
    try:
        return ServerState(True, ask())
    except WenhenError as error:
        return ServerState(False, str(error))


def _workers(app: App) -> dict[str, ServerState]:
    try:
        found = app.queue.workers()
    except WenhenError as error:
        return {"workers": ServerState(False, str(error))}
    if not found:
        return {"workers": ServerState(False, "no worker answers: start them with wenhen up")}
    return {name: ServerState(True, " ".join(queues)) for name, queues in found.items()}


def _secret_key(app: App) -> str:
    """The key from the settings, or one made at the first start and shared by every process through the store."""
    given = app.settings.dashboard.secret_key
    if given:
        return given.get_secret_value()
    if app.store.marks.get(KEY_MARK) is None:
        app.store.marks.set(KEY_MARK, {"key": secrets.token_hex(32)})
    mark = app.store.marks.get(KEY_MARK)
    assert mark
    return str(mark["key"])
