"""Serve the dashboard with gunicorn."""

import gc
import logging

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.app import create_app
from wenhen.accounts.sessions import session_lengths
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import SetupError
from wenhen.kit.rights import Right
from wenhen.operations.health import check_health
from wenhen.operations.secret_rotation import reseal_secrets
from wenhen.runtime.processes.dashboard_process import check_dashboard_access, make_first_administrator
from wenhen.runtime.wiring import App, read_secret_keys, remove_key_from_database, worker_app
from wenhen.settings.servers_and_logs import limits_url, with_database

logger = logging.getLogger(__name__)
RATE_LIMIT_DATABASE_NUMBER = 2  # in the Redis of the queues


def app() -> Flask:
    """Make the dashboard for the servers in the environment."""
    opened = worker_app()
    settings = opened.settings.dashboard
    check_dashboard_access(settings)
    if settings.sign_in and settings.password:
        make_first_administrator(opened)
    reseal_stored_secrets(opened)
    assert opened.settings.redis.url
    dashboard = create_app(
        opened,
        secret_key=read_secret_keys(opened.settings, opened.store)[0],
        sign_in=settings.sign_in,
        lengths=session_lengths(settings),
        counts=limits_url(with_database(opened.settings.redis.url, RATE_LIMIT_DATABASE_NUMBER)),
        api_per_minute=settings.api_per_minute,
        health=lambda: check_health(opened),
    )
    freeze_memory()
    if hops := settings.proxies:
        proxied = ProxyFix(dashboard.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)
        dashboard.wsgi_app = proxied  # type: ignore[method-assign]  # as its documentation shows
    return dashboard


def freeze_memory() -> None:
    """Exclude all loaded objects from garbage collection, so that no request waits for their scan."""
    gc.collect()
    gc.freeze()
    gc.enable()


def reseal_stored_secrets(app: App) -> None:
    """Encrypt secrets that are stored unencrypted by an earlier release, or under another key."""
    try:
        reseal_secrets(Acting(app, "wenhen", frozenset({Right.USERS})))
    except SetupError as error:
        logger.warning("not everything could be sealed anew: %s", error.message)
        return
    remove_key_from_database(app.settings, app.store)
