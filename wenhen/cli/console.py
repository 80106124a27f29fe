"""Open the product for a command, parse its arguments, and print tables, JSON and progress bars."""

import dataclasses
import getpass
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from matcher.model import MAX_SHORTEST_PASSAGE, MIN_SHORTEST_PASSAGE
from wenhen.context.use_cases import Acting, Product
from wenhen.kit.clock import CHINA, PUBLICATION_FIELDS, day_or_moment
from wenhen.kit.errors import BadInput, Message
from wenhen.kit.progress import Subject
from wenhen.kit.remote_files import AnyPath, parse_path
from wenhen.kit.rights import Right
from wenhen.kit.text import percent
from wenhen.kit.web import split_address, url_host
from wenhen.works.model import WorkDraft

if TYPE_CHECKING:
    from wenhen.runtime.settings_sources import Settings
    from wenhen.runtime.wiring import App

# Output of commands: tables or JSON on stdout, progress and errors on stderr.


T = TypeVar("T")
P = ParamSpec("P")
E = TypeVar("E", bound=StrEnum)
AdvanceCallback = Callable[[int, int], None]

_JSON_KEY: Final = "wenhen.json"  # in the context of the command
limit_option = click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 1_000_000), help="Maximum number of rows."
)

shortest_option = click.option(
    "--shortest",
    type=click.IntRange(MIN_SHORTEST_PASSAGE, MAX_SHORTEST_PASSAGE),
    metavar="N",
    help="Minimum length of a passage in letters, instead of the setting; at least 8.",
)


def _note_json(ctx: click.Context, _: click.Parameter, chosen: bool) -> None:
    ctx.meta[_JSON_KEY] = chosen


json_option = click.option(
    "--json", is_flag=True, expose_value=False, callback=_note_json, help="Print JSON instead of a table."
)


def wants_json() -> bool:
    """Return whether the running command was given `--json`."""
    return bool(click.get_current_context().meta.get(_JSON_KEY))


def stdout_console() -> Console:
    """Return the console for results. Its width is 200 if stdout is not a terminal."""
    return Console(
        file=sys.stdout, width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False
    )


