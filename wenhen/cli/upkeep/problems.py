"""`wenhen problems`: list, show, retry, drop."""

from collections.abc import Callable
from typing import Any

import click

from store.records import ProblemKind, Step
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, limit_option, plain, print_json, print_table


def of_kind(command: Callable[..., Any]) -> Callable[..., Any]:
    """Arguments that name a kind as `list` shows it."""
    steps = click.Choice([str(step) for step in Step])
    for option in (
        click.option("--step", type=steps, help="The step that failed."),
        click.option("--kind", help="Class of the error, or a crawl's word."),
        click.argument("where"),
    ):
        command = option(command)
    return command


def _which(where: str, kind: str | None, step: str | None) -> ProblemKind:
    return ProblemKind(where, kind, Step(step) if step else None)


@click.group()
def problems() -> None:
    """What was refused or set aside, by kind."""


@problems.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the kinds of problems with how many there are of each."""
    from services.upkeep.problems import groups

    with opened(ctx) as app:
        found = groups(app)
    if as_json:
        print_json(found)
        return
    columns = ("来源 where", "种类 kind", "步骤 step", "数目 count", "最近的原因 last reason", "时间 at")
    rows = [(one.which.where, one.which.kind, one.which.step, one.count, one.reason, one.at) for one in found]
    print_table(columns, rows)


@problems.command()
@of_kind
@limit_option
@json_option
@click.pass_context
def show(ctx: click.Context, where: str, kind: str | None, step: str | None, limit: int, as_json: bool) -> None:
    """Show the problems of one kind, the newest first."""
    from services.upkeep.problems import of_kind

    with opened(ctx) as app:
        found = of_kind(app, _which(where, kind, step), limit)
    if as_json:
        print_json(plain(found))
        return
    columns = ("对象 what", "原因 reason", "次数 times", "时间 at")
    print_table(columns, [(one.what, one.reason, one.times, one.at) for one in found])


@problems.command()
@of_kind
@click.pass_context
def retry(ctx: click.Context, where: str, kind: str | None, step: str | None) -> None:
    """Give every work and page of one kind (WHERE is pipeline) its failed step again."""
    from services.upkeep.problems import retry_all

    with opened(ctx) as app:
        click.echo(retry_all(acting_of(app), _which(where, kind, step)))


@problems.command()
@of_kind
@click.pass_context
def drop(ctx: click.Context, where: str, kind: str | None, step: str | None) -> None:
    """Forget the problems of one kind; its works and pages stay as they are until they change."""
    from services.upkeep.problems import drop_all

    with opened(ctx) as app:
        click.echo(drop_all(acting_of(app), _which(where, kind, step)))
