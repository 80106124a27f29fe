"""What commands open before they do their work, and who acts in them."""

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from services.acting import Acting
from store.rules.role_rights import Right
from wenhen.settings import Settings
from wenhen.wiring import App


def settings_of(ctx: click.Context) -> Settings:
    """The settings, read when a command needs them, so that `--help` works with a broken file."""
    load: Callable[[], Settings] = ctx.find_root().obj
    return load()


def caller() -> str:
    """Who the audit log names for what a command did: `command:` and the user of the operating system."""
    try:
        return f"command:{getpass.getuser()}"
    except (OSError, KeyError):  # a container's user has no name
        return "command"


def acting_of(app: App) -> Acting:
    """Whoever runs the command may do everything."""
    return Acting(app, caller(), frozenset(Right))


@contextmanager
def opened(ctx: click.Context) -> Iterator[App]:
    """The product, with servers that answer."""
    from wenhen.processes.start_idle_watch import see_to_idle
    from wenhen.wiring import open_app

    settings = settings_of(ctx)
    app = open_app(settings)
    if settings.embedded:
        see_to_idle(settings.data)
    try:
        yield app
    finally:
        app.store.close()


@contextmanager
def opened_with_indexes(ctx: click.Context) -> Iterator[App]:
    """The product, with indexes that exist: what a command needs that looks texts up, or waits until they are."""
    from pipeline.library.rebuild_index import make_missing_indexes

    with opened(ctx) as app:
        make_missing_indexes(app)
        yield app