def stderr_console() -> Console:
    """Return the console for all other output. It does not wrap lines, or interpret markup."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(to_plain(value), ensure_ascii=False, indent=2))


def print_json_line(value: Any) -> None:
    """Print one line of JSON."""
    click.echo(json.dumps(to_plain(value), ensure_ascii=False))


def to_plain(value: Any) -> Any:
    """Convert records for JSON: times as ISO 8601, bytes as their length, messages in English.

    A publication of which only the day is known stays a day.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Message | Subject):
        return to_plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, dict):
        return {
            str(key): day_or_moment(item).isoformat()
            if key in PUBLICATION_FIELDS and isinstance(item, datetime)
            else to_plain(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    return str(value) if isinstance(value, Message | Subject | StrEnum) else value


def without_fields(record: object, *names: str) -> dict[str, Any]:
    """Convert a record for JSON, without these fields, which are secret."""
    return {name: value for name, value in to_plain(record).items() if name not in names}


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table. Cells are printed as plain text."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(format_cell, row))
        if any(isinstance(value, datetime) for value in row):
            table.caption = "北京时间 times of Asia/Shanghai"
    stdout_console().print(table)


def print_record(record: object, *lines: object) -> None:
    """Print a record as these lines, or with `--json` as one document."""
    if wants_json():
        print_json(record)
    else:
        for line in lines:
            click.echo(line)


def print_records(
    records: object, columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None
) -> None:
    """Print records as a table, or with `--json` as one document. The rows are made for the table alone."""
    if wants_json():
        print_json(records)
    else:
        print_table(columns, rows, title=title)


def format_cell(value: object) -> Any:
    """Format a table cell: times of China, shares in percent, without control characters."""
    from rich.text import Text

    if value is None:
        return Text("")
    if isinstance(value, datetime):
        return Text(f"{value.astimezone(CHINA):%Y-%m-%d %H:%M}")
    if isinstance(value, float):
        return Text(percent(value) if 0 <= value <= 1 else f"{value:.2f}")
    return Text("".join(c if c.isprintable() else " " for c in str(value)))


@contextmanager
def progress_bar(what: str) -> Iterator[AdvanceCallback]:
    """Show a progress bar on stderr. The block calls it with (done, total)."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=stderr_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class EnumChoice(click.Choice[E]):
    """A choice among the values of an enumeration. The command gets the member."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:  # noqa: ARG002  click's signature
        """Return the value, which is what people write."""
        return str(choice)


class FolderOrUrl(click.ParamType[AnyPath]):
    """A folder on this machine, or at a URL such as s3://bucket/folder."""

    name = "folder"

    def __init__(self, *, exists: bool) -> None:
        self._local = click.Path(path_type=Path, file_okay=False, exists=exists)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> AnyPath:
        """Return the path of the folder."""
        return self._local.convert(value, param, ctx) if "://" not in str(value) else parse_path(value)


FOLDER: Final = FolderOrUrl(exists=False)
EXISTING_FOLDER: Final = FolderOrUrl(exists=True)


class Day(click.DateTime):
    """A day in Asia/Shanghai, YYYY-MM-DD, converted to its beginning in UTC."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the beginning of the day."""
        day: datetime = super().convert(value, param, ctx)
        try:
            return day.replace(tzinfo=CHINA).astimezone(UTC)
        except OverflowError:
            self.fail(f"{value!r} lies before the first day that there is in UTC.", param, ctx)


dictionary_option = click.option(
    "--dictionary",
    "dictionaries",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Words of your own, one a line, optionally with frequency and part of speech; may be given more than once.",
)


# Names of works and cases on the command line.


def find_work_id(product: Product, reference: str) -> str:
    """Return the id of the work with this id or title, or with this unique prefix of either.

    Raises NotFound; BadInput, with the candidates, if several match.
    """
    from wenhen.works.service import find_named_work  # commands without works start faster

    return find_named_work(product, reference).id


class _CaseNumber(click.ParamType[int]):
    """The number of a case, with or without #."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert #12 or 12 to 12."""
        text = str(value).removeprefix("#")
        if not (text.isascii() and text.isdecimal() and int(text)):
            self.fail(f"{value!r} is no number of a case: they are 1, 2, 3 or #1, #2, #3", param, ctx)
        return int(text)


CASE_NUMBER: Final = _CaseNumber()


class _HostName(click.ParamType[str]):
    """A host as people write it: with Chinese characters, or within an address."""

    name = "host"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the host in the form in which records hold it."""
        try:
            host = url_host(split_address(str(value)))
        except BadInput as error:
            self.fail(str(error), param, ctx)
        return host or self.fail(f"{value!r} is no host, such as example.org.", param, ctx)


HOST_NAME: Final = _HostName()


class NewFile(click.Path):
    """A file to be written. It is refused at the start if its folder does not exist."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False, writable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"There is no folder {path.parent}: make it first.", param, ctx)
        return path


def read_file(path: Path) -> bytes:
    """Read a file. Raises `BadInput`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable_file_error(path, error) from error


def unreadable_file_error(path: Path | str, error: OSError) -> BadInput:
    """Return the error for an unreadable file."""
    return BadInput("files.unreadable", path=path, error=error.strerror or error)


@contextmanager
def report_write_errors(path: Path) -> Iterator[None]:
    """Raise `BadInput` if the block cannot write the file."""
    try:
        yield
    except OSError as error:
        raise BadInput("files.unwritable", path=path, error=error.strerror or error) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a file, and print its path and size on stderr. Raises `BadInput`."""
    with report_write_errors(path):
        path.write_bytes(content)
    stderr_console().print(f"{path}: {len(content)} bytes")


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


@dataclass(frozen=True, slots=True)
class ActingCommand(Acting):
    """The user of a command, who has all rights, and the opened product."""

    product: "App"


def command_acting(app: "App") -> ActingCommand:
    """Return the acting user of a command."""
    return ActingCommand(app, command_actor(), frozenset(Right))


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


def pass_acting(command: Callable[Concatenate[ActingCommand, P], T]) -> Callable[P, T]:
    """Open the product while the command runs, and pass its acting user as the first argument."""
    return _pass_opened(command, open_product)


def pass_acting_with_indexes(command: Callable[Concatenate[ActingCommand, P], T]) -> Callable[P, T]:
    """Do what `pass_acting` does, with `open_product_with_indexes`."""
    return _pass_opened(command, open_product_with_indexes)


def _pass_opened(
    command: Callable[Concatenate[ActingCommand, P], T], open_: "Callable[[click.Context], AbstractContextManager[App]]"
) -> Callable[P, T]:
    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with open_(click.get_current_context()) as app:
            return command(command_acting(app), *args, **kwargs)

    return run


def finish_queued_steps(app: "App", what: str) -> None:
    """Do in this process what is queued, with a progress bar."""
    from wenhen.runtime.processes.workers import drain_queues  # imports the code that starts workers

    with progress_bar(what) as advance:
        drain_queues(app, advance)


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

    def fail_on_unreadable(self) -> None:
        """End the command with status 1 if something could not be read."""
        if self.unreadable:
            raise click.ClickException(f"{self.unreadable} could not be read")

    def _refuse(self, what: str, reason: Message) -> None:
        stderr_console().print(f"{what}: {reason}", style="red")
        self.unreadable += 1
