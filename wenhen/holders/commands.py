"""Define `wenhen holders`: put, list, show, merge and remove holders and their documents."""

from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    command_acting,
    json_option,
    open_product,
    print_json,
    print_records,
    print_table,
    read_file,
    wants_json,
)
from wenhen.holders.model import Holder, PaperKind
from wenhen.holders.service import (
    add_rights_document,
    export_rights_document,
    merge_holders,
    missing_requirements_today,
    put_holder,
    remove_holder,
    remove_rights_document,
)

PAPER_KIND_CHOICE = click.Choice(["identity", "representative", "authority", "proof"])
DAY_TYPE = click.DateTime(("%Y-%m-%d",))


@click.group()
def holders() -> None:
    """Rights holders: what a notice says of them, their papers, and their own sites, where works are no copies."""


@holders.command("put")
@click.argument("name")
@click.option("--contact", help="Person, telephone, mail.")
@click.option("--address", help="Postal address.")
@click.option("--site", "sites", multiple=True, help="An own site: host or host/path. May be given several times.")
@click.option("--identity", help="Number of the identity card or the business licence.")
@click.option("--representative", help="The representative of the holder.")
@click.option("--acts-itself", is_flag=True, help="The holder acts without a representative.")
@click.pass_context
def put_command(
    ctx: click.Context,
    name: str,
    contact: str | None,
    address: str | None,
    sites: tuple[str, ...],
    identity: str | None,
    representative: str | None,
    acts_itself: bool,
) -> None:
    """Store the holder NAME, which its works have as their owner, in place of what was known of it; its papers stay."""
    holder = Holder(
        id=name.strip(),
        contact=contact,
        address=address,
        sites=sites,
        identity=identity,
        representative=representative,
        acts_itself=acts_itself,
    )
    with open_product(ctx) as app:
        put_holder(command_acting(app), holder)
    click.echo(holder.id)


@holders.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the holders."""
    with open_product(ctx) as app:
        holders = app.store.holders.all()
    rows = ((x.id, x.contact, x.address, " ".join(x.sites)) for x in holders)
    print_records(holders, ("名称 name", "联系 contact", "地址 address", "自有站点 own sites"), rows)


@holders.command("show")
@click.argument("name")
@json_option
@click.pass_context
def show_command(ctx: click.Context, name: str) -> None:
    """Show a holder's papers, and what it lacks for a notice to be sent in its name."""
    from wenhen.kit.clock import china_day

    with open_product(ctx) as app:
        holder = app.store.holders.get(name)
        lacking = missing_requirements_today(app, holder)
    if wants_json():
        print_json({"holder": holder, "lacks": {lack.what: str(lack.said) for lack in lacking}})
        return
    rows = [
        (x.id, x.kind, x.title, china_day(x.valid_from), china_day(x.valid_until) if x.valid_until else "", x.file_name)
        for x in holder.papers
    ]
    print_table(("编号 id", "种类 kind", "名称 title", "自 from", "至 until", "附件 file"), rows)
    for lack in lacking:
        click.echo(f"缺 lacks: {lack.said}")


@holders.command("merge")
@click.argument("name")
@click.argument("into")
@click.pass_context
def merge_command(ctx: click.Context, name: str, into: str) -> None:
    """Give works, sites and papers of the holder NAME to the holder INTO, and forget NAME."""
    with open_product(ctx) as app:
        merge_holders(command_acting(app), name, into)


@holders.command("remove")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def remove_command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Forget holders; their works stay."""
    with open_product(ctx) as app:
        for name in names:
            remove_holder(command_acting(app), name)


@holders.group("papers")
def papers_group() -> None:
    """Papers of a holder, each with its days of validity."""


@papers_group.command("add")
@click.argument("name")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--kind", type=PAPER_KIND_CHOICE, required=True, help="What the paper proves. authority: a power of attorney."
)
@click.option("--title", required=True, help="Name and number of the document.")
@click.option("--from", "valid_from", type=DAY_TYPE, required=True, help="First day.")
@click.option("--until", "valid_until", type=DAY_TYPE, help="Last day. Default: no end.")
@click.pass_context
def add_paper_command(
    ctx: click.Context,
    name: str,
    file: Path | None,
    kind: str,
    title: str,
    valid_from: datetime,
    valid_until: datetime | None,
) -> None:
    """Keep a paper of the holder NAME, with its FILE."""
    with open_product(ctx) as app:
        paper = add_rights_document(
            command_acting(app),
            name,
            PaperKind(kind),
            title,
            valid_from=valid_from.date(),
            valid_until=valid_until.date() if valid_until else None,
            file=(file.name, read_file(file)) if file else None,
        )
    click.echo(paper.id)


@papers_group.command("get")
@click.argument("name")
@click.argument("id")
@click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.pass_context
def get_paper_command(ctx: click.Context, name: str, id: str, out: Path) -> None:
    """Write the file of the paper ID of the holder NAME."""
    with open_product(ctx) as app:
        out.write_bytes(export_rights_document(command_acting(app), name, id).content)


@papers_group.command("remove")
@click.argument("name")
@click.argument("ids", nargs=-1, required=True)
@click.pass_context
def remove_papers_command(ctx: click.Context, name: str, ids: tuple[str, ...]) -> None:
    """Forget papers of the holder NAME."""
    with open_product(ctx) as app:
        for id in ids:
            remove_rights_document(command_acting(app), name, id)
