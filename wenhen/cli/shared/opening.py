"""What commands open before they do their work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from wenhen.settings import Settings
from wenhen.wiring import App


def settings_of(ctx: click.Context) -> Settings:
    """The settings, read when a command needs them, so that `--help` works with a broken file."""
    load: Callable[[], Settings] = ctx.find_root().obj
    return load()


@contextmanager
def opened(ctx: click.Context) -> Iterator[App]:
    """The product, with servers that answer and indexes that exist."""
    from pipeline.library.rebuild_index import make_missing_indexes
    from wenhen.wiring import open_app

    app = open_app(settings_of(ctx))
    try:
        make_missing_indexes(app)
        yield app
    finally:
        app.store.close()
