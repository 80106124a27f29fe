"""`wenhen holders`: put, list, remove."""

import click

from wenhen.cli.shared.opening import acting_of, opened
from wenhen.cli.shared.output import json_option, print_json, print_table


@click.group()
def holders() -> None:
    """Rights holders: what a notice says of them, and their own sites, on which their works are no copies."""


@holders.command("put")
@click.argument("name")
@click.option("--contact", help="Person, telephone, mail.")
@click.option("--address", help="Postal address.")
@click.option("--site", "sites", multiple=True, help="An own site: host or host/path. May be given several times.")
@click.pass_context
def put_(ctx: click.Context, name: str, contact: str | None, address: str | None, sites: tuple[str, ...]) -> None:
    """Store the holder NAME, which its works have as their owner, in place of what was known of it."""
    from services.holders import put
    from store.records import Holder

    holder = Holder(id=name.strip(), contact=contact, address=address, sites=sites)
    with opened(ctx) as app:
        put(acting_of(app), holder)
    click.echo(holder.id)


@holders.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the holders."""
    with opened(ctx) as app:
        found = app.store.holders.all()
    if as_json:
        print_json(found)
        return
    rows = [(x.id, x.contact, x.address, " ".join(x.sites)) for x in found]
    print_table(("名称 name", "联系 contact", "地址 address", "自有站点 own sites"), rows)


@holders.command("remove")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def remove_(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Forget holders; their works stay."""
    from services.holders import remove

    with opened(ctx) as app:
        for name in names:
            remove(acting_of(app), name)
