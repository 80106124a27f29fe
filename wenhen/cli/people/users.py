"""`wenhen users`: who may sign in to the dashboard."""

import click

from store.records import Role
from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, print_json, print_table

_ROLE = click.Choice([str(role) for role in Role])


@click.group()
def users() -> None:
    """The people who may sign in to the dashboard."""


@users.command()
@click.argument("name")
@click.option("--role", type=_ROLE, default=str(Role.OPERATOR), show_default=True, help="What the user is there for.")
@click.pass_context
def add(ctx: click.Context, name: str, role: str) -> None:
    """Add a user and print a password, once; it has to be changed at the first sign-in."""
    from services.people import users as cases

    with opened(ctx) as app:
        _, password = cases.add(acting_of(app), name, Role(role))
    click.echo(password)


@users.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the users."""
    with opened(ctx) as app:
        found = app.store.users.all()
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
    columns = ("用户名 name", "角色 role", "停用 disabled", "待改密码 new password", "两步 factor", "登录 signed in")
    print_table(columns, [[value or "" for value in list(row.values())[1:]] for row in rows], title=str(len(rows)))


@users.command()
@click.argument("name")
@click.argument("role", type=_ROLE)
@click.pass_context
def role(ctx: click.Context, name: str, role: str) -> None:
    """Give a user another role."""
    from services.people import users as cases

    with opened(ctx) as app:
        cases.set_role(acting_of(app), cases.folded(name), Role(role))


@users.command()
@click.argument("name")
@click.option("--second-factor", is_flag=True, help="Turn the second factor off as well.")
@click.pass_context
def reset(ctx: click.Context, name: str, second_factor: bool) -> None:
    """Print a new password, once, to be changed at the next sign-in; sessions end, a lock is lifted."""
    from services.people import users as cases

    with opened(ctx) as app:
        acting, id = acting_of(app), cases.folded(name)
        _, password = cases.reset_password(acting, id)
        if second_factor:
            cases.drop_second_factor(acting, id)
    click.echo(password)


@users.command()
@click.argument("name")
@click.pass_context
def disable(ctx: click.Context, name: str) -> None:
    """Keep a user from signing in; sessions end, tokens rest."""
    from services.people import users as cases

    with opened(ctx) as app:
        cases.disable(acting_of(app), cases.folded(name))


@users.command()
@click.argument("name")
@click.pass_context
def enable(ctx: click.Context, name: str) -> None:
    """Let a disabled or locked user sign in again."""
    from services.people import users as cases

    with opened(ctx) as app:
        cases.enable(acting_of(app), cases.folded(name))


@users.command()
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """Remove a user with sessions and tokens; the audit log keeps what was done."""
    from services.people import users as cases

    with opened(ctx) as app:
        cases.remove(acting_of(app), cases.folded(name))
