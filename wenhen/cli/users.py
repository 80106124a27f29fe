"""`wenhen users`: who may sign in to the dashboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from store.errors import WenhenError
from store.records import Role
from wenhen.cli.shared.opening import opened
from wenhen.cli.shared.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from services.people.people import People

_ROLE = click.Choice([str(role) for role in Role])


@contextmanager
def people(ctx: click.Context) -> Iterator["People"]:
    """What can be done with users, refusals in words."""
    from dashboard.frame.refusals import in_words
    from services.people.people import People
    from wenhen.cli.shared.opening import caller

    with opened(ctx) as app:
        try:
            yield People(app.store, app.now, caller())
        except WenhenError as error:
            raise type(error)(in_words(error, "en")) from error


@click.group()
def users() -> None:
    """The people who may sign in to the dashboard."""


@users.command()
@click.argument("name")
@click.option("--role", type=_ROLE, default=str(Role.OPERATOR), show_default=True, help="What the user is there for.")
@click.pass_context
def add(ctx: click.Context, name: str, role: str) -> None:
    """Add a user and print a password, once; it has to be changed at the first sign-in."""
    with people(ctx) as given:
        _, password = given.add(name, Role(role))
    click.echo(password)


@users.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the users."""
    with people(ctx) as given:
        found = given.store.users.all()
    rows = [
        {
            "id": user.id,
            "name": user.name,
            "role": user.role,
            "disabled_at": user.disabled_at,
            "must_change": user.must_change,
            "second_factor": user.totp_secret is not None,
            "signed_in_at": user.signed_in_at,
        }
        for user in found
    ]
    if as_json:
        print_json(rows)
        return
    columns = ("姓名 name", "角色 role", "停用 disabled", "待改密码 new password", "两步 factor", "登录 signed in")
    print_table(columns, [[value or "" for value in list(row.values())[1:]] for row in rows], title=str(len(rows)))


@users.command()
@click.argument("name")
@click.argument("role", type=_ROLE)
@click.pass_context
def role(ctx: click.Context, name: str, role: str) -> None:
    """Give a user another role."""
    from services.people.people import folded

    with people(ctx) as given:
        given.set_role(folded(name), Role(role))


@users.command()
@click.argument("name")
@click.option("--second-factor", is_flag=True, help="Turn the second factor off as well.")
@click.pass_context
def reset(ctx: click.Context, name: str, second_factor: bool) -> None:
    """Print a new password, once, to be changed at the next sign-in; sessions end, a lock is lifted."""
    from services.people.people import folded

    with people(ctx) as given:
        password = given.reset_password(folded(name))
        if second_factor:
            given.drop_second_factor(folded(name))
    click.echo(password)


@users.command()
@click.argument("name")
@click.pass_context
def disable(ctx: click.Context, name: str) -> None:
    """Keep a user from signing in; sessions end, tokens rest."""
    from services.people.people import folded

    with people(ctx) as given:
        given.disable(folded(name))


@users.command()
@click.argument("name")
@click.pass_context
def enable(ctx: click.Context, name: str) -> None:
    """Let a disabled or locked user sign in again."""
    from services.people.people import folded

    with people(ctx) as given:
        given.enable(folded(name))


@users.command()
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """Remove a user with sessions and tokens; the audit log keeps what was done."""
    from services.people.people import folded

    with people(ctx) as given:
        given.remove(folded(name))
