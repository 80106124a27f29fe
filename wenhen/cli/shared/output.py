"""What commands print: tables or JSON on stdout; progress and errors on stderr."""

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from store.messages import Message
from store.records import Subject
from store.rules.china_time import CHINA
from store.rules.percent import percent

Advance = Callable[[int, int], None]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
limit_option = click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 1_000_000), help="At most so many."
)


def out() -> Console:
    """The console for what was asked for; as wide as it needs when it is not a screen."""
    return Console(
        file=sys.stdout, width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False
    )


def err() -> Console:
    """The console for everything else; it prints lines whole, and paths and addresses as they are."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def print_json_line(value: Any) -> None:
    """One line of JSON lines."""
    click.echo(json.dumps(plain(value), ensure_ascii=False))


def plain(value: Any) -> Any:
    """Records as JSON knows them: times as ISO 8601, packed bytes as their length, messages in English."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Message | Subject):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    return str(value) if isinstance(value, Message | Subject | StrEnum) else value


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """A table for people; cells are shown as text, whatever they hold."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(cell, row))
        if any(isinstance(value, datetime) for value in row):
            table.caption = "北京时间 times of Asia/Shanghai"
    out().print(table)


def cell(value: object) -> Any:
    """What a table shows of a value: times as those of China, shares in percent, nothing that a terminal would obey."""
    from rich.text import Text

    if value is None:
        return Text("")
    if isinstance(value, datetime):
        return Text(f"{value.astimezone(CHINA):%Y-%m-%d %H:%M}")
    if isinstance(value, float):
        return Text(percent(value) if 0 <= value <= 1 else f"{value:.2f}")
    return Text("".join(c if c.isprintable() else " " for c in str(value)))


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """A progress bar on stderr; the block calls it with (done, total)."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
