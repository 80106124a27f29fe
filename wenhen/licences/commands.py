"""Define `wenhen licences`: add, list and remove licences."""

from datetime import datetime, timedelta

import click

from wenhen.cli.console import ActingCommand, Day, find_work_id, json_option, pass_acting, print_record, print_records
from wenhen.kit.clock import china_day
from wenhen.licences.service import add_licence, remove_licence


@click.group()
def licences() -> None:
    """Authorised reprints: their copies stay visible, marked as authorised."""


@licences.command("add")
@click.argument("licensee")
@click.argument("url_prefix")
@click.option("--work", help="Only this work, by its id, its title, or how one of them begins; every work otherwise.")
@click.option("--holder", help="Only works of this rights holder.")
@click.option("--from", "valid_from", type=Day(), help="First day, Asia/Shanghai.")
@click.option("--until", "valid_until", type=Day(), help="Last day, Asia/Shanghai.")
@click.option("--attribution", help="Source line that the page must have, such as 来源：河岸文艺.")
@json_option
@pass_acting
def add_command(
    acting: ActingCommand,
    licensee: str,
    url_prefix: str,
    work: str | None,
    holder: str | None,
    valid_from: datetime | None,
    valid_until: datetime | None,
    attribution: str | None,
) -> None:
    """Allow LICENSEE to carry works below URL_PREFIX (a host, or host/path, without http://)."""
    licence = add_licence(
        acting,
        licensee,
        url_prefix,
        work_id=find_work_id(acting.product, work) if work else None,
        holder=holder,
        valid_from=valid_from,
        valid_until=valid_until + timedelta(days=1) if valid_until else None,
        attribution=attribution,
    )
    print_record(licence, licence.id)


@licences.command("list")
@json_option
@pass_acting
def list_command(acting: ActingCommand) -> None:
    """List the licences."""
    licences = acting.product.store.licences.all()
    rows = (
        (
            *(x.id, x.licensee, x.url_prefix, x.work_id or x.holder or "*"),
            *(x.valid_from and china_day(x.valid_from), x.last_day, x.attribution),
        )
        for x in licences
    )
    print_records(
        licences,
        ("编号 id", "被许可方 licensee", "地址 address", "作品 works", "自 from", "至 until", "须署名 must name"),
        rows,
    )


@licences.command("remove")
@click.argument("ids", nargs=-1, required=True)
@pass_acting
def remove_command(acting: ActingCommand, ids: tuple[str, ...]) -> None:
    """Withdraw licences."""
    for id in ids:
        remove_licence(acting, id)
