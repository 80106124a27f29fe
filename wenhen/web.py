"""The dashboard as gunicorn serves it: `gunicorn wenhen.web:app()`."""

import secrets

from flask import Flask

from dashboard.app import create_app
from store.errors import SetupError
from wenhen.app import App, utc_now
from wenhen.health import health
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
