"""Define `wenhen tokens`: create and revoke API tokens."""

import click

from wenhen.cli.console import json_option, print_json, print_table, to_plain
from wenhen.cli.opening import command_acting, open_product
from wenhen.kit.errors import BadInput


@click.group()
def tokens() -> None:
    """Manage the tokens with which programs use the API."""


@tokens.command()
@click.argument("user")
@click.option("--name", required=True, help="What the token is for.")
@click.option("--scope", "scopes", multiple=True, required=True, help="A right, e.g. read; may be repeated.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until it expires. Default: never.")
@click.pass_context
def add(ctx: click.Context, user: str, name: str, scopes: tuple[str, ...], days: int | None) -> None:
    """Create a token for a user and print it once. Its rights are limited to those of the user's role."""
    from wenhen.accounts.sessions import make_api_token
    from wenhen.accounts.users import fold_user_name
    from wenhen.kit.rights import RIGHTS, Right

    with open_product(ctx) as app:
        owner = app.store.users.get(fold_user_name(user))
        within = RIGHTS[owner.role]
        if unknown := sorted(set(scopes) - set(within)):
            allowed = ", ".join(right for right in Right if right in within)
            raise BadInput("tokens.beyond", unknown=", ".join(unknown), role=str(owner.role), allowed=allowed)
        _, text = make_api_token(command_acting(app), owner, name, [Right(scope) for scope in scopes], days)
    click.echo(text)


@tokens.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the tokens without their secrets."""
    with open_product(ctx) as app:
        tokens = app.store.tokens.all()
    if as_json:
        print_json([{name: value for name, value in to_plain(token).items() if name != "digest"} for token in tokens])
        return
    rows = [(t.id, t.name, t.user_id, " ".join(t.scopes), t.expires_at, t.revoked_at, t.used_at) for t in tokens]
    columns = ("编号 id", "名称 name", "用户 user", "权限 scopes", "到期 ends", "吊销 revoked", "使用 used")
    print_table(columns, rows, title=str(len(rows)))


@tokens.command()
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def revoke(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Revoke tokens by the id that they contain."""
    from wenhen.accounts.sessions import revoke_api_token

    with open_product(ctx) as app:
        for id in ids:
            revoke_api_token(command_acting(app), id)
