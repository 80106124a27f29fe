"""Open the product for a command, and read texts that are not stored."""

import getpass
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wenhen.cli.console import stderr_console
from wenhen.kit.errors import BadInput, Message
from wenhen.kit.rights import Right
from wenhen.product.use_cases import Acting
from wenhen.works.model import WorkDraft

if TYPE_CHECKING:
    from wenhen.runtime.settings import Settings
    from wenhen.runtime.wiring import App


def command_settings(ctx: click.Context) -> "Settings":
    """The settings, read when a command needs them, so that `--help` works with a broken file."""
    load: Callable[[], Settings] = ctx.find_root().obj
    return load()


def command_actor() -> str:
    """Who the audit log names for what a command did: `command:` and the user of the operating system."""
    try:
        return f"command:{getpass.getuser()}"
    except (OSError, KeyError):  # a container's user has no name
        return "command"


def command_acting(app: "App") -> Acting:
    """Whoever runs the command may do everything."""
    return Acting(app, command_actor(), frozenset(Right))


@contextmanager
def open_product(ctx: click.Context) -> "Iterator[App]":
    """The product, with servers that answer."""
    from wenhen.runtime.embedded.watchdog import start_idle_watch
    from wenhen.runtime.wiring import open_app

    settings = command_settings(ctx)
    app = open_app(settings)
    if settings.needs_embedded_servers:
        start_idle_watch(settings.data)
    try:
        yield app
    finally:
        app.store.close()


@contextmanager
def open_product_with_indexes(ctx: click.Context, *, shortest: int | None = None) -> "Iterator[App]":
    """The product, with indexes that exist: what a command needs that looks texts up, or waits until they are.

    shortest: letters of the shortest passage, instead of the setting.
    """
    from wenhen.matching.index_rebuild import build_missing_indexes

    with open_product(ctx) as app:
        build_missing_indexes(app)
        yield app if shortest is None else replace(app, settings=with_shortest(app.settings, shortest))


def with_shortest(settings: "Settings", shortest: int) -> "Settings":
    """The settings with this shortest passage."""
    matcher = settings.matcher.model_copy(update={"shortest_passage": shortest})
    return settings.model_copy(update={"matcher": matcher})


# What commands read that store nothing: files, folders and standard input, one text after the other.


class InputTexts:
    """The texts of these files and folders (the formats of `works import`), and of standard input for ``-``.

    What cannot be read is named on stderr and counted, and the rest goes on.
    """

    def __init__(self, what: Sequence[str]) -> None:
        self._what = what
        self.unreadable = 0

    def __iter__(self) -> Iterator[WorkDraft]:
        from wenhen.works.importers.drafts import Refused
        from wenhen.works.importers.path_reader import read_paths

        if "-" in self._what:
            yield from self._standard_input()
        for path in read_paths([Path(name) for name in self._what if name != "-"]):
            if isinstance(path, Refused):
                self._refuse(path.what, path.reason)
            else:
                yield path

    def _standard_input(self) -> Iterator[WorkDraft]:
        from wenhen.works.importers.path_reader import read_text_stream

        try:
            yield WorkDraft(id="-", title="-", text=read_text_stream(sys.stdin.buffer), origin="-")
        except BadInput as error:
            self._refuse("-", error.message)

    def _refuse(self, what: str, reason: Message) -> None:
        stderr_console().print(f"{what}: {reason}", style="red")
        self.unreadable += 1
