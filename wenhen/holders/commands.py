"""Define `wenhen holders`: put, list, show, merge, rename and remove holders and their documents."""

from datetime import datetime
from pathlib import Path

import click

from wenhen.cli.console import (
    ActingCommand,
    EnumChoice,
    json_option,
    pass_acting,
    print_json,
    print_records,
    print_table,
    read_file,
    wants_json,
)
from wenhen.holders.model import Holder, PaperKind
from wenhen.holders.service import (
    add_rights_document,
    change_holder_name,
    export_rights_document,
    merge_holders,
    missing_requirements_today,
    put_holder,
    remove_holder,
    remove_rights_document,
)
from wenhen.kit.clock import china_day

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
@pass_acting
def put_command(
    acting: ActingCommand,
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
    put_holder(acting, holder)
    click.echo(holder.id)


@holders.command("list")
@json_option
@pass_acting
def list_command(acting: ActingCommand) -> None:
    """List the holders."""
    holders = acting.product.store.holders.all()
    rows = ((x.id, x.contact, x.address, " ".join(x.sites)) for x in holders)
    print_records(holders, ("名称 name", "联系 contact", "地址 address", "自有站点 own sites"), rows)


@holders.command("show")
@click.argument("name")
@json_option
@pass_acting
def show_command(acting: ActingCommand, name: str) -> None:
    """Show a holder's papers, and what it lacks for a notice to be sent in its name."""
    holder = acting.product.store.holders.get(name)
    lacking = missing_requirements_today(acting.product, holder)
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
@pass_acting
def merge_command(acting: ActingCommand, name: str, into: str) -> None:
    """Give works, sites and papers of the holder NAME to the holder INTO, and forget NAME."""
    merge_holders(acting, name, into)


@holders.command("rename")
@click.argument("name")
@click.argument("new_name")
@pass_acting
def rename_command(acting: ActingCommand, name: str, new_name: str) -> None:
    """Give the holder NAME another name. Its works, papers, licences and notices go with it."""
    click.echo(change_holder_name(acting, name, new_name).id)


@holders.command("remove")
@click.argument("names", nargs=-1, required=True)
@pass_acting
def remove_command(acting: ActingCommand, names: tuple[str, ...]) -> None:
    """Forget holders; their works stay."""
    for name in names:
        remove_holder(acting, name)


@holders.group("papers")
def papers_group() -> None:
    """Papers of a holder, each with its days of validity."""


@papers_group.command("add")
@click.argument("name")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--kind", type=EnumChoice(PaperKind), required=True, help="What the paper proves. authority: a power of attorney."
)
@click.option("--title", required=True, help="Name and number of the document.")
@click.option("--from", "valid_from", type=DAY_TYPE, required=True, help="First day.")
@click.option("--until", "valid_until", type=DAY_TYPE, help="Last day. Default: no end.")
@pass_acting
def add_paper_command(
    acting: ActingCommand,
    name: str,
    file: Path | None,
    kind: PaperKind,
    title: str,
    valid_from: datetime,
    valid_until: datetime | None,
) -> None:
    """Keep a paper of the holder NAME, with its FILE."""
    paper = add_rights_document(
        acting,
        name,
        kind,
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
@pass_acting
def get_paper_command(acting: ActingCommand, name: str, id: str, out: Path) -> None:
    """Write the file of the paper ID of the holder NAME."""
    out.write_bytes(export_rights_document(acting, name, id).content)


@papers_group.command("remove")
@click.argument("name")
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove_papers_command(acting: ActingCommand, name: str, ids: tuple[str, ...]) -> None:
    """Forget papers of the holder NAME."""
    for id in ids:
        remove_rights_document(acting, name, id)
