"""The dashboard as gunicorn serves it: `gunicorn wenhen.processes.web:app()`."""

import gc
import secrets
from datetime import timedelta

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.access.sessions import Lengths
from dashboard.app import create_app
from dashboard.frame.refusals import in_words
from services.health import health
from services.people.people import first_administrator
from store.errors import BadInput, SetupError
from wenhen.addresses import limits_url, with_database
from wenhen.operating import Operations
from wenhen.settings import DashboardSettings
from wenhen.wiring import App, worker_app

LOOPBACK = ("127.0.0.1", "localhost", "::1")
KEY_MARK = "dashboard:secret_key"
LIMITS_DATABASE = 2  # of the queues' Redis


def app() -> Flask:
    """The dashboard over the servers that the environment names."""
    opened = worker_app()
    settings = opened.settings.dashboard
    check(settings)
    if settings.sign_in and settings.password:
        make_first_administrator(opened)
    assert opened.settings.redis.url
    dashboard = create_app(
        opened,
        secret_key=_secret_key(opened),
        sign_in=settings.sign_in,
        lengths=Lengths(timedelta(minutes=settings.idle_minutes), timedelta(hours=settings.session_hours)),
        counts=limits_url(with_database(opened.settings.redis.url, LIMITS_DATABASE)),
        api_per_minute=settings.api_per_minute,
        health=lambda: health(opened),
        actions=Operations(opened),
    )
    settle_memory()
    if hops := settings.proxies:
        proxied = ProxyFix(dashboard.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)
        dashboard.wsgi_app = proxied  # type: ignore[method-assign]  # as its documentation says
    return dashboard


def settle_memory() -> None:
    """Let the garbage collector pass over all that was loaded once: a request must not wait for it to look there."""
    gc.collect()
    gc.freeze()


def make_first_administrator(app: App) -> str | None:
    """Make one where there is no user, with the password of the settings or one of our own; the latter, to be shown.

    Raises `SetupError` for a password that is too easy to guess.
    """
    given = app.settings.dashboard.password
    try:
        made = first_administrator(app.store, app.now, given.get_secret_value() if given else None)
    except BadInput as error:
        raise SetupError(f"WENHEN_DASHBOARD_PASSWORD: {in_words(error, 'en')}") from None
    return None if given else made


def check(settings: DashboardSettings) -> None:
    """Raise `SetupError` where strangers could reach a dashboard that asks nobody to sign in."""
    if settings.host not in LOOPBACK and not settings.sign_in:
        raise SetupError("setup.open_dashboard", host=settings.host)


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
