"""The dashboard as gunicorn serves it: `gunicorn wenhen.processes.wsgi:app()`."""

import gc
import logging
from datetime import timedelta

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.app import create_app
from services.acting import Acting
from services.people.sessions import Lengths
from services.resealed_secrets import reseal
from services.upkeep.health import health
from store.errors import SetupError
from store.rules.role_rights import Right
from wenhen.processes.dashboard_admission import check, make_first_administrator
from wenhen.redis_addresses import limits_url, with_database
from wenhen.secret_key import keys_of, leave_database
from wenhen.wiring import App, worker_app

logger = logging.getLogger(__name__)
LIMITS_DATABASE = 2  # of the queues' Redis


def app() -> Flask:
    """The dashboard over the servers that the environment names."""
    opened = worker_app()
    settings = opened.settings.dashboard
    check(settings)
    if settings.sign_in and settings.password:
        make_first_administrator(opened)
    seal_anew(opened)
    assert opened.settings.redis.url
    dashboard = create_app(
        opened,
        secret_key=keys_of(opened.settings, opened.store)[0],
        sign_in=settings.sign_in,
        lengths=Lengths(timedelta(minutes=settings.idle_minutes), timedelta(hours=settings.session_hours)),
        counts=limits_url(with_database(opened.settings.redis.url, LIMITS_DATABASE)),
        api_per_minute=settings.api_per_minute,
        health=lambda: health(opened),
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
    gc.enable()


def seal_anew(app: App) -> None:
    """Leave nothing in the database that an earlier release kept open there, or sealed under another key."""
    try:
        reseal(Acting(app, "wenhen", frozenset({Right.USERS})))
    except SetupError as error:
        logger.warning("not everything could be sealed anew: %s", error.message)
        return
    leave_database(app.settings, app.store)
