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
    from wenhen.runtime.settings_sources import Settings
    from wenhen.runtime.wiring import App


def command_settings(ctx: click.Context) -> "Settings":
    """Return the settings. They are read on demand, so that `--help` works with an invalid file."""
    load: Callable[[], Settings] = ctx.find_root().obj
    return load()


def command_actor() -> str:
    """Return the name of the command's user for the audit log: `command:` and the user of the operating system."""
    try:
        return f"command:{getpass.getuser()}"
    except (OSError, KeyError):  # the user of a container has no name
        return "command"


def command_acting(app: "App") -> Acting:
    """Return the acting user of a command, who has all rights."""
    return Acting(app, command_actor(), frozenset(Right))


@contextmanager
def open_product(ctx: click.Context) -> "Iterator[App]":
    """Open the product, with running servers."""
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
    """Open the product with existing indexes, for commands that look texts up, or wait for it.

    shortest: minimum length of a passage in letters; overrides the setting.
    """
    from wenhen.matching.index_rebuild import build_missing_indexes

    with open_product(ctx) as app:
        build_missing_indexes(app)
        yield app if shortest is None else replace(app, settings=with_shortest(app.settings, shortest))


def with_shortest(settings: "Settings", shortest: int) -> "Settings":
    """Return the settings with this minimum length of a passage."""
    matcher = settings.matcher.model_copy(update={"shortest_passage": shortest})
    return settings.model_copy(update={"matcher": matcher})


# Input of commands that store nothing: files, folders and standard input.


class InputTexts:
    """The texts of files and folders (the formats of `works import`), and of standard input for ``-``.

    Unreadable input is reported on stderr and counted; the rest is read.
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
