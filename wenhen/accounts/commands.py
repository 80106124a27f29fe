"""Define `wenhen users` and `wenhen tokens`: accounts, roles and API tokens."""

import click

from wenhen.accounts.sessions import make_api_token, revoke_api_token
from wenhen.accounts.single_sign_on import connect_user
from wenhen.accounts.users import (
    create_user,
    delete_user,
    disable_user,
    enable_user,
    fold_user_name,
    hold_user,
    reset_second_factor,
    reset_user_password,
    set_user_role,
)
from wenhen.cli.console import ActingCommand, EnumChoice, json_option, pass_acting, print_records, without_fields
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right, Role

_ROLE_CHOICE = EnumChoice(Role)


@click.group()
def users() -> None:
    """Manage the users of the dashboard."""


@users.command()
@click.argument("name")
@click.option("--role", type=_ROLE_CHOICE, default=str(Role.OPERATOR), show_default=True, help="Role of the user.")
@pass_acting
def add(acting: ActingCommand, name: str, role: Role) -> None:
    """Add a user and print a one-time password, to be changed at the first sign-in."""
    _, password = create_user(acting, name, role)
    click.echo(password)


@users.command("list")
@json_option
@pass_acting
def list_(acting: ActingCommand) -> None:
    """List the users."""
    users = acting.product.store.users.all()
    rows = [
        {
            "id": user.id,
            "name": user.name,
            "role": user.role,
            "disabled_at": user.disabled_at,
            "must_change": user.must_change,
            "second_factor": user.totp_secret is not None,
            "signed_in_at": user.signed_in_at,
            "subject": user.subject,
            "holders": "、".join(user.holders),
        }
        for user in users
    ]
    columns = (
        "用户名 name",
        "角色 role",
        "停用 disabled",
        "待改密码 new password",
        "两步 factor",
        "登录 signed in",
        "来自 from",
        "限于 held to",
    )
    print_records(
        rows, columns, ([value or "" for value in list(row.values())[1:]] for row in rows), title=str(len(rows))
    )


@users.command()
@click.argument("name")
@click.argument("role", type=_ROLE_CHOICE)
@pass_acting
def role(acting: ActingCommand, name: str, role: Role) -> None:
    """Change the role of a user."""
    set_user_role(acting, fold_user_name(name), role)


@users.command()
@click.argument("name")
@click.option("--second-factor", is_flag=True, help="Turn the second factor off as well.")
@pass_acting
def reset(acting: ActingCommand, name: str, second_factor: bool) -> None:
    """Print a new one-time password for a user. Sessions and tokens end, and login backoff is cleared."""
    id = fold_user_name(name)
    _, password = reset_user_password(acting, id)
    if second_factor:
        reset_second_factor(acting, id)
    click.echo(password)


@users.command()
@click.argument("name")
@pass_acting
def disable(acting: ActingCommand, name: str) -> None:
    """Disable a user. Sessions end, and tokens are inactive."""
    disable_user(acting, fold_user_name(name))


@users.command()
@click.argument("name")
@pass_acting
def enable(acting: ActingCommand, name: str) -> None:
    """Enable a disabled user, and clear the login backoff."""
    enable_user(acting, fold_user_name(name))


@users.command()
@click.argument("name")
@click.option("--to", "subject", help="Issuer and id at the provider, as the list has them; without it: disconnect.")
@pass_acting
def connect(acting: ActingCommand, name: str, subject: str | None) -> None:
    """Connect a user with a person at the provider of the sign-in, or disconnect them."""
    connect_user(acting, fold_user_name(name), subject)


@users.command()
@click.argument("name")
@click.option("--to", "holders", multiple=True, help="Rights holder, may be repeated; without it: they see all again.")
@pass_acting
def hold(acting: ActingCommand, name: str, holders: tuple[str, ...]) -> None:
    """Hold a user to rights holders: they see the works, cases, notices and reports of these alone."""
    hold_user(acting, fold_user_name(name), holders)


@users.command()
@click.argument("name")
@pass_acting
def remove(acting: ActingCommand, name: str) -> None:
    """Delete a user with sessions and tokens. The audit log stays."""
    delete_user(acting, fold_user_name(name))


@click.group()
def tokens() -> None:
    """Manage the tokens with which programs use the API."""


@tokens.command("add")
@click.argument("user")
@click.option("--name", required=True, help="What the token is for.")
@click.option("--scope", "scopes", multiple=True, required=True, help="A right, e.g. read; may be repeated.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until it expires. Default: never.")
@pass_acting
def add_token(acting: ActingCommand, user: str, name: str, scopes: tuple[str, ...], days: int | None) -> None:
    """Create a token for a user and print it once. Its rights are limited to those of the user's role."""
    owner = acting.product.store.users.get(fold_user_name(user))
    within = owner.rights
    if unknown := sorted(set(scopes) - set(within)):
        allowed = ", ".join(right for right in Right if right in within)
        raise BadInput("tokens.beyond", unknown=", ".join(unknown), role=str(owner.role), allowed=allowed)
    _, text = make_api_token(acting, owner, name, [Right(scope) for scope in scopes], days)
    click.echo(text)


@tokens.command("list")
@json_option
@pass_acting
def list_tokens(acting: ActingCommand) -> None:
    """List the tokens without their secrets."""
    tokens = acting.product.store.tokens.all()
    rows = [(t.id, t.name, t.user_id, " ".join(t.scopes), t.expires_at, t.revoked_at, t.used_at) for t in tokens]
    columns = ("编号 id", "名称 name", "用户 user", "权限 scopes", "到期 ends", "吊销 revoked", "使用 used")
    print_records([without_fields(token, "digest") for token in tokens], columns, rows, title=str(len(rows)))


@tokens.command()
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def revoke(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Revoke tokens by the id that they contain."""
    for id in ids:
        revoke_api_token(acting, id)
